//! Asks a model whether a question needs a search, where the rules of `gate.rs` leave it open, and parses its JSON
//! verdict.

use super::consultation::{ConsultOutcome, ConsultTask, consult_model};
use super::gate::GateDecision;
use crate::Engine;
use crate::base::{Project, Result};
use providers::Prompt;
use serde_json::Value;

/// The confidence of a model's verdict: the model sees the question, and nothing of the project.
const VERDICT_CONFIDENCE: f32 = 0.7;

/// The verdict of a model, if one can be asked.
pub(super) async fn ask_verdict(
    engine: &Engine,
    project: &Project,
    question: &str,
    degraded: &mut Vec<String>,
) -> Result<(Option<GateDecision>, ConsultOutcome)> {
    // The question is sent to a provider, so secrets leave it first.
    let clean = engine.scrubber.load().await?.scrub_text(question).0;
    let prompt = Prompt::gate_question(&clean, None);
    let is_usable = |text: &str| parse_verdict(text).is_some();
    let consulted = consult_model(engine, project, ConsultTask::Gate, prompt, is_usable, degraded).await?;
    Ok((consulted.text.as_deref().and_then(parse_verdict), consulted))
}

/// A verdict as the prompt's schema asks for it.
fn parse_verdict(text: &str) -> Option<GateDecision> {
    let said: Value = serde_json::from_str(text).ok()?;
    // Both fields or none: a verdict without a reason could not be shown to the reader, and is asked for again.
    let retrieve = said["retrieve"].as_bool()?;
    let reason: String = said["reason"].as_str()?.chars().take(MAX_REASON_CHARS).collect();
    let reason = format!("is judged by a model: {}", reason.trim());
    Some(GateDecision { retrieve, reason, confidence: VERDICT_CONFIDENCE, suggested: None })
}

/// Letters of a reason that are shown.
const MAX_REASON_CHARS: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_verdict_counts() {
        let said = parse_verdict("{\"retrieve\": false, \"reason\": \"general knowledge\"}").expect("a verdict");
        assert_eq!((said.retrieve, &*said.reason), (false, "is judged by a model: general knowledge"));
        for text in ["", "no", "{}", "{\"retrieve\": \"no\", \"reason\": \"x\"}", "[true]", "{\"retrieve\": true}"] {
            assert_eq!(parse_verdict(text), None, "{text}");
        }
    }
}
