//! Parses the JSON that an agent passes to a hook into a `HookEvent`, one vocabulary for all agents. Agents spell the
//! same event and the same field differently; only this folder knows the spellings. What an agent does unlike the
//! others is in its folder of the catalog ([`HookTraits`]). An unknown event is still an event: it is kept, and nothing
//! else happens.

mod answer;
mod output;
mod output_files;
mod window;

pub use answer::{empty_answer, reads_prompt_context};
pub use output_files::OutputLimit;
pub use window::call_keys;

use crate::catalog::ALL_AGENTS;
use crate::{Agent, HookTraits};
use model::{EventKind, SessionEvent, StartReason, ToolEvent};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// The moment that agents call so; why a session begins is not in the name.
pub fn event_kind_named(event: &str) -> EventKind {
    // Agents write the same name as `PostToolUse`, `post_tool_use` or `postToolUse`.
    let plain: String = event.chars().filter(char::is_ascii_alphanumeric).collect();
    match plain.to_ascii_lowercase().as_str() {
        "sessionstart" | "taskstart" | "taskresume" => EventKind::Start(StartReason::Fresh),
        "userpromptsubmit" | "userpromptsubmitted" | "beforesubmitprompt" | "beforeagent" | "preuserprompt" => {
            EventKind::Prompt
        }
        "pretooluse" | "beforetool" => EventKind::Call,
        "posttooluse" | "posttoolusefailure" | "aftertool" | "postruncommand" | "postmcptooluse" | "postwritecode" => {
            EventKind::Result
        }
        "precompact" | "precompress" => EventKind::BeforeCompact,
        "postcompact" => EventKind::AfterCompact,
        "stop" | "afteragent" | "agentstop" | "postcascaderesponse" => EventKind::Stop,
        "subagentstop" => EventKind::SubagentStop,
        "sessionend" | "taskcomplete" | "taskcancel" => EventKind::End,
        _ => EventKind::Other,
    }
}

/// The agent of an event that says of none.
pub const USUAL_AGENT: &str = "claude-code";

/// Where Windsurf, Cline and Auggie put what belongs to one kind of event.
const NESTED_PAYLOAD_FIELDS: [&str; 4] = ["tool_info", "userPromptSubmit", "postToolUse", "conversation"];

/// What agents call the output of a tool.
const OUTPUTS: [&str; 6] = ["tool_response", "tool_output", "toolResult", "tool_result", "mcp_result", "result"];

/// Whose event it is, when it came, and under which name: what stands before its body in the spool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventEnvelope {
    /// Names this event and no other.
    pub id: String,
    /// Milliseconds since 1970.
    pub at: i64,
    /// The agent's name.
    pub agent: String,
    /// The agent's own name for the event.
    pub event: String,
    /// How long the transcript was by then: what the event says is written behind that, or a little before.
    #[serde(default)]
    pub transcript_bytes: u64,
}

/// An event with its body.
#[derive(Clone, Debug)]
pub struct HookEvent {
    /// Whose event it is.
    pub envelope: EventEnvelope,
    /// Without secrets, as it was written.
    pub bytes: Vec<u8>,
    body: Value,
}

impl HookEvent {
    /// Reads a body. One that is no JSON object has no fields; its bytes are kept all the same.
    pub fn new(mut envelope: EventEnvelope, bytes: Vec<u8>) -> Self {
        let mut body: Value = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        // Gemini CLI sends our injected text back to us, together with the prompt.
        if let Some(Value::String(prompt)) = body.get_mut("prompt")
            && let Cow::Owned(own) = model::remove_injected(prompt)
        {
            own.trim_start().clone_into(prompt);
        }
        if let Some(agent) = find_borrower(&envelope.agent, &body) {
            agent.name.clone_into(&mut envelope.agent);
        }
        Self { envelope, bytes, body }
    }

    /// Takes the name of the event from its body, where the command line has none.
    pub fn take_name(&mut self) {
        let told = ["hook_event_name", "hookEventName"].iter().find_map(|name| self.body[*name].as_str());
        // The command line wins: what the user registered is certain, the body of an agent may lack the name.
        if let Some(name) = told.filter(|_| self.envelope.event.is_empty()) {
            name.clone_into(&mut self.envelope.event);
        }
    }

