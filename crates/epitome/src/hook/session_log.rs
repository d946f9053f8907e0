//! Events of agents that name neither their transcript nor their call: both are found in the log of the session.
//!
//! Such a log repeats the events of hooks, so only its messages are looked at, and of them only those that were written
//! when the event came or later: the same prompt of an hour ago is another message.

use super::event::{EventKind, HookEvent};
use crate::config::Environment;
use agents::AgentEnvironment;
use model::{MessagePart, MessageRole, ProjectedMessage};
use serde_json::Value;
use std::path::Path;

/// Names the transcript of an event that does not, where its agent's log of the session is known.
pub(super) fn name_transcript(event: &mut HookEvent, environment: &Environment) {
    let (None, Some(session), Some(home)) =
        (event.transcript_path(), event.session_id(), environment.nonempty_variable("HOME"))
    else {
        return;
    };
    let variable = |name: &str| Some(environment.nonempty_variable(name)?.to_string_lossy().into_owned());
    let surroundings = AgentEnvironment { home: Path::new(home), variable: &variable };
    let log = agents::session_log(&surroundings, &event.envelope.agent, session);
    if let Some(path) = log.as_deref().and_then(Path::to_str) {
        event.set_transcript(path);
    }
}

/// Whether what an event says is among the messages of its log.
pub(super) fn is_among(event: &HookEvent, messages: &[ProjectedMessage]) -> bool {
    let told = event.told_at();
    let is_late = |said: &&ProjectedMessage| {
        let written = said.message.at.as_ref().and_then(|at| at.instant);
        // The same prompt of an hour ago is another message, so only later lines count.
        told.zip(written).is_none_or(|(told, written)| written.0 >= told)
    };
    let has = |words: &str, said: &ProjectedMessage| said.message.content().contains(words.trim());
    match event.event_kind() {
        EventKind::Prompt => {
            let mut said = messages.iter().filter(|said| said.message.role == MessageRole::User).filter(is_late);
            event.prompt_text().is_some_and(|prompt| said.any(|said| has(prompt, said)))
        }
        EventKind::Result => {
            let calls = calls_of(event, messages);
            messages.iter().filter(is_late).any(|said| ends_one_of(&calls, said))
        }
        // The model wrote it before the event came, so the time does not decide.
        EventKind::Stop | EventKind::SubagentStop => {
            event.last_words().is_none_or(|words| messages.iter().any(|said| has(words, said)))
        }
        EventKind::AfterCompact => {
            event.compact_summary().is_none_or(|words| messages.iter().any(|said| has(words, said)))
        }
        EventKind::Start(_) | EventKind::Call | EventKind::BeforeCompact | EventKind::End | EventKind::Other => true,
    }
}

/// The calls with the tool and the input of an event. What they gave is not compared: an agent may blank a secret in one
/// of the two.
fn calls_of<'m>(event: &HookEvent, messages: &'m [ProjectedMessage]) -> Vec<&'m str> {
    let wanted = event.tool_input().map_or(Value::Null, read_input);
    let called = messages.iter().filter(|said| said.message.role == MessageRole::Assistant);
    let is_it = |part: &'m MessagePart| {
        let MessagePart::Tool { call_id, name, input, .. } = part else { return None };
        // Two JSON texts may differ in their spaces, so values are compared.
        let input = input.as_deref().map_or(Value::Null, |input| read_input(&Value::from(input)));
        call_id.as_deref().filter(|_| name.as_deref() == event.tool_name() && input == wanted)
    };
    called.flat_map(|said| &said.message.parts).filter_map(is_it).collect()
}

/// Whether a message is the result of one of some calls.
fn ends_one_of(calls: &[&str], said: &ProjectedMessage) -> bool {
    let is_one = |part: &MessagePart| matches!(part, MessagePart::Tool { call_id: Some(call), .. } if calls.contains(&call.as_str()));
    said.message.role == MessageRole::Tool && said.message.parts.iter().any(is_one)
}

/// An input as it is meant: some write it as a text that holds JSON.
fn read_input(input: &Value) -> Value {
    let written = input.as_str().and_then(|text| serde_json::from_str(text).ok());
    written.unwrap_or_else(|| input.clone())
}

#[cfg(test)]
mod tests {
    use super::super::event::sample;
    use super::*;
    use serde_json::json;

