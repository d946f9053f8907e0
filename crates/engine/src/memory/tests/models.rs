//! Tests of summaries written by models, with a scripted fake model: prompts, fallbacks, redoing failed summaries,
//! prices, and permission to ask in the background.

use super::{Hands, House};
use crate::base::{Clock, NullObserver};
use crate::ledger::{PriceRow, PriceTable, ProviderSet, SpendPolicy};
use crate::memory::tests::generated_conversation::generate_conversation;
use crate::memory::{
    CompactEffect, CompactReport, CompactRequest, ConversationSelection, FoldMode, JobOutcome, MemorySettings,
};
use crate::{Engine, EngineSettings};
use async_trait::async_trait;
use model::{FoldTrigger, Money, Summary, SummaryMethod, TokenCount};
use providers::{
    FailureCost, GenerateRequest, GeneratedText, GenerationModel, Generator, ProviderError, ProviderFailure,
    StopReason, Usage, Vendor,
};
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex};
use store::sqlite::SqliteStore;
use store::{SpendAmount, SpendLimits};
use tempfile::TempDir;

/// What a model does when it is asked.
#[derive(Clone, Copy)]
enum Act {
    /// Writes so many words.
    Words(usize),
    /// Names a file and a number that no message names.
    Invent,
    /// Declines, and may do so for others too.
    Decline,
    /// Cannot be used at all.
    LockedOut,
}

/// Does what the script says, the last of it again and again.
struct Scripted {
    model: GenerationModel,
    script: Mutex<Vec<Act>>,
    asked: Mutex<Vec<GenerateRequest>>,
}

#[async_trait]
impl Generator for Scripted {
    fn model(&self) -> &GenerationModel {
        &self.model
    }

    async fn generate(&self, request: &GenerateRequest) -> providers::Result<GeneratedText> {
        let number = {
            let mut asked = self.asked.lock().expect("nobody panics while holding it");
            asked.push(request.clone());
            asked.len()
        };
        let act = {
            let mut script = self.script.lock().expect("nobody panics while holding it");
            if script.len() > 1 { script.remove(0) } else { script[0] }
        };
        let fail = |failure| Err(ProviderError { vendor: self.model.vendor, failure, spent: FailureCost::Nothing });
        match act {
            Act::Words(words) => {
                // A small number and a closing line of its own, as models write them.
                let number = number % 20;
                let words = "the cache works ".repeat(words / 3);
                let text = format!("Memory {number}: {words}\n**Expand for details about:** everything");
                Ok(GeneratedText { text, stop: StopReason::End, usage: Usage::default() })
            }
            Act::Invent => {
                let text = "The cache in src/imagined.rs holds 4711 entries now.".to_owned();
                Ok(GeneratedText { text, stop: StopReason::End, usage: Usage::default() })
            }
            Act::Decline => fail(ProviderFailure::Refused),
            Act::LockedOut => fail(ProviderFailure::OutOfCredit),
        }
    }
}

struct Modelled {
    house: House,
    model: Arc<Scripted>,
}

fn modelled(script: &[Act], background: bool) -> Modelled {
    let home = TempDir::new().expect("a temporary directory");
    let store = SqliteStore::open(home.path(), home.path()).expect("a store");
    let clock = Arc::new(Hands(AtomicI64::new(1_000_000)));
    let much = SpendAmount { tokens: 100_000_000, money: Money(100_000_000) };
    let limits = SpendLimits { call: much, session: much, day: much, concurrent: 4 };
    let prices = PriceTable::default().with_rows(vec![PriceRow::parse("anthropic/test=1/2").expect("a price")]);
    let memory = MemorySettings {
        leaf_chunk_tokens: TokenCount(4_000),
        context_tokens: TokenCount(20_000),
        ..MemorySettings::default()
    };
    let settings =
        EngineSettings { memory, spend: SpendPolicy { limits, background, prices }, ..EngineSettings::default() };
    let model = Arc::new(Scripted {
        model: GenerationModel { vendor: Vendor::Anthropic, name: "test".to_owned() },
        script: Mutex::new(script.to_vec()),
        asked: Mutex::default(),
    });
    let generators = vec![Arc::clone(&model) as Arc<dyn Generator>];
    let providers = ProviderSet { generators, ..ProviderSet::default() };
    let engine = Engine::new(Arc::new(store), Arc::clone(&clock) as Arc<dyn Clock>, settings).with_providers(providers);
    Modelled { house: House { engine, clock, home }, model }
}

