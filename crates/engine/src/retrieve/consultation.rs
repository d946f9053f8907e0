//! Models asked in passing while a question is answered: under the spend contract, each answer kept, none ever needed.
//!
//! An answer is kept under the digest of what the model was shown, so the same question costs once. A model that fails
//! costs what it cost and takes nothing else with it: the question is answered without, and `degraded` says so.

use crate::Engine;
use crate::base::{Project, Result};
use crate::ledger::{CallInitiative, CallPurpose, Degradation, generate_text};
use model::{DigestBuilder, TokenCount};
use providers::Prompt;
use std::time::Duration;
use store::LedgerFigures;

/// What a model is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsultTask {
    /// A guess at the answer, to search with.
    Hyde,
    /// Whether the question needs anything looked up.
    Gate,
}

impl ConsultTask {
    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hyde => "hyde",
            Self::Gate => "gate",
        }
    }
}

/// A model that was asked in passing, or was not, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct ConsultOutcome {
    /// What for.
    pub errand: ConsultTask,
    /// Why no model was asked, where none had to be.
    pub skipped: Option<&'static str>,
    /// What it said; none where it failed.
    pub text: Option<String>,
    /// Who said it now; none where it was said before.
    pub model: Option<String>,
    /// What that cost, failures included.
    pub cost: LedgerFigures,
    /// How long it took.
    pub took: Duration,
}

impl ConsultOutcome {
    pub(super) fn from_skip(errand: ConsultTask, why: &'static str) -> Self {
        Self { skipped: Some(why), ..Self::without_answer(errand) }
    }

    fn without_answer(errand: ConsultTask) -> Self {
        let (skipped, text, model) = (None, None, None);
        Self { errand, skipped, text, model, cost: LedgerFigures::default(), took: Duration::ZERO }
    }
}

/// Room for a few sentences, and for models that think before they write.
const ROOM: TokenCount = TokenCount(1_000);
/// The caller waits for the answer to a question, and must not wait longer for what a model adds.
const DEADLINE: Duration = Duration::from_secs(20);

/// Has a model answer, or finds what one answered before. What `is_usable` refuses is not kept.
pub(super) async fn consult_model(
    engine: &Engine,
    project: &Project,
    errand: ConsultTask,
    prompt: Prompt,
    is_usable: impl Fn(&str) -> bool,
    degraded: &mut Vec<String>,
) -> Result<ConsultOutcome> {
    let key = DigestBuilder::new(errand.as_str()).add_field(prompt.version.to_string().as_bytes());
    let key = key.add_field(prompt.question.as_bytes()).finish();
    let mut consulted = ConsultOutcome::without_answer(errand);
    let known = engine.store.symbol_summaries(&project.id, &[key]).await?.pop().flatten();
    if let Some(text) = known.filter(|text| is_usable(text)) {
        return Ok(ConsultOutcome { text: Some(text), ..consulted });
    }
    let purpose = CallPurpose {
        operation: "search",
        project: Some(&project.id),
        session: None,
        initiative: CallInitiative::User,
    };
    let started = engine.clock.monotonic_time();
    let written = generate_text(engine, purpose, None, &prompt.into_request(ROOM, DEADLINE)).await?;
    consulted.took = engine.clock.monotonic_time().saturating_sub(started);
    consulted.cost = written.cost;
    degraded.extend(written.missed.iter().map(|missed| describe_missed(errand, missed)));
    let Some(text) = written.text else { return Ok(consulted) };
    // A model may repeat what it was shown, and more: nothing is kept that was not looked through.
    let text = engine.scrubber().await?.scrub_text(text.trim()).0.into_owned();
    consulted.model = written.model;
    if !is_usable(&text) {
        let reason = "the model's answer cannot be read".to_owned();
        degraded.push(describe_missed(errand, &Degradation { reason, fix: None }));
        return Ok(consulted);
    }
    engine.store.write_model_answers(&project.id, vec![(key, text.clone())]).await?;
    Ok(ConsultOutcome { text: Some(text), ..consulted })
}

fn describe_missed(errand: ConsultTask, missed: &Degradation) -> String {
    let without = match errand {
        ConsultTask::Hyde => "searched without a guess",
        ConsultTask::Gate => "looked without a model's word on whether to",
    };
    format!("{without}: {missed}")
}
