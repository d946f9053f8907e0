//! The spend contract from the outside: descriptions of symbols are asked for, and whatever the model behind them does,
//! nothing is paid twice, nothing paid is lost, and no ceiling is passed.

use super::house::{Noon, home, store_in};
use async_trait::async_trait;
use engine::{
    Degradation, Engine, EngineSettings, IndexRequest, LedgerReport, NullObserver, PriceRow, PriceTable, Project,
    ProviderSet, SpendPolicy, SpendSwitch, SummarizeReport, SummarizeRequest, SymbolRequest, ValueGrouping,
    ValueRequest,
};
use expect_test::{Expect, expect};
use model::Money;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use providers::{
    FailureCost, GenerateRequest, GeneratedText, GenerationModel, Generator, ProviderError, ProviderFailure,
    StopReason, Usage, Vendor,
};
use std::sync::{Arc, Mutex};
use store::{SpendAmount, SpendLimits};

/// What a model does when it is asked.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// Answers, and says what it used.
    Answer,
    /// Answers, and does not say.
    Silent,
    /// Answers, and says what cannot be.
    Absurd,
    /// Ends before it is done.
    Cut,
    /// Declines, and charges for it.
    Decline,
    /// Turns away.
    Busy,
    /// Falls silent after the question was sent.
    Vanish,
}

/// A model that does what the script says, the last of it again and again, and keeps count of what it charges.
struct Scripted {
    model: GenerationModel,
    script: Mutex<Vec<Act>>,
    /// Every question, with what was charged for it; none where nothing was, or where nobody can know.
    asked: Mutex<Vec<(GenerateRequest, Option<Usage>)>>,
}

const USAGE: Usage = Usage { input: Some(100), output: Some(20), cache_read: Some(30), cache_write: None };

impl Scripted {
    fn new(vendor: Vendor, name: &str, script: &[Act]) -> Arc<Self> {
        let script = Mutex::new(script.iter().rev().copied().collect());
        Arc::new(Self { model: GenerationModel { vendor, name: name.to_owned() }, script, asked: Mutex::default() })
    }

    fn calls(&self) -> usize {
        self.asked.lock().expect("nobody panics while holding it").len()
    }

    fn next(&self) -> Act {
        let mut script = self.script.lock().expect("nobody panics while holding it");
        if script.len() > 1 { script.pop().expect("it has more than one") } else { script[0] }
    }
}

#[async_trait]
impl Generator for Scripted {
    fn model(&self) -> &GenerationModel {
        &self.model
    }

    async fn generate(&self, request: &GenerateRequest) -> providers::Result<GeneratedText> {
        tokio::task::yield_now().await;
        let answer = |stop, usage| Ok(GeneratedText { text: " It does a thing.\n".to_owned(), stop, usage });
        let fail = |failure, spent| Err(ProviderError { vendor: self.model.vendor, failure, spent });
        let absurd = Usage { input: Some(u64::MAX), ..USAGE };
        let (charged, outcome) = match self.next() {
            Act::Answer => (Some(USAGE), answer(StopReason::End, USAGE)),
            Act::Silent => (None, answer(StopReason::End, Usage::default())),
            Act::Absurd => (None, answer(StopReason::End, absurd)),
            Act::Cut => (Some(USAGE), answer(StopReason::Length, USAGE)),
            Act::Decline => (Some(USAGE), fail(ProviderFailure::Refused, FailureCost::Reported(USAGE))),
            Act::Busy => {
                (Some(Usage::default()), fail(ProviderFailure::Overloaded { retry_after: None }, FailureCost::Nothing))
            }
            Act::Vanish => (None, fail(ProviderFailure::TimedOut { after: request.deadline }, FailureCost::Unknown)),
        };
        self.asked.lock().expect("nobody panics while holding it").push((request.clone(), charged));
        outcome
    }
}

struct House {
    directory: tempfile::TempDir,
    project: Project,
}