impl Modelled {
    async fn compact(&self, effect: CompactEffect, provider: Option<&str>) -> CompactReport {
        let request = CompactRequest {
            which: ConversationSelection::One("c".to_owned()),
            mode: FoldMode::Sweep,
            trigger: FoldTrigger::Manual,
            effect,
            provider: provider.map(str::to_owned),
        };
        self.house.engine.compact_conversations(request, &NullObserver).await.expect("folds")
    }

    async fn summaries(&self) -> Vec<Summary> {
        let mut found = self.house.engine.store.scan_summaries(None, None, 1_000).await.expect("reads");
        found.reverse();
        found.into_iter().map(|(_, summary)| summary).collect()
    }

    fn asked(&self) -> Vec<GenerateRequest> {
        self.model.asked.lock().expect("nobody panics while holding it").clone()
    }
}

#[tokio::test]
async fn a_model_writes_is_told_what_came_before_and_is_named() {
    let modelled = modelled(&[Act::Words(36)], false);
    modelled.house.told("c", &generate_conversation(1, 40_000)).await;
    let run = modelled.compact(CompactEffect::Fold, None).await.runs.remove(0);
    assert_eq!(run.degraded, []);
    let summaries = modelled.summaries().await;
    assert_eq!(summaries.len(), modelled.asked().len(), "one call each");
    for summary in &summaries {
        let SummaryMethod::Model { model, prompt } = &summary.method else { panic!("{:?}", summary.method) };
        let wanted = if summary.depth == 0 { "leaf-normal@" } else { "condensed-" };
        assert!(model == "anthropic/test" && prompt.starts_with(wanted), "{model} {prompt}");
        let last = summary.content.lines().next_back().unwrap_or_default();
        assert!(last.starts_with("Expand for details about: "), "{last}");
        assert_eq!(summary.content.matches("Expand for details about").count(), 1, "{}", summary.content);
    }
    for request in modelled.asked() {
        assert_eq!(request.temperature, Some(0.2));
        assert!(!request.messages[0].text.contains("Expand for details about"), "{}", request.messages[0].text);
    }
    let second = &modelled.asked()[1].messages[0].text;
    assert!(second.contains("earlier memory") && second.contains("Memory 1:"), "what came before is passed");
    modelled.house.sound("c").await;
}

#[tokio::test]
async fn a_text_that_is_too_long_is_asked_for_again_and_then_done_without() {
    let modelled = modelled(&[Act::Words(6_000), Act::Words(36), Act::Words(6_000)], false);
    modelled.house.told("c", &generate_conversation(2, 30_000)).await;
    let run = modelled.compact(CompactEffect::Fold, None).await.runs.remove(0);
    let summaries = modelled.summaries().await;
    let SummaryMethod::Model { prompt, .. } = &summaries[0].method else { panic!("{:?}", summaries[0].method) };
    assert!(prompt.starts_with("leaf-aggressive@"), "{prompt}");
    let aggressive = &modelled.asked()[1];
    assert_eq!(aggressive.temperature, Some(0.1));
    let asked_for = |request: &GenerateRequest| -> u32 {
        let text = request.messages[0].text.to_lowercase();
        let number = text.rsplit_once("at most ").and_then(|(_, rest)| rest.split_once(" tokens"));
        number.and_then(|(number, _)| number.parse().ok()).expect("a number of tokens")
    };
    assert_eq!(asked_for(aggressive), asked_for(&modelled.asked()[0]) * 57 / 100);
    assert!(summaries[1..].iter().all(|summary| summary.method == SummaryMethod::Fallback));
    let mut leaves = summaries[1..].iter().filter(|summary| summary.depth == 0);
    assert!(leaves.all(|summary| !summary.content.contains("Memory ")), "never a cut answer");
    assert!(
        run.degraded.iter().any(|degraded| degraded.reason.contains("where 600 were asked for")),
        "{:?}",
        run.degraded
    );
    modelled.house.sound("c").await;
}

