//! Makes the optional model calls of a search or answer (HyDE guess, verdict whether to search): within the spending
//! limits, with a deadline, and cached; the answer never depends on them.
//!
//! A reply is cached under the digest of the prompt, so the same question costs once. A call that fails is paid for and
//! spoils nothing else: the question is answered without the model, and `degraded` says so.

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

/// One optional model call: its result, or why it was not made.
#[derive(Clone, Debug, PartialEq)]
pub struct ConsultOutcome {
    /// What the model was asked for.
    pub errand: ConsultTask,
    /// Why no model was asked, where the question needs no model.
    pub skipped: Option<&'static str>,
    /// The text of the model; `None` where the call failed.
    pub text: Option<String>,
    /// The model that wrote the text now; `None` where the text was cached.
    pub model: Option<String>,
    /// What the call cost, failures included.
    pub cost: LedgerFigures,
    /// How long the call took.
    pub took: Duration,
}

impl ConsultOutcome {
    pub(super) fn from_skip(errand: ConsultTask, why: &'static str) -> Self {
        Self { skipped: Some(why), ..Self::without_answer(errand) }
    }

    fn without_answer(errand: ConsultTask) -> Self {
        let skipped = None;
        let text = None;
        let model = None;
        Self { errand, skipped, text, model, cost: LedgerFigures::default(), took: Duration::ZERO }
    }
}

/// Room for a few sentences, and for models that think before they write.
const MAX_OUTPUT_TOKENS: TokenCount = TokenCount(1_000);
/// The caller waits for the answer to a question, and must not wait longer for what a model adds.
const DEADLINE: Duration = Duration::from_secs(20);

/// Asks a model, or returns its cached answer. A text that `is_usable` refuses is not cached.
pub(super) async fn consult_model(
    engine: &Engine,
    project: &Project,
    errand: ConsultTask,
    prompt: Prompt,
    is_usable: impl Fn(&str) -> bool,
    degraded: &mut Vec<String>,
) -> Result<ConsultOutcome> {
    // The prompt's version is part of the key: a new wording of the prompt must not be answered from texts of the old
    // one.
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
    // A call of the user: someone waits for this very question, so the ban on background calls does not apply.
    let written =
        generate_text(&engine.ledger, purpose, None, &prompt.into_request(MAX_OUTPUT_TOKENS, DEADLINE)).await?;
    consulted.took = engine.clock.monotonic_time().saturating_sub(started);
    consulted.cost = written.cost;
    degraded.extend(written.missed.iter().map(|missed| describe_missed(errand, missed)));
    let Some(text) = written.text else { return Ok(consulted) };
    // A model may repeat what it was shown, and more: nothing is kept that was not looked through.
    let text = engine.scrubber.load().await?.scrub_text(text.trim()).0.into_owned();
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
        ConsultTask::Gate => "searched without asking a model first",
    };
    format!("{without}: {missed}")
}
