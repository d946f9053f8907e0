//! Builds the JSON that a hook prints on standard output as its answer, in the form that the event's agent reads:
//! context for the model, a replaced tool output, or an empty answer.

use super::HookEvent;
use crate::Agent;
use crate::hook_traits::{AnswerForm, ContextMoment};
use model::{EventKind, StartReason};
use serde_json::{Value, json};

/// Whether an agent reads what a hook tells it with a prompt.
pub fn reads_prompt_context(agent: &str) -> bool {
    Agent::from_name(agent).is_some_and(|agent| agent.hooks.reads_context == ContextMoment::Always)
}

/// What an agent wants to read where there is nothing to tell it.
pub fn empty_answer(agent: &str) -> Option<&'static str> {
    Agent::from_name(agent)?.hooks.empty_answer
}

impl HookEvent {
    /// Whether its agent reads what a hook tells it then.
    pub fn reads_context(&self) -> bool {
        let is_fresh = self.event_kind() == EventKind::Start(StartReason::Fresh);
        match self.hook_traits().reads_context {
            ContextMoment::Always => true,
            ContextMoment::FreshStart => is_fresh,
            ContextMoment::FreshStartNamed(name) => is_fresh && self.envelope.event == name,
            ContextMoment::Never => false,
        }
    }

    /// Whether it is about a tool that failed, and its agent reads what a hook tells it then.
    pub fn reads_failure(&self) -> bool {
        self.event_kind() == EventKind::Result && self.tool_error().is_some() && self.hook_traits().reads_failures
    }

    /// An answer that tells the agent something, with a line for its user.
    pub fn context_answer(&self, text: &str, notice: Option<&str>) -> Value {
        let mut answer = self.build_answer("additionalContext", &text.into());
        if let Some(notice) = notice {
            answer["systemMessage"] = notice.into();
        }
        answer
    }

    /// An answer that tells its user something, and the agent nothing.
    pub fn notice_answer(&self, notice: &str) -> Value {
        json!({ "systemMessage": notice })
    }

    /// An answer that puts another output in the place of a tool's.
    pub fn output_answer(&self, output: &Value) -> Value {
        self.build_answer("updatedToolOutput", output)
    }

    fn build_answer(&self, name: &str, value: &Value) -> Value {
        let specific = |event: &str| json!({ "hookSpecificOutput": { "hookEventName": event, name: value } });
        match self.hook_traits().answer_form {
            AnswerForm::Bare => json!({ name: value }),
            AnswerForm::SpecificAs(event) => specific(event),
            AnswerForm::Specific => specific(&self.envelope.event),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn agents_are_told_when_they_read_it_in_their_own_form() {
        let check = |agent: &str, event: &str, expected: Option<Value>| {
            let event = sample(agent, event, &json!({ "session_id": "s" }));
            let answer = event.reads_context().then(|| event.context_answer("text", None));
            assert_eq!(answer, expected, "{agent}");
        };
        let specific = |event: &str| {
            Some(json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": "text" } }))
        };
        check("claude-code", "SessionStart", specific("SessionStart"));
        check("codex", "UserPromptSubmit", specific("UserPromptSubmit"));
        check("copilot-cli", "sessionStart", Some(json!({ "additionalContext": "text" })));
        check("copilot-cli", "userPromptSubmitted", None);
        check("auggie", "SessionStart", specific("SessionStart"));
        check("cursor", "beforeSubmitPrompt", None);
        check("an agent of tomorrow", "SessionStart", None);
        assert_eq!((empty_answer("antigravity"), empty_answer("codex")), (Some("{}"), None));
        assert!(reads_prompt_context("qwen-code") && !reads_prompt_context("copilot-cli"));
    }

    #[test]
    fn vs_code_is_told_once_and_in_its_own_word() {
        let event = |agent: &str, name: &str| {
            sample(agent, name, &json!({ "sessionId": "s", "timestamp": "2026-02-09T10:30:00.000Z" }))
        };
        let told = event("copilot-cli", "sessionStart");
        assert!(told.reads_context() && !event("claude-code", "SessionStart").reads_context());
        assert_eq!(told.context_answer("x", Some("y"))["hookSpecificOutput"]["hookEventName"], "SessionStart");
        assert_eq!(told.context_answer("x", Some("y"))["systemMessage"], "y");
    }
}