#[tokio::test]
async fn a_text_that_names_what_no_row_names_is_not_kept() {
    let modelled = modelled(&[Act::Invent], false);
    modelled.house.told("c", &generate_conversation(8, 20_000)).await;
    let run = modelled.compact(CompactEffect::Fold, None).await.runs.remove(0);
    let summaries = modelled.summaries().await;
    assert!(summaries.iter().all(|summary| summary.method == SummaryMethod::Fallback), "the built-in text is taken");
    assert!(summaries.iter().all(|summary| !summary.content.contains("imagined")));
    let reasons: Vec<&str> = run.degraded.iter().map(|degraded| degraded.reason.as_str()).collect();
    assert_eq!(reasons, ["anthropic/test named what the messages do not: src/imagined.rs, 4711"]);
}

#[tokio::test]
async fn memories_are_condensed_with_the_time_they_are_about() {
    let modelled = modelled(&[Act::Words(36)], false);
    let mut story = generate_conversation(9, 60_000);
    for (place, message) in story.talk.messages.iter_mut().enumerate() {
        let text = format!("2026-03-12T{:02}:{:02}:00Z", place / 60 % 24, place % 60);
        message.body.at = Some(model::EventTime { text, instant: None });
    }
    modelled.house.told("c", &story).await;
    modelled.compact(CompactEffect::Fold, None).await;
    let condensed: Vec<String> = modelled
        .asked()
        .iter()
        .map(|request| request.messages[0].text.clone())
        .filter(|text| text.contains(": memory]"))
        .collect();
    assert!(!condensed.is_empty());
    for text in condensed {
        let memories = text.matches(": memory]").count();
        assert_eq!(text.matches("time range: 2026-03-12T").count(), memories, "{text}");
    }
}

#[tokio::test]
async fn whoever_cannot_answer_at_all_is_asked_once() {
    let modelled = modelled(&[Act::LockedOut], false);
    modelled.house.told("c", &generate_conversation(3, 40_000)).await;
    let run = modelled.compact(CompactEffect::Fold, None).await.runs.remove(0);
    assert_eq!((modelled.asked().len(), run.degraded.len()), (1, 1));
    assert!(run.folded.len() > 3 && run.folded.iter().all(|folded| folded.method == SummaryMethod::Fallback));
    assert!(run.tokens_after * 10 < run.tokens_before * 7, "folding goes on without it");
}

#[tokio::test]
async fn what_a_model_declined_can_be_redone_without_touching_what_is_above() {
    let modelled = modelled(&[Act::Decline], false);
    modelled.house.told("c", &generate_conversation(4, 60_000)).await;
    modelled.compact(CompactEffect::Fold, None).await;
    let before = modelled.summaries().await;
    assert!(before.iter().any(|summary| summary.depth > 0));
    *modelled.model.script.lock().expect("nobody panics while holding it") = vec![Act::Words(36)];
    let run = modelled.compact(CompactEffect::Redo, None).await.runs.remove(0);
    assert_eq!(run.folded.len(), before.len());
    let after = modelled.summaries().await;
    assert_eq!(after[..before.len()], before, "what was there is still there");
    for old in &before {
        let new = modelled.house.engine.store.newest_redo(&old.id).await.expect("reads").expect("it was redone");
        let new = after.iter().find(|summary| summary.id == new).expect("it is kept");
        assert_eq!((new.range, &new.covers, new.depth), (old.range, &old.covers, old.depth));
        assert!(matches!(new.method, SummaryMethod::Model { .. }));
    }
    let again = modelled.compact(CompactEffect::Redo, None).await.runs.remove(0);
    assert_eq!(again.folded, [], "once is enough");
    modelled.house.sound("c").await;
}