/// Three functions worth describing, and one that says itself what it is.
const SOURCES: &str = "\
fn one() -> u32 {
    let a = 1;
    a + 1
}

fn two() -> u32 {
    let b = 2;
    b + 2
}

fn three() -> u32 {
    let c = 3;
    c + 3
}

fn plain() {}
";

impl House {
    fn new(source: &str) -> Self {
        let (directory, project) = home(&[("lib.rs", source)]);
        Self { directory, project }
    }

    fn engine(&self, limits: SpendLimits, generators: &[&Arc<Scripted>]) -> Engine {
        let home = self.directory.path();
        let store = store_in(home);
        let row = PriceRow::parse("anthropic/priced=1/10/0.1/2").expect("it is a price");
        let spend = SpendPolicy { limits, background: false, prices: PriceTable::default().with_rows(vec![row]) };
        let settings = EngineSettings { spend, session: Some("s".to_owned()), ..EngineSettings::default() };
        let generators = generators.iter().map(|scripted| Arc::clone(scripted) as Arc<dyn Generator>).collect();
        let providers = ProviderSet { generators, ..ProviderSet::default() };
        Engine::new(Arc::new(store), Arc::new(Noon), settings).with_providers(providers)
    }

    async fn summarize(&self, engine: &Engine) -> SummarizeReport {
        self.summarize_with(engine, None).await.expect("it runs")
    }

    async fn summarize_with(&self, engine: &Engine, provider: Option<&str>) -> engine::Result<SummarizeReport> {
        let summarize = Some(SummarizeRequest { provider: provider.map(str::to_owned) });
        let request = IndexRequest { summarize, ..IndexRequest::default() };
        Ok(engine.index_project(&self.project, request, &NullObserver).await?.summaries.expect("it was asked for"))
    }
}

fn amount(tokens: i64, money: i64) -> SpendAmount {
    SpendAmount { tokens, money: Money(money) }
}

fn limits() -> SpendLimits {
    let high = amount(1_000_000, 1_000_000);
    SpendLimits { call: high, session: high, day: high, concurrent: 2 }
}

fn priced(script: &[Act]) -> Arc<Scripted> {
    Scripted::new(Vendor::Anthropic, "priced", script)
}

fn local(script: &[Act]) -> Arc<Scripted> {
    Scripted::new(Vendor::Ollama, "small", script)
}

async fn value(engine: &Engine, by: ValueGrouping) -> LedgerReport {
    let request = ValueRequest { by, entries: 100, spend: true, ..ValueRequest::default() };
    engine.ledger_report(request).await.expect("the ledger answers")
}

fn told(summaries: &SummarizeReport) -> String {
    let SummarizeReport { written, known, failed, left, degraded } = summaries;
    let line = |Degradation { reason, fix }: &Degradation| format!("{reason}\n  {}\n", fix.as_deref().unwrap_or("-"));
    let lines: String = degraded.iter().map(line).collect();
    format!("{written} written, {known} known, {failed} failed, {left} left\n{lines}")
}

/// Runs once under limits with one generator, and compares what is told and what the ledger has.
async fn check(limits: SpendLimits, generators: &[&Arc<Scripted>], expected: &Expect) {
    let house = House::new(SOURCES);
    let engine = house.engine(limits, generators);
    let mut text = told(&house.summarize(&engine).await);
    let value = value(&engine, ValueGrouping::Model).await;
    let mut entries: Vec<String> = value
        .model_entries
        .iter()
        .map(|entry| {
            let figures = &entry.entry.figures;
            let cached = (figures.cache_read, figures.cache_write);
            let basis = entry.entry.basis.as_str();
            format!(
                "{basis}: {} in, {} out, {cached:?} cached, {}\n",
                figures.tokens_in, figures.tokens_out, figures.money
            )
        })
        .collect();
    entries.sort();
    text.extend(entries);
    let standing = value.spend.expect("it was asked for").standing;
    assert_eq!((standing.in_flight, standing.reserved_day), (0, SpendAmount::default()), "nothing stays reserved");
    expected.assert_eq(&text);
}

