//! Vectors from the outside: whoever embeds and whatever becomes of it, an answer is of one model, no text is paid for
//! twice in it, and what a model before it made is dropped only when nothing needs it any more.

use super::house::{Noon, home, store_in};
use async_trait::async_trait;
use engine::{
    CallInitiative, Degradation, EmbedRequest, Engine, EngineSettings, NullObserver, PriceRow, PriceTable, Project,
    ProviderSet, SpendPolicy, TextCoverage, TextEmbeddings, ValueGrouping, ValueRequest,
};
use expect_test::{Expect, expect};
use model::{ContentHash, Money};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use providers::{
    Embedder, EmbeddingBatch, EmbeddingModel, FailureCost, ProviderError, ProviderFailure, Usage, Vector, Vendor,
};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::{SpendAmount, SpendLimits};

/// What an embedder does when it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Answer,
    /// Turns away.
    Busy,
    /// Answers, and the answer is lost.
    Vanish,
    /// Answers with vectors of another size.
    Misfit,
    /// Leaves a text out.
    Short,
}

/// An embedder that does what the script says, the last of it again and again.
struct Scripted {
    model: EmbeddingModel,
    vendor: Vendor,
    script: Mutex<Vec<Act>>,
    /// The texts of every answer that arrived.
    answered: Mutex<Vec<Vec<String>>>,
    /// The longest text it takes.
    longest: usize,
}

impl Scripted {
    fn new(vendor: Vendor, name: &str, dimensions: usize, script: &[Act]) -> Arc<Self> {
        let name = Cow::Owned(format!("{vendor}/{name}"));
        Arc::new(Self {
            model: EmbeddingModel { name, version: Cow::Borrowed("1"), dimensions },
            vendor,
            script: Mutex::new(script.iter().rev().copied().collect()),
            answered: Mutex::default(),
            longest: 1_000,
        })
    }

    fn calls(&self) -> Vec<usize> {
        self.answered.lock().expect("held briefly").iter().map(Vec::len).collect()
    }

    fn next(&self) -> Act {
        let mut script = self.script.lock().expect("held briefly");
        if script.len() > 1 { script.pop().expect("it has more than one") } else { script[0] }
    }

    /// Some direction for every text, another one in every model.
    fn vector(&self, text: &str) -> Option<Vector> {
        let hash = ContentHash::hash_bytes(format!("{} {text}", self.model.name).as_bytes());
        let numbers: Vec<f32> =
            hash.as_bytes()[..self.model.dimensions].iter().map(|byte| f32::from(*byte) + 1.0).collect();
        if text.is_empty() { None } else { Vector::new(&numbers) }
    }
}

#[async_trait]
impl Embedder for Scripted {
    fn model(&self) -> &EmbeddingModel {
        &self.model
    }

    fn vendor(&self) -> Vendor {
        self.vendor
    }

    async fn embed(&self, texts: &[&str]) -> providers::Result<EmbeddingBatch> {
        let fail = |failure, spent| Err(ProviderError { vendor: self.vendor, failure, spent });
        if texts.iter().any(|text| text.len() > self.longest) {
            return fail(ProviderFailure::TooLarge, FailureCost::Nothing);
        }
        let mut vectors: Vec<Option<Vector>> = texts.iter().map(|text| self.vector(text)).collect();
        let usage = Usage { input: Some(10 * texts.len() as u64), ..Usage::default() };
        match self.next() {
            Act::Busy => return fail(ProviderFailure::Overloaded { retry_after: None }, FailureCost::Nothing),
            Act::Vanish => {
                return fail(ProviderFailure::TimedOut { after: Duration::from_secs(1) }, FailureCost::Unknown);
            }
            Act::Misfit => vectors[0] = Vector::new(&vec![1.0; self.model.dimensions + 1]),
            Act::Short => drop(vectors.pop()),
            Act::Answer => {
                let texts = texts.iter().map(|text| (*text).to_owned()).collect();
                self.answered.lock().expect("held briefly").push(texts);
            }
        }
        Ok(EmbeddingBatch { vectors, usage })
    }
}

struct House {
    directory: tempfile::TempDir,
    project: Project,
}

impl House {
    fn new() -> Self {
        let (directory, project) = home(&[]);
        Self { directory, project }
    }

    fn engine(&self, embedders: &[&Arc<Scripted>]) -> Engine {
        self.engine_with(embedders, 1_000_000)
    }