    /// What Copilot CLI 1.0.102 writes when a prompt was said and a command run.
    const LOG: &str = r#"{"type":"hook.start","id":"e1","timestamp":"2026-11-17T18:10:26.487Z","parentId":null,"data":{"hookType":"userPromptSubmitted","input":{"sessionId":"s","prompt":"Print it.","timestamp":1794939026487}}}
{"type":"user.message","id":"e2","timestamp":"2026-11-17T18:10:26.598Z","parentId":"e1","data":{"content":"Print it.","transformedContent":"<now>…</now>\n\nPrint it."}}
{"type":"assistant.message","id":"e3","timestamp":"2026-11-17T18:10:26.647Z","parentId":"e2","data":{"content":"","toolRequests":[{"toolCallId":"c1","name":"bash","arguments":{"command":"seq 3","description":"x"}}]}}
{"type":"hook.start","id":"e4","timestamp":"2026-11-17T18:10:27.080Z","parentId":"e3","data":{"hookType":"postToolUse","input":{"toolName":"bash","toolArgs":{"command":"seq 3","description":"x"},"toolResult":{"textResultForLlm":"1\n2\n3"}}}}
{"type":"tool.execution_complete","id":"e5","timestamp":"2026-11-17T18:10:27.118Z","parentId":"e4","data":{"toolCallId":"c1","success":true,"result":{"content":"1\n******\n3"}}}
{"type":"assistant.message","id":"e6","timestamp":"2026-11-17T18:10:27.205Z","parentId":"e5","data":{"content":"Three rows."}}
"#;

    #[track_caller]
    fn check(lines: usize, event: &str, body: &Value, expected: bool) {
        let log: String = LOG.split_inclusive('\n').take(lines).collect();
        let messages = agents::logged_messages("copilot-cli", Path::new("s/events.jsonl"), log.as_bytes());
        let event = sample("copilot-cli", event, body);
        assert_eq!(is_among(&event, &messages.expect("messages")), expected, "{lines} lines, {body}");
    }

    #[test]
    fn a_prompt_is_there_when_its_message_is() {
        let prompt = |at: u64, text: &str| json!({ "sessionId": "s", "timestamp": at, "prompt": text });
        check(1, "userPromptSubmitted", &prompt(1_794_939_026_487, "Print it."), false);
        check(2, "userPromptSubmitted", &prompt(1_794_939_026_487, "Print it."), true);
        check(2, "userPromptSubmitted", &prompt(1_794_939_026_487, "Print that."), false);
        check(6, "userPromptSubmitted", &prompt(1_794_939_099_000, "Print it."), false);
    }

    #[test]
    fn a_result_is_there_when_a_call_with_its_input_has_ended() {
        let result = |at: u64, arguments: Value| {
            let output = json!({ "resultType": "success", "textResultForLlm": "1\n2\n3" });
            json!({ "sessionId": "s", "timestamp": at, "toolName": "bash", "toolArgs": arguments, "toolResult": output })
        };
        let arguments = json!({ "description": "x", "command": "seq 3" });
        check(4, "postToolUse", &result(1_794_939_027_080, arguments.clone()), false);
        check(5, "postToolUse", &result(1_794_939_027_080, arguments.clone()), true);
        check(5, "postToolUse", &result(1_794_939_027_080, arguments.to_string().into()), true);
        check(6, "postToolUse", &result(1_794_939_027_080, json!({ "command": "seq 4" })), false);
        check(6, "postToolUse", &result(1_794_939_099_000, arguments), false);
    }

    #[test]
    fn last_words_are_looked_for_before_the_event() {
        let stop = |words: &str| json!({ "sessionId": "s", "timestamp": 1_794_939_028_000_u64, "response": words });
        check(6, "subagentStop", &stop("Three rows."), true);
        check(6, "subagentStop", &stop("Four rows."), false);
        check(6, "agentStop", &json!({ "sessionId": "s" }), true);
    }

    #[test]
    fn only_an_event_without_a_transcript_is_given_one() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let folder = home.path().join(".copilot/session-state/s");
        fs_err::create_dir_all(&folder).expect("a folder");
        let environment = Environment::from_iter([("HOME", home.path())]);
        let check = |body: &Value, expected: Option<&Path>| {
            let mut event = sample("copilot-cli", "sessionEnd", body);
            name_transcript(&mut event, &environment);
            let again = HookEvent::new(event.envelope.clone(), event.bytes.clone());
            assert_eq!(event.transcript_path().map(Path::new), expected);
            assert_eq!(again.transcript_path(), event.transcript_path(), "its bytes say the same");
        };
        check(&json!({ "sessionId": "s" }), Some(&folder.join("events.jsonl")));
        check(&json!({ "sessionId": "s", "transcriptPath": "/t.jsonl" }), Some(Path::new("/t.jsonl")));
        check(&json!({ "sessionId": "t" }), None);
        check(&json!({}), None);
    }
}
