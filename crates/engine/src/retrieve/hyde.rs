//! Has a model guess an answer to a question, to search with beside the question (HyDE, hypothetical document
//! embeddings): where words differ, an imagined answer is often nearer to the real one than what was asked.
//!
//! A guess costs a model call, so it is made for questions about ideas only: a question that names a thing has its
//! words already.

use super::consultation::{ConsultOutcome, ConsultTask, consult_model};
use crate::Engine;
use crate::base::{Project, Result};
use crate::code::search::intent::QuestionIntent;
use crate::code::search::{CodeQuestion, QuestionLength};
use providers::Prompt;

/// A question of fewer telling words gives a model nothing to imagine from.
const FEWEST_TERMS: usize = 3;

/// Asks a model to guess an answer, where the question is worth a call.
pub(super) async fn guess_answer(
    engine: &Engine,
    project: &Project,
    text: &str,
    degraded: &mut Vec<String>,
) -> Result<ConsultOutcome> {
    if let Some(why) = skip_reason(text) {
        return Ok(ConsultOutcome::from_skip(ConsultTask::Hyde, why));
    }
    // The question leaves the machine here; it may quote a log with a token in it.
    let clean = engine.scrubber.load().await?.scrub_text(text).0;
    consult_model(engine, project, ConsultTask::Hyde, Prompt::hyde_passage(&clean), |guess| !guess.is_empty(), degraded)
        .await
}

/// Why a question is not worth a guess.
fn skip_reason(text: &str) -> Option<&'static str> {
    let question = CodeQuestion::new(text);
    if !QuestionIntent::from_question(text).is_conceptual() {
        Some("the question is not about an idea")
    // A trace or an issue brings the words of the code itself; a guess would only dilute its vector.
    } else if question.length == QuestionLength::Report {
        Some("the question is a report and has words enough")
    } else if !question.keys.is_empty() || text.matches('`').count() >= 2 {
        Some("the question names what it is about")
    } else if question.terms.len() < FEWEST_TERMS {
        Some("the question is too short")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guess_is_for_questions_about_ideas() {
        let check =
            |text: &str, worth: bool| assert_eq!(skip_reason(text).is_none(), worth, "{text}: {:?}", skip_reason(text));
        check("how does the system handle user logins?", true);
        check("why are old sessions thrown away so early", true);
        check("explain the way retries back off", true);
        check("how does `authenticate` handle user logins", false);
        check("how does check_password compare user hashes", false);
        check("how does src/session.rs handle user logins", false);
        check("find the login controller of the server", false);
        check("how do logins work", false);
        check(&(0..60).map(|n| format!("why word{} ", "ab".repeat(n))).collect::<String>(), false);
    }
}
