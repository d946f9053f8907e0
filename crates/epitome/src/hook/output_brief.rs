//! Shortens the long output of a tool in a hook event, to be returned to the agent in place of the output. The engine
//! shortens; this file decides which output, and where the whole text can be read.

use crate::config::schema::HooksConfig;
use agents::HookEvent;
use serde_json::Value;

/// The text shown to the agent in place of an output.
#[derive(Debug, PartialEq)]
pub(super) struct OutputBrief {
    /// The id of the message that has all of it.
    pub(super) handle: String,
    /// The text the agent sees.
    pub(super) text: String,
    /// The same in the shape that the tool's output has.
    pub(super) output: Value,
}

/// The output of an event in brief, where the agent lets us show it so, and it is long enough and of a kind that can be
/// shortened.
pub(super) fn brief_output(event: &HookEvent, settings: &HooksConfig) -> Option<OutputBrief> {
    let (tool, whole) = event.replaceable_output()?;
    if !settings.output_tools.iter().any(|known| known == tool) {
        return None;
    }
    let id = engine::event_message_id(&event.session_event());
    let handle = engine::message_id(&event.conversation_name()?, &id).to_string();
    let text = engine::shorten_output(whole, tool, &handle, settings.output_bytes)?;
    Some(OutputBrief { handle, output: event.output_with(&text)?, text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use agents::EventEnvelope;
    use serde_json::json;

    fn settings() -> HooksConfig {
        HooksConfig {
            orientation_tokens: 1500,
            recall_tokens: 400,
            output_bytes: 8000,
            output_tools: ["Bash", "Grep"].map(str::to_owned).to_vec(),
            daemon_seconds: 0,
            keep_injections: false,
            critique: false,
        }
    }

    fn event(agent: &str, tool: &str) -> HookEvent {
        let text: String = (1..=500).map(|number| format!("line {number} of a build that says much\n")).collect();
        let output = json!({ "stdout": text, "stderr": "", "interrupted": false });
        let body = json!({ "session_id": "s", "tool_name": tool, "tool_use_id": "toolu_1", "tool_response": output });
        let [id, agent, event] = ["e1", agent, "PostToolUse"].map(str::to_owned);
        let envelope = EventEnvelope { id, at: 1_000, agent, event, transcript_bytes: 0 };
        HookEvent::new(envelope, body.to_string().into_bytes())
    }

    #[test]
    fn a_long_output_is_shown_in_brief_under_the_id_of_its_message() {
        let brief = brief_output(&event("claude-code", "Bash"), &settings()).expect("it is long");
        let expected = engine::message_id("claude-code:s", "hook:toolu_1").to_string();
        assert_eq!((brief.handle.as_str(), &brief.output["interrupted"]), (expected.as_str(), &json!(false)));
        assert_eq!(brief.output["stdout"], brief.text);
        let omitted = format!("lines 41-460 of 500, are not shown; epitome keeps all of it: expand {expected}]");
        assert!(brief.text.contains(&omitted), "{}", brief.text);
    }

    #[test]
    fn only_tools_and_agents_that_allow_it_are_shown_in_brief() {
        assert_eq!(brief_output(&event("claude-code", "Read"), &settings()), None);
        assert_eq!(brief_output(&event("codex", "Bash"), &settings()), None);
        let off = HooksConfig { output_bytes: 0, ..settings() };
        assert_eq!(brief_output(&event("claude-code", "Bash"), &off), None);
    }
}
