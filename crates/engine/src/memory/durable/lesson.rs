//! A reflection as data: a memory of its own kind that holds a lesson of earlier work (what was tried, where, and how it
//! went). Each statement of it says its outcome, and the confidence in it follows from all of them. Pure.
//!
//! ```text
//! same outcome again       the doubt about it becomes smaller
//! the contrary outcome     the confidence is halved; where little is left, the newer outcome takes its place
//! partial or unknown       changes nothing
//! ```

use model::{DurableMemory, MemoryKind};
use serde_json::Value;
use std::borrow::Cow;

/// How something that was tried went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReflectionOutcome {
    /// It did what it was to do.
    Success,
    /// It did not.
    Failure,
    /// It did some of it.
    Partial,
    /// Nobody said.
    #[default]
    Unknown,
}

model::enum_words! {
    pub ReflectionOutcome { Success = "success", Failure = "failure", Partial = "partial", Unknown = "unknown" }
}

/// A lesson.
#[derive(Clone, Debug)]
pub struct Reflection {
    /// The memory that holds it; its words are the lesson.
    pub memory: DurableMemory,
    /// How it went.
    pub outcome: ReflectionOutcome,
    /// Where the lesson applies.
    pub context: String,
    /// How far it is to be trusted, from 0 to 1.
    pub confidence: f64,
    /// The session that stated it first.
    pub session: Option<String>,
    /// How near it is to what was asked, from 0 to 1.
    pub nearness: Option<f64>,
}

/// What is believed of a lesson whose author says nothing.
pub(super) const USUAL_CONFIDENCE: f64 = 0.6;
/// What is left of the doubt after another time, and of the confidence after the contrary.
const DOUBT_LEFT: f64 = 0.7;
const CONFIDENCE_LEFT: f64 = 0.5;
/// Below this the newer outcome counts.
const LEAST_CONFIDENCE: f64 = 0.3;

impl Reflection {
    /// The lesson that a memory holds; none for a memory of another kind.
    pub(crate) fn from_memory(memory: &DurableMemory) -> Option<Self> {
        if memory.body.kind != MemoryKind::Reflection {
            return None;
        }
        let mut reflection = Self {
            memory: memory.clone(),
            outcome: ReflectionOutcome::Unknown,
            context: String::new(),
            confidence: USUAL_CONFIDENCE,
            session: None,
            nearness: None,
        };
        for (at, statement) in memory.metadata.iter().enumerate() {
            let Ok(statement) = serde_json::from_str::<Value>(statement) else { continue };
            let said = statement["outcome"].as_str().and_then(ReflectionOutcome::parse).unwrap_or_default();
            if at == 0 {
                reflection.outcome = said;
                reflection.confidence = statement["confidence"].as_f64().unwrap_or(USUAL_CONFIDENCE).clamp(0.0, 1.0);
                reflection.session = statement["session"].as_str().map(str::to_owned);
            } else {
                reflection.take_outcome(said);
            }
            // The newest place counts that anybody named.
            if let Some(context) = statement["context"].as_str().filter(|context| !context.is_empty()) {
                context.clone_into(&mut reflection.context);
            }
        }
        Some(reflection)
    }

    fn take_outcome(&mut self, said: ReflectionOutcome) {
        use ReflectionOutcome::{Failure, Success, Unknown};
        match (self.outcome, said) {
            (known, said) if known == said => self.confidence = 1.0 - (1.0 - self.confidence) * DOUBT_LEFT,
            (Success, Failure) | (Failure, Success) => {
                self.confidence *= CONFIDENCE_LEFT;
                if self.confidence < LEAST_CONFIDENCE {
                    (self.outcome, self.confidence) = (said, CONFIDENCE_LEFT);
                }
            }
            (Unknown, said) => self.outcome = said,
            _ => {}
        }
    }
}

/// The words of a memory as others are told it: a lesson without its outcome would read as advice.
pub(crate) fn told_words(memory: &DurableMemory) -> Cow<'_, str> {
    let Some(reflection) = Reflection::from_memory(memory) else { return Cow::Borrowed(&memory.body.content) };
    let outcome = match reflection.outcome {
        ReflectionOutcome::Success => "worked before",
        ReflectionOutcome::Failure => "tried before, and failed",
        ReflectionOutcome::Partial => "tried before, and worked in part",
        ReflectionOutcome::Unknown => "tried before",
    };
    let place = if reflection.context.is_empty() { String::new() } else { format!(" ({})", reflection.context) };
    Cow::Owned(format!("{outcome}: {}{place}", memory.body.content))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{MemoryEvent, MemoryNote, MemoryStatement, NewMemory, Timestamp};
    use serde_json::json;

    fn reflection(outcomes: &[&str]) -> Reflection {
        let body = NewMemory {
            content: "patching the lock file by hand".to_owned(),
            kind: MemoryKind::Reflection,
            project: None,
            author: None,
            conversation: None,
            depth: 0,
            created: Timestamp(0),
        };
        let mut memory = DurableMemory::new(body);
        for (number, outcome) in (1..).zip(outcomes) {
            let metadata = json!({ "outcome": outcome, "context": "cargo update", "confidence": 0.6 }).to_string();
            let statement = MemoryStatement {
                certainty: 60,
                tags: Vec::new(),
                sources: Vec::new(),
                metadata: Some(metadata),
                said: Timestamp(number),
            };
            memory.add_note(number, MemoryNote { at: Timestamp(number), event: MemoryEvent::Stated(statement) });
        }
        Reflection::from_memory(&memory).expect("it is one")
    }

    #[test]
    fn confidence_rises_with_the_same_outcome_and_falls_with_the_contrary() {
        let check = |outcomes: &[&str], outcome: ReflectionOutcome, confidence: f64| {
            let found = reflection(outcomes);
            assert_eq!(found.outcome, outcome, "{outcomes:?}");
            assert!((found.confidence - confidence).abs() < 1e-9, "{outcomes:?}: {}", found.confidence);
        };
        check(&["failure"], ReflectionOutcome::Failure, 0.6);
        check(&["failure", "failure"], ReflectionOutcome::Failure, 0.72);
        check(&["failure", "success"], ReflectionOutcome::Failure, 0.3);
        check(&["failure", "success", "success"], ReflectionOutcome::Success, 0.5);
        check(&["failure", "partial"], ReflectionOutcome::Failure, 0.6);
        check(&["unknown", "success"], ReflectionOutcome::Success, 0.6);
    }

    #[test]
    fn a_lesson_is_never_told_without_how_it_went() {
        let told = told_words(&reflection(&["failure"]).memory).into_owned();
        assert_eq!(told, "tried before, and failed: patching the lock file by hand (cargo update)");
    }
}