#[tokio::test]
async fn without_a_provider_nothing_is_asked_and_the_fix_is_told() {
    check(
        limits(),
        &[],
        &expect![[r#"
        0 written, 0 known, 0 failed, 3 left
        no provider of models is configured
          name a provider in providers.chain, and its model
    "#]],
    )
    .await;
}

#[tokio::test]
async fn what_a_vendor_reports_is_what_is_booked() {
    check(
        limits(),
        &[&priced(&[Act::Answer])],
        &expect![[r#"
        3 written, 0 known, 0 failed, 0 left
        reported: 100 in, 20 out, (30, 0) cached, $0.000303
        reported: 100 in, 20 out, (30, 0) cached, $0.000303
        reported: 100 in, 20 out, (30, 0) cached, $0.000303
    "#]],
    )
    .await;
}

#[tokio::test]
async fn what_a_vendor_does_not_report_costs_what_was_reserved() {
    check(
        limits(),
        &[&priced(&[Act::Silent, Act::Absurd, Act::Vanish])],
        &expect![[r#"
            2 written, 0 known, 0 failed, 1 left
            cannot use anthropic: no answer within 120.0 s
              try again later, or choose another provider
            estimated: 608 in, 1000 out, (0, 0) cached, $0.011216
            estimated: 608 in, 1000 out, (0, 0) cached, $0.011216
            estimated: 621 in, 1000 out, (0, 0) cached, $0.011242
        "#]],
    )
    .await;
}

#[tokio::test]
async fn answers_that_are_of_no_use_are_paid_and_not_kept() {
    check(
        limits(),
        &[&priced(&[Act::Cut, Act::Decline, Act::Answer])],
        &expect![[r#"
        1 written, 0 known, 2 failed, 0 left
        anthropic/priced ran out of room before it was done
          -
        cannot use anthropic: the model declined to answer
          -
        reported: 100 in, 20 out, (30, 0) cached, $0.000303
        reported: 100 in, 20 out, (30, 0) cached, $0.000303
        reported: 100 in, 20 out, (30, 0) cached, $0.000303
    "#]],
    )
    .await;
}

#[tokio::test]
async fn the_next_of_the_chain_is_asked_when_one_fails() {
    check(
        limits(),
        &[&priced(&[Act::Busy]), &local(&[Act::Answer])],
        &expect![[r#"
            3 written, 0 known, 0 failed, 0 left
            cannot use anthropic: it is overloaded or failing
              try again later, or choose another provider
            reported: 100 in, 20 out, (30, 0) cached, $0.00
            reported: 100 in, 20 out, (30, 0) cached, $0.00
            reported: 100 in, 20 out, (30, 0) cached, $0.00
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_model_without_a_price_is_not_called() {
    let unpriced = Scripted::new(Vendor::Compatible, "mystery", &[Act::Answer]);
    check(
        limits(),
        &[&unpriced],
        &expect![[r#"
        0 written, 0 known, 0 failed, 3 left
        cannot call openai-compatible/mystery: its price is not known, and spending is limited in money
          set spend.prices = ["openai-compatible/mystery=INPUT/OUTPUT"], in dollars per million tokens
    "#]],
    )
    .await;
    assert_eq!(unpriced.calls(), 0);
}

#[tokio::test]
async fn each_ceiling_says_how_high_it_is_and_how_to_raise_it() {
    let low = [
        SpendLimits { call: amount(100, 1_000_000), ..limits() },
        SpendLimits { call: amount(1_000_000, 5), ..limits() },
        SpendLimits { session: amount(4_000, 1_000_000), ..limits() },
        SpendLimits { day: amount(1_000_000, 12_000), ..limits() },
        SpendLimits { concurrent: 0, ..limits() },
    ];
    let mut text = String::new();
    for limits in low {
        let house = House::new(SOURCES);
        text += &told(&house.summarize(&house.engine(limits, &[&priced(&[Act::Silent])])).await);
    }
    expect![[r#"
        0 written, 0 known, 0 failed, 3 left
        cannot call anthropic/priced: it may cost 1608 tokens, the limit of a call is 100 tokens
          raise spend.call_tokens; epitome value --spend shows what is left
        0 written, 0 known, 0 failed, 3 left
        cannot call anthropic/priced: it may cost $0.011216, the limit of a call is $0.000005
          raise spend.call_dollars; epitome value --spend shows what is left
        2 written, 0 known, 0 failed, 1 left
        cannot call anthropic/priced: it may cost 1621 tokens, the limit of a session is 4000 tokens, 3216 tokens of it used
          raise spend.session_tokens; epitome value --spend shows what is left
        1 written, 0 known, 0 failed, 2 left
        cannot call anthropic/priced: it may cost $0.011216, the limit of a day is $0.012, $0.011216 of it used
          raise spend.day_dollars; epitome value --spend shows what is left
        0 written, 0 known, 0 failed, 3 left
        cannot call anthropic/priced: 0 calls are on their way already
          try again, or raise spend.concurrent
    "#]].assert_eq(&text);
}

#[tokio::test]
async fn stopped_spending_stops_everybody_at_once() {
    let house = House::new(SOURCES);
    let scripted = priced(&[Act::Answer]);
    let one = house.engine(limits(), &[&scripted]);
    let other = house.engine(limits(), &[&scripted]);
    one.switch_spending(SpendSwitch::Stop).await.expect("stops");
    let summaries = house.summarize(&other).await;
    expect![[r#"
        0 written, 0 known, 0 failed, 3 left
        cannot call anthropic/priced: all spending is stopped
          epitome value --resume allows it again
    "#]]
    .assert_eq(&told(&summaries));
    assert_eq!(scripted.calls(), 0);
    other.switch_spending(SpendSwitch::Resume).await.expect("resumes");
    assert_eq!(house.summarize(&one).await.written, 3);
}

#[tokio::test]
async fn a_description_is_paid_once_and_shown_where_its_symbol_is() {
    let house = House::new(SOURCES);
    let scripted = priced(&[Act::Answer]);
    let engine = house.engine(limits(), &[&scripted]);
    assert_eq!(house.summarize(&engine).await.written, 3);
    let prompts: Vec<String> = scripted
        .asked
        .lock()
        .expect("held briefly")
        .iter()
        .map(|(request, _)| request.messages[0].text.clone())
        .collect();
    assert!(prompts.iter().any(|prompt| prompt.contains("let b = 2;")), "{prompts:?}");

    let path = house.project.root.join("lib.rs");
    fs_err::write(&path, format!("// A line above moves everything.\n{}", SOURCES.replace("c + 3", "c + 4")))
        .expect("a file");
    let again = house.summarize(&engine).await;
    assert_eq!((again.written, again.known, scripted.calls()), (1, 2, 4));
    let request = SymbolRequest { name: "two".to_owned(), kinds: Vec::new(), path: None, limit: 1 };
    let found = engine.find_symbols(&house.project, request).await.expect("it is there");
    assert_eq!(found.hits[0].summary.as_deref(), Some("It does a thing."));

    let rebuild =
        IndexRequest { rebuild: true, summarize: Some(SummarizeRequest::default()), ..IndexRequest::default() };
    let report = engine.index_project(&house.project, rebuild, &NullObserver).await.expect("it runs");
    assert_eq!(report.summaries.map(|summaries| (summaries.written, summaries.known)), Some((0, 3)));
}

#[tokio::test]
async fn the_provider_that_is_named_is_the_one_that_is_asked() {
    let house = House::new(SOURCES);
    let first = priced(&[Act::Answer]);
    let second = local(&[Act::Answer]);
    let engine = house.engine(limits(), &[&first, &second]);
    let error = house.summarize_with(&engine, Some("openai")).await.expect_err("it is not configured").to_string();
    expect!["`provider` names `openai`, which is not configured: there is anthropic/priced, ollama/small"]
        .assert_eq(&error);
    assert_eq!(house.summarize_with(&engine, Some("ollama/small")).await.expect("it runs").written, 3);
    assert_eq!((first.calls(), second.calls()), (0, 3));
}

#[tokio::test]
async fn a_run_that_met_a_ceiling_goes_on_where_it_ended() {
    let house = House::new(SOURCES);
    let scripted = priced(&[Act::Silent]);
    // Enough for one call at its worst, not for two.
    let tight = SpendLimits { day: amount(2_500, 1_000_000), concurrent: 1, ..limits() };
    let first = house.summarize(&house.engine(tight, &[&scripted])).await;
    assert!(first.written > 0 && first.left > 0, "{first:?}");
    let second = house.summarize(&house.engine(limits(), &[&scripted])).await;
    assert_eq!((second.known, second.written, second.left), (first.written, first.left, 0));
    assert_eq!(scripted.calls(), 3, "nothing was paid twice");
}

/// A thousand faults of every kind: what the ledger has is what was charged, what nobody can
/// know is booked at its worst, and in the end every symbol is described once.
#[test]
fn whatever_models_do_nothing_is_paid_twice_and_nothing_is_lost() {
    let source: String = (0..20)
        .map(|number| format!("fn f{number}() -> u32 {{\n    let x = {number};\n    x + {number}\n}}\n\n"))
        .collect();
    let act = prop_oneof![
        4 => Just(Act::Answer),
        1 => Just(Act::Silent),
        1 => Just(Act::Absurd),
        1 => Just(Act::Cut),
        1 => Just(Act::Decline),
        1 => Just(Act::Busy),
        1 => Just(Act::Vanish),
    ];
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let config = Config { cases: 64, failure_persistence: None, max_shrink_iters: 50, ..Config::default() };
    let plan = (proptest::collection::vec(act, 20..60), 1..6_u32);
    let faults = std::cell::Cell::new(0);
    let outcome = TestRunner::new(config).run(&plan, |(mut script, concurrent)| {
        // In the end it answers, or the story would have none.
        script.push(Act::Answer);
        let house = House::new(&source);
        let scripted = priced(&script);
        let engine = house.engine(SpendLimits { concurrent, ..limits() }, &[&scripted]);
        runtime.block_on(async {
            for _ in 0..script.len() {
                let summaries = house.summarize(&engine).await;
                if summaries.left + summaries.failed == 0 {
                    break;
                }
            }
            let last = house.summarize(&engine).await;
            assert_eq!((last.known, last.written, last.failed, last.left), (20, 0, 0, 0), "every symbol is described");
            let value = value(&engine, ValueGrouping::Model).await;
            let asked_for = scripted.asked.lock().expect("held briefly");
            let played = script.iter().take(asked_for.len());
            faults.set(faults.get() + played.filter(|act| !matches!(act, Act::Answer)).count());
            let charged = asked_for.iter().filter(|(_, charged)| *charged == Some(USAGE)).count() as i64;
            let unknown = asked_for.iter().filter(|(_, charged)| charged.is_none()).count();
            let reported =
                value.model_entries.iter().filter(|entry| entry.entry.basis.as_str() == "reported").count() as i64;
            // The list of entries is cut; the totals are not.
            let total = value.models.iter().find(|total| total.key == "anthropic/priced").expect("it was asked");
            assert_eq!(total.entries as i64, charged + unknown as i64, "one entry for each call that cost something");
            assert_eq!(total.figures.cache_read, 30 * charged, "what was reported, once");
            assert!(reported <= charged);
            assert!(total.figures.tokens_out >= 20 * charged + 1_000 * unknown as i64);
        });
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
    assert!(faults.get() >= 1_000, "only {} faults", faults.get());
}