    /// Whether the body is what agents send.
    pub fn is_readable(&self) -> bool {
        self.body.is_object()
    }

    /// What happened.
    pub fn event_kind(&self) -> EventKind {
        let moment = event_kind_named(&self.envelope.event);
        if matches!(moment, EventKind::Start(_)) { EventKind::Start(self.start_reason()) } else { moment }
    }

    /// Whether the agent has nothing more to write down after it, until the user's next prompt.
    pub fn ends_turn(&self) -> bool {
        matches!(self.event_kind(), EventKind::Stop | EventKind::End)
    }

    fn start_reason(&self) -> StartReason {
        match self.text_field(&["source"]) {
            Some("compact") => StartReason::Compacted,
            // A fork has the whole history of its parent in its context, as a resumed session has.
            Some("resume" | "fork") => StartReason::Again,
            _ => StartReason::Fresh,
        }
    }

    /// The agent's own id for the session.
    pub fn session_id(&self) -> Option<&str> {
        self.text_field(&["session_id", "conversation_id", "sessionId", "conversationId", "trajectory_id", "taskId"])
    }

    /// The name of the session's conversation in the store, the same that `import` gives it.
    pub fn conversation_name(&self) -> Option<String> {
        self.session_id().map(|session| format!("{}:{session}", self.envelope.agent))
    }

    /// The transcript that has what the event says: a sub-agent has one of its own.
    pub fn transcript_path(&self) -> Option<&str> {
        let own = self.text_field(&["agent_transcript_path"]).filter(|_| self.event_kind() == EventKind::SubagentStop);
        own.or_else(|| self.text_field(&["transcript_path", "transcriptPath"]))
    }

    /// Names the transcript, where the agent does not.
    pub fn set_transcript(&mut self, path: &str) {
        if self.is_readable() {
            self.body["transcript_path"] = path.into();
            // The bytes are what is stored, so they have to say the same as the fields.
            self.bytes = self.body.to_string().into_bytes();
        }
    }

    /// The time of the event by the agent's own clock, in milliseconds since 1970.
    pub fn told_at(&self) -> Option<i64> {
        self.body["timestamp"].as_i64()
    }

    /// The directory the agent works in.
    pub fn working_directory(&self) -> Option<&str> {
        let named = ["workspace_roots", "workspaceRoots", "workspacePaths"];
        let roots = || named.iter().find_map(|name| self.body[*name][0].as_str());
        self.text_field(&["cwd", "working_dir"]).or_else(roots)
    }

    /// What the user said.
    pub fn prompt_text(&self) -> Option<&str> {
        // Goose calls the prompt `message`, under which other agents put what they notify of.
        self.text_field(&["prompt", "user_prompt"])
            .or_else(|| self.text_field(&["message"]).filter(|_| self.event_kind() == EventKind::Prompt))
    }

    /// The prompt that a turn answered, where the end of the turn is what tells it.
    pub fn answered_prompt(&self) -> Option<&str> {
        self.body["conversation"]["userPrompt"].as_str().filter(|text| !text.is_empty())
    }

    /// The agent's id of the prompt.
    pub fn prompt_id(&self) -> Option<&str> {
        self.text_field(&["prompt_id"])
    }

    /// What the model said last.
    pub fn last_words(&self) -> Option<&str> {
        self.text_field(&["last_assistant_message", "prompt_response", "response", "agentTextResponse"])
    }

    /// What the agent made of the conversation when it compacted it.
    pub fn compact_summary(&self) -> Option<&str> {
        self.text_field(&["compact_summary"]).or_else(|| self.last_words().filter(|_| self.ends_compaction()))
    }

    /// Whether it is the end of the nameless sub-agent that writes the summary of a compaction. Claude Code tells it
    /// before it begins the session anew, and the compaction itself only afterwards.
    pub fn ends_compaction(&self) -> bool {
        // Named subagents work for the user; only the nameless one writes the summary.
        let is_nameless = self.body["agent_type"].as_str().is_some_and(str::is_empty);
        let is_summary = |words: &str| words.contains("<summary>");
        self.event_kind() == EventKind::SubagentStop && is_nameless && self.last_words().is_some_and(is_summary)
    }