    fn engine_with(&self, embedders: &[&Arc<Scripted>], day_tokens: i64) -> Engine {
        let home = self.directory.path();
        let store = store_in(home);
        let row = PriceRow::parse("openai/*=1/0").expect("it is a price");
        let high = SpendAmount { tokens: 1_000_000, money: Money(1_000_000) };
        let limits =
            SpendLimits { call: high, session: high, day: SpendAmount { tokens: day_tokens, ..high }, concurrent: 2 };
        let spend = SpendPolicy { limits, background: false, prices: PriceTable::default().with_rows(vec![row]) };
        let embedders = embedders.iter().map(|scripted| Arc::clone(scripted) as Arc<dyn Embedder>).collect();
        let providers = ProviderSet { embedders, ..ProviderSet::default() };
        Engine::new(Arc::new(store), Arc::new(Noon), EngineSettings { spend, ..EngineSettings::default() })
            .with_providers(providers)
    }

    async fn embed(&self, engine: &Engine, texts: &[&str], extent: TextCoverage) -> TextEmbeddings {
        engine.embed_texts(&self.project, request(texts, extent), &NullObserver).await.expect("somebody embeds")
    }
}

fn request(texts: &[&str], extent: TextCoverage) -> EmbedRequest {
    let texts = texts.iter().map(|text| (*text).to_owned()).collect();
    EmbedRequest { texts, extent, provider: None, initiative: CallInitiative::User }
}

fn hosted(script: &[Act]) -> Arc<Scripted> {
    Scripted::new(Vendor::OpenAi, "large", 8, script)
}

fn builtin() -> Arc<Scripted> {
    Scripted::new(Vendor::Builtin, "small", 4, &[Act::Answer])
}

fn told(embeddings: &TextEmbeddings) -> String {
    let TextEmbeddings { space, vectors, known, embedded, dropped, degraded } = embeddings;
    let with = vectors.iter().flatten().count();
    let line = |Degradation { reason, fix }: &Degradation| format!("{reason}\n  {}\n", fix.as_deref().unwrap_or("-"));
    let lines: String = degraded.iter().map(line).collect();
    format!("{space}: {with} of {}, {known} known, {embedded} embedded, {dropped} dropped\n{lines}", vectors.len())
}

/// Every vector is the one that its model gives, and of the model that the answer names.
fn check_whole(embeddings: &TextEmbeddings, texts: &[&str], model: &Scripted) {
    assert_eq!(embeddings.space.model, model.model.name);
    let wanted: Vec<Option<Vector>> = texts.iter().map(|text| model.vector(text)).collect();
    assert_eq!(embeddings.vectors, wanted);
}

const TEXTS: [&str; 5] = ["one", "two", "", "one", "three"];