#[tokio::test]
async fn a_dry_run_prices_the_calls_and_makes_none() {
    let modelled = modelled(&[Act::Words(36)], false);
    modelled.house.told("c", &generate_conversation(5, 40_000)).await;
    let shown = modelled.compact(CompactEffect::Show, None).await.runs.remove(0);
    let price = shown.price.expect("a model would be asked");
    assert_eq!((price.model.as_str(), price.calls), ("anthropic/test", shown.folded.len() as u64));
    assert!(price.tokens_in > 4_000 && price.money > Some(Money(4_000)), "{price:?}");
    assert_eq!(modelled.asked().len(), 0);
    assert_eq!(modelled.compact(CompactEffect::Show, Some("builtin")).await.runs[0].price, None);
}

#[tokio::test]
async fn nobody_is_asked_in_the_background_unless_that_is_allowed() {
    for (background, asked) in [(false, false), (true, true)] {
        let modelled = modelled(&[Act::Words(36)], background);
        modelled.house.told("c", &generate_conversation(6, 40_000)).await;
        modelled.house.engine.request_folding().await.expect("looks");
        let worked = modelled.house.engine.run_next_job(&NullObserver).await.expect("works");
        assert!(matches!(worked, Some(JobOutcome::Compacted(_))), "{worked:?}");
        assert_eq!(!modelled.asked().is_empty(), asked);
        let extractive = |summary: &Summary| summary.method == SummaryMethod::Extractive;
        assert_eq!(modelled.summaries().await.iter().all(extractive), !asked);
    }
}

#[tokio::test]
async fn the_built_in_one_can_be_asked_for_by_name() {
    let modelled = modelled(&[Act::Words(36)], false);
    modelled.house.told("c", &generate_conversation(7, 30_000)).await;
    modelled.compact(CompactEffect::Fold, Some("builtin")).await;
    assert_eq!(modelled.asked().len(), 0);
    assert!(modelled.summaries().await.iter().all(|summary| summary.method == SummaryMethod::Extractive));
}

#[tokio::test]
async fn a_session_is_summed_up_in_one_call_and_a_model_that_declines_leaves_the_built_in_text() {
    use crate::memory::SessionAction;
    let home = TempDir::new().expect("a folder");
    let project = crate::Project::from_directory(home.path()).expect("a project");
    for (act, method, begins) in
        [(Act::Words(30), "model", "Memory 1: the cache works"), (Act::Decline, "fallback", "Main topics:\n- ")]
    {
        let modelled = modelled(&[act], false);
        modelled.house.told("c", &generate_conversation(7, 2_000)).await;
        let action = SessionAction::Summarize(Some("c".to_owned()));
        let report = modelled.house.engine.manage_session(&project, action).await.expect("sums up");
        let summary = report.sessions[0].summary.as_ref().expect("a text");
        assert_eq!(summary.method.as_str(), method);
        assert!(summary.content.starts_with(begins), "{}", summary.content);
        let asked = modelled.asked();
        assert_eq!(asked.len(), 1, "one call");
        assert!(asked[0].messages[0].text.contains("1. Main topics discussed 2. Key decisions made"));
        assert_eq!(report.degraded.is_empty(), method == "model");
    }
    // Nobody asked, and the settings do not allow to spend in the background.
    let modelled = modelled(&[Act::Words(30)], false);
    modelled.house.told("c", &generate_conversation(7, 2_000)).await;
    modelled.house.clock.forward(std::time::Duration::from_hours(24 * 31));
    modelled.house.engine.archive_idle_conversations(&NullObserver).await.expect("archives");
    assert_eq!(modelled.asked().len(), 0);
}