    /// The tool that ran.
    pub fn tool_name(&self) -> Option<&str> {
        let named = self.text_field(&["tool_name", "toolName", "mcp_tool_name"]);
        let called = || self.body["toolCall"]["name"].as_str();
        // Windsurf has an event for each kind of tool, such as `post_run_command`.
        named.or_else(called).or_else(|| self.envelope.event.strip_prefix("post_"))
    }

    /// The step of the conversation that it is about, as Antigravity counts them.
    pub fn step_index(&self) -> Option<u64> {
        self.body["stepIdx"].as_u64()
    }

    /// What went wrong in a tool.
    pub fn tool_error(&self) -> Option<&str> {
        self.text_field(&["error", "tool_error"])
    }

    /// The agent's id of a call. Qwen Code makes up a `tool_use_id` for hooks; its transcript has the `tool_call_id`
    /// beside it.
    pub fn call_id(&self) -> Option<&str> {
        self.text_field(&["tool_call_id", "tool_use_id", "toolCallId"])
    }

    /// What the tool was given.
    pub fn tool_input(&self) -> Option<&Value> {
        self.find_field(&["tool_input", "toolArgs", "parameters", "mcp_tool_arguments"])
            .or_else(|| self.body.get("tool_info"))
            .or_else(|| self.body.get("toolCall")?.get("args"))
    }

    /// What the tool gave back.
    pub fn tool_output(&self) -> Option<&Value> {
        self.find_field(&OUTPUTS)
    }

    /// Puts another text in the place of the output's, which is what the event says from then on, and fields beside it
    /// where the output has any.
    fn replace_output(&mut self, text: &str, beside: [(&str, Value); 2]) {
        let Some(name) = OUTPUTS.iter().find(|name| self.body.get(**name).is_some_and(|value| !value.is_null())) else {
            return;
        };
        if output::replace_text(&mut self.body[*name], text) {
            if let Value::Object(output) = &mut self.body[*name] {
                output.extend(beside.map(|(name, value)| (name.to_owned(), value)));
            }
            self.bytes = self.body.to_string().into_bytes();
        }
    }

    /// Whether the agent runs hooks that are registered for others, and so may tell one thing twice.
    pub fn may_be_told_twice(&self) -> bool {
        self.hook_traits().borrowed.is_some()
    }

    /// What it says, in the words that all agents share.
    pub fn session_event(&self) -> SessionEvent<'_> {
        SessionEvent {
            told_at: self.told_at(),
            conversation: self.conversation_name(),
            prompt: self.prompt_text(),
            prompt_id: self.prompt_id(),
            answered_prompt: self.answered_prompt(),
            last_words: self.last_words(),
            compact_summary: self.compact_summary(),
            ends_compaction: self.ends_compaction(),
            tool: ToolEvent {
                name: self.tool_name(),
                call_id: self.call_id(),
                step: self.step_index(),
                input: self.tool_input().map(ToString::to_string),
                output: self.kept_output(),
                status: self.result_status(),
                error: self.tool_error(),
            },
            ..SessionEvent::new(&self.envelope.id, &self.envelope.event, self.envelope.at, self.event_kind())
        }
    }

    fn hook_traits(&self) -> &'static HookTraits {
        const LISTEN_ONLY: &HookTraits = &HookTraits::LISTEN_ONLY;
        Agent::from_name(&self.envelope.agent).map_or(LISTEN_ONLY, |agent| &agent.hooks)
    }

    /// A field of the body, or of the part of it that some agents put their own into.
    fn find_field(&self, names: &[&str]) -> Option<&Value> {
        let own = NESTED_PAYLOAD_FIELDS.iter().filter_map(|name| self.body.get(*name));
        let places: Vec<&Value> = std::iter::once(&self.body).chain(own).collect();
        let found = names.iter().find_map(|name| places.iter().find_map(|place| place.get(*name)));
        found.filter(|value| !value.is_null())
    }

    fn text_field(&self, names: &[&str]) -> Option<&str> {
        self.find_field(names).and_then(Value::as_str).filter(|text| !text.is_empty())
    }
}

/// The agent that ran a hook which is registered for another.
fn find_borrower(registered: &str, body: &Value) -> Option<&'static Agent> {
    ALL_AGENTS.iter().copied().find(|agent| {
        agent.hooks.borrowed.as_ref().is_some_and(|hooks| hooks.of.contains(&registered) && (hooks.is_own)(body))
    })
}