#[tokio::test]
async fn a_text_is_embedded_once_wherever_it_stands() {
    let house = House::new();
    let hosted = hosted(&[Act::Answer]);
    let builtin = builtin();
    let engine = house.engine(&[&hosted, &builtin]);
    let first = house.embed(&engine, &TEXTS, TextCoverage::Some).await;
    check_whole(&first, &TEXTS, &hosted);
    let again = house.embed(&house.engine(&[&hosted]), &["three", "four", "one"], TextCoverage::Some).await;
    check_whole(&again, &["three", "four", "one"], &hosted);
    expect![[r#"
        openai/large 1, 8 dimensions: 4 of 5, 0 known, 4 embedded, 0 dropped
        openai/large 1, 8 dimensions: 3 of 3, 2 known, 1 embedded, 0 dropped
    "#]]
    .assert_eq(&(told(&first) + &told(&again)));
    assert_eq!((hosted.calls(), builtin.calls().len()), (vec![4, 1], 0));
}

#[tokio::test]
async fn what_embedding_costs_is_booked_and_the_built_in_costs_nothing() {
    let house = House::new();
    let hosted = hosted(&[Act::Answer]);
    let builtin = builtin();
    house.embed(&house.engine(&[&hosted, &builtin]), &TEXTS, TextCoverage::Some).await;
    let engine = house.engine(&[&builtin]);
    house.embed(&engine, &TEXTS, TextCoverage::Some).await;
    let request = ValueRequest { by: ValueGrouping::Model, entries: 9, spend: true, ..ValueRequest::default() };
    let value = engine.ledger_report(request).await.expect("the ledger answers");
    let [total] = &value.models[..] else { panic!("one model costs: {:?}", value.models) };
    assert_eq!((total.key.as_str(), total.figures.tokens_in, total.figures.money), ("openai/large", 40, Money(40)));
    assert_eq!(value.model_entries[0].entry.account.operation, "embed");
}

#[tokio::test]
async fn another_model_embeds_again_and_the_one_before_goes_when_it_has_everything() {
    let house = House::new();
    let old = hosted(&[Act::Answer]);
    let builtin = builtin();
    let mut text = told(&house.embed(&house.engine(&[&old, &builtin]), &TEXTS, TextCoverage::All).await);
    let new = Scripted::new(Vendor::OpenAi, "larger", 12, &[Act::Answer]);
    let engine = house.engine(&[&new, &builtin]);
    let some = house.embed(&engine, &["one"], TextCoverage::Some).await;
    let all = house.embed(&engine, &["one", "two", "five"], TextCoverage::All).await;
    check_whole(&all, &["one", "two", "five"], &new);
    text += &told(&some);
    text += &told(&all);
    text += &told(&house.embed(&house.engine(&[&old, &builtin]), &["one"], TextCoverage::Some).await);
    expect![[r#"
        openai/large 1, 8 dimensions: 4 of 5, 0 known, 4 embedded, 0 dropped
        openai/larger 1, 12 dimensions: 1 of 1, 0 known, 1 embedded, 0 dropped
        openai/larger 1, 12 dimensions: 3 of 3, 1 known, 2 embedded, 4 dropped
        openai/large 1, 8 dimensions: 1 of 1, 0 known, 1 embedded, 0 dropped
    "#]]
    .assert_eq(&text);
    assert_eq!((new.calls(), old.calls()), (vec![1, 2], vec![4, 1]));
}

/// Runs once with a hosted model and the built-in behind it.
async fn check(hosted: &Arc<Scripted>, day_tokens: i64, expected: &Expect) {
    let house = House::new();
    let builtin = builtin();
    let engine = house.engine_with(&[hosted, &builtin], day_tokens);
    let embeddings = house.embed(&engine, &TEXTS, TextCoverage::All).await;
    let model = if embeddings.space.dimensions == 4 { &builtin } else { hosted };
    check_whole(&embeddings, &TEXTS, model);
    expected.assert_eq(&told(&embeddings));
}

#[tokio::test]
async fn when_a_model_fails_all_texts_are_embedded_by_the_next_and_the_reason_is_told() {
    check(
        &hosted(&[Act::Busy]),
        1_000_000,
        &expect![[r#"
        builtin/small 1, 4 dimensions: 4 of 5, 0 known, 4 embedded, 0 dropped
        cannot use openai: it is overloaded or failing
          try again later, or choose another provider
    "#]],
    )
    .await;
    check(
        &hosted(&[Act::Vanish]),
        1_000_000,
        &expect![[r#"
        builtin/small 1, 4 dimensions: 4 of 5, 0 known, 4 embedded, 0 dropped
        cannot use openai: no answer within 1.0 s
          try again later, or choose another provider
    "#]],
    )
    .await;
    check(
        &hosted(&[Act::Answer]),
        100,
        &expect![[r#"
        builtin/small 1, 4 dimensions: 4 of 5, 0 known, 4 embedded, 0 dropped
        cannot call openai/large: it may cost 204 tokens, the limit of a day is 100 tokens, 0 tokens of it used
          raise spend.day_tokens; epitome value --spend shows what is left
    "#]],
    )
    .await;
}

#[tokio::test]
async fn vectors_that_do_not_fit_are_paid_for_and_not_kept() {
    check(
        &hosted(&[Act::Misfit]),
        1_000_000,
        &expect![[r#"
        builtin/small 1, 4 dimensions: 4 of 5, 0 known, 4 embedded, 0 dropped
        cannot use openai: its answer cannot be used: vectors that do not fit its model
          check the model's name and the provider's address, or choose another provider
    "#]],
    )
    .await;
    check(
        &hosted(&[Act::Short]),
        1_000_000,
        &expect![[r#"
        builtin/small 1, 4 dimensions: 4 of 5, 0 known, 4 embedded, 0 dropped
        cannot use openai: its answer cannot be used: vectors that do not fit its model
          check the model's name and the provider's address, or choose another provider
    "#]],
    )
    .await;
}

#[tokio::test]
async fn a_text_too_long_for_a_model_keeps_no_other_from_its_vector() {
    let house = House::new();
    let hosted = hosted(&[Act::Answer]);
    let long = "x".repeat(1_001);
    let texts: Vec<&str> = ["a", "b", "c", long.as_str(), "d", "e", "f"].into();
    let embeddings = house.embed(&house.engine(&[&hosted, &builtin()]), &texts, TextCoverage::Some).await;
    assert_eq!(embeddings.vectors.iter().position(Option::is_none), Some(3));
    expect![[r#"
        openai/large 1, 8 dimensions: 6 of 7, 0 known, 6 embedded, 0 dropped
        openai/large has no vector for 1 of the texts: they are longer than it takes
          choose a model with a longer context
    "#]]
    .assert_eq(&told(&embeddings));
}

#[tokio::test]
async fn an_outage_costs_no_vector_that_was_paid_for() {
    let house = House::new();
    let builtin = builtin();
    let hosted = hosted(&[Act::Answer, Act::Busy, Act::Answer]);
    let engine = house.engine(&[&hosted, &builtin]);
    house.embed(&engine, &TEXTS, TextCoverage::All).await;
    let during = house.embed(&engine, &["one", "new"], TextCoverage::All).await;
    check_whole(&during, &["one", "new"], &builtin);
    let after = house.embed(&engine, &["one", "two", "new"], TextCoverage::All).await;
    check_whole(&after, &["one", "two", "new"], &hosted);
    assert_eq!((after.known, after.embedded, hosted.calls()), (2, 1, vec![4, 1]));
}

#[tokio::test]
async fn nobody_is_asked_in_the_background_but_the_built_in() {
    let house = House::new();
    let hosted = hosted(&[Act::Answer]);
    let builtin = builtin();
    let engine = house.engine(&[&hosted, &builtin]);
    let background = EmbedRequest { initiative: CallInitiative::Background, ..request(&TEXTS, TextCoverage::Some) };
    let embeddings = engine.embed_texts(&house.project, background, &NullObserver).await.expect("the built-in embeds");
    check_whole(&embeddings, &TEXTS, &builtin);
    assert_eq!(hosted.calls(), [0; 0]);
    expect![[r#"
        builtin/small 1, 4 dimensions: 4 of 5, 0 known, 4 embedded, 0 dropped
        no model is called without being asked
          set spend.background = true to allow it
    "#]]
    .assert_eq(&told(&embeddings));
}

#[tokio::test]
async fn the_one_that_is_named_is_asked_and_the_built_in_after_it() {
    let house = House::new();
    let builtin = builtin();
    let first = hosted(&[Act::Answer]);
    let second = Scripted::new(Vendor::Ollama, "local", 6, &[Act::Busy]);
    let engine = house.engine(&[&first, &second, &builtin]);
    let named = |name: &str| EmbedRequest { provider: Some(name.to_owned()), ..request(&TEXTS, TextCoverage::Some) };
    let embeddings =
        engine.embed_texts(&house.project, named("ollama/local"), &NullObserver).await.expect("one embeds");
    check_whole(&embeddings, &TEXTS, &builtin);
    assert_eq!(first.calls(), [0; 0]);
    let refused =
        engine.embed_texts(&house.project, named("anthropic"), &NullObserver).await.expect_err("it is not there");
    expect![
        "`provider` names `anthropic`, which is not configured: there is openai/large, ollama/local, builtin/small"
    ]
    .assert_eq(&refused.to_string());
    let nobody = house.engine(&[&second]).embed_texts(&house.project, named("ollama"), &NullObserver).await;
    expect!["`provider` leaves no model that can embed: cannot use ollama: it is overloaded or failing"]
        .assert_eq(&nobody.expect_err("it is busy").to_string());
}

/// Whatever texts are asked for, in whichever model, whatever goes wrong: an answer is of one model, and what a model
/// answered is never asked of it again while it is kept.
#[test]
fn answers_never_mix_models_and_nothing_is_paid_twice() {
    let act = prop_oneof![
        4 => Just(Act::Answer),
        1 => Just(Act::Busy),
        1 => Just(Act::Vanish),
        1 => Just(Act::Misfit),
        1 => Just(Act::Short),
    ];
    let step = (0..3_usize, proptest::collection::vec(0..40_u32, 0..80), any::<bool>());
    let plan = (proptest::collection::vec(act, 1..20), proptest::collection::vec(step, 1..8))
        .prop_map(|(script, steps)| (script, steps));
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let config = Config { cases: 40, failure_persistence: None, max_shrink_iters: 100, ..Config::default() };
    let outcome = TestRunner::new(config).run(&plan, |(script, steps)| {
        let house = House::new();
        let models = [
            Scripted::new(Vendor::OpenAi, "a", 8, &script),
            Scripted::new(Vendor::OpenAi, "b", 8, &script),
            Scripted::new(Vendor::OpenAi, "c", 16, &script),
        ];
        let builtin = builtin();
        runtime.block_on(async {
            // What each model answered and still has, as far as anybody may rely on it.
            let mut has: [HashSet<String>; 3] = Default::default();
            for (chosen, numbers, is_all) in steps {
                let model = &models[chosen];
                let texts: Vec<String> = numbers.iter().map(|number| format!("text {number}")).collect();
                let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                let extent = if is_all { TextCoverage::All } else { TextCoverage::Some };
                let before = model.calls().len();
                let embeddings = house.embed(&house.engine(&[model, &builtin]), &texts, extent).await;
                let answered = model.answered.lock().expect("held briefly")[before..].concat();
                assert!(answered.iter().all(|text| !has[chosen].contains(text)), "paid twice: {answered:?}");
                has[chosen].extend(answered);
                if embeddings.degraded.is_empty() {
                    check_whole(&embeddings, &texts, model);
                    if is_all {
                        has = Default::default();
                        has[chosen].extend(texts.iter().map(|text| (*text).to_owned()));
                    }
                } else {
                    check_whole(&embeddings, &texts, &builtin);
                }
            }
        });
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}