#[cfg(test)]
fn sample(agent: &str, event: &str, body: &Value) -> HookEvent {
    let (agent, event) = (agent.to_owned(), event.to_owned());
    let envelope = EventEnvelope { id: "e1".to_owned(), at: 1_000, agent, event, transcript_bytes: 0 };
    HookEvent::new(envelope, body.to_string().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_same_moment_has_many_names() {
        let check = |event: &str, expected| assert_eq!(sample("x", event, &json!({})).event_kind(), expected);
        check("UserPromptSubmit", EventKind::Prompt);
        check("beforeSubmitPrompt", EventKind::Prompt);
        check("BeforeAgent", EventKind::Prompt);
        check("AfterTool", EventKind::Result);
        check("postToolUse", EventKind::Result);
        check("PreCompress", EventKind::BeforeCompact);
        check("sessionEnd", EventKind::End);
        check("pre_user_prompt", EventKind::Prompt);
        check("post_run_command", EventKind::Result);
        check("TaskComplete", EventKind::End);
        check("TeammateIdle", EventKind::Other);
    }

    #[test]
    fn a_call_is_known_by_the_id_that_its_transcript_has() {
        let check = |body: &Value, expected| assert_eq!(sample("x", "PostToolUse", body).call_id(), expected);
        check(&json!({ "tool_use_id": "toolu_1" }), Some("toolu_1"));
        check(&json!({ "tool_use_id": "toolu_17_x", "tool_call_id": "call_5" }), Some("call_5"));
        check(&json!({}), None);
    }

    #[test]
    fn a_session_begins_anew_or_goes_on() {
        let check = |source: &str, expected| {
            assert_eq!(
                sample("x", "SessionStart", &json!({ "source": source })).event_kind(),
                EventKind::Start(expected)
            );
        };
        check("startup", StartReason::Fresh);
        check("clear", StartReason::Fresh);
        check("resume", StartReason::Again);
        check("fork", StartReason::Again);
        check("compact", StartReason::Compacted);
    }

    #[test]
    fn vs_code_is_known_by_its_body_whoever_its_hook_is_registered_for() {
        let check = |agent: &str, body: &Value, expected: &str| {
            assert_eq!(sample(agent, "SessionStart", body).envelope.agent, expected);
        };
        check("claude-code", &json!({ "session_id": "s" }), "claude-code");
        check("claude-code", &json!({ "sessionId": "s", "timestamp": "2026-02-09T10:30:00.000Z" }), "vs-code");
        check("copilot-cli", &json!({ "sessionId": "s", "timestamp": "2026-02-09T10:30:00.000Z" }), "vs-code");
        check("copilot-cli", &json!({ "sessionId": "s", "timestamp": 1_770_633_000_000_u64 }), "copilot-cli");
        check("gemini-cli", &json!({ "session_id": "s", "timestamp": "2026-02-09T10:30:00.000Z" }), "gemini-cli");
    }

    #[test]
    fn a_prompt_is_what_the_user_said_without_what_we_told_before_it() {
        let told = "<hook_context>&lt;epitome&gt;\n- rule of the user: never push\n&lt;/epitome&gt;</hook_context>";
        let event = sample("gemini-cli", "BeforeAgent", &json!({ "prompt": format!("{told}\n\nGo on.") }));
        assert_eq!(event.prompt_text(), Some("Go on."));
        let other = "<hook_context>of another hook</hook_context>\n\nGo on.";
        assert_eq!(sample("gemini-cli", "BeforeAgent", &json!({ "prompt": other })).prompt_text(), Some(other));
    }

    #[test]
    fn a_prompt_may_be_a_message() {
        let body = json!({ "session_id": "s", "message": "Go on.", "matcher_context": "Go on." });
        assert_eq!(sample("goose", "UserPromptSubmit", &body).prompt_text(), Some("Go on."));
        assert_eq!(sample("claude-code", "Notification", &body).prompt_text(), None);
    }

    #[test]
    fn a_body_that_is_no_object_has_no_fields_and_keeps_its_bytes() {
        let envelope = sample("x", "Stop", &json!({})).envelope;
        let event = HookEvent::new(envelope, b"not json".to_vec());
        assert!(!event.is_readable());
        assert_eq!((event.session_id(), event.bytes.as_slice()), (None, b"not json".as_slice()));
    }
}
