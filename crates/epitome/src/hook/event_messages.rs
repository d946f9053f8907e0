//! What an event says that belongs into a conversation, and whether the agent's own transcript says it, too.

use super::event::{EventKind, HookEvent};
use super::output_files;
use engine::OF_EVENT;
use model::{EventTime, MessagePart, MessageRole, NewMessage, Timestamp};
use serde_json::Value;

/// The messages that an event holds; their ids make storing them twice harmless.
pub(super) fn build_messages(event: &HookEvent) -> Vec<NewMessage> {
    let id = external_id(event);
    let said = match event.event_kind() {
        EventKind::Prompt => vec![(id, MessageRole::User, event.prompt_text().map(|said| vec![text_part(said)]))],
        // The summary comes again with the event after the compaction.
        EventKind::SubagentStop if event.ends_compaction() => Vec::new(),
        EventKind::Stop | EventKind::SubagentStop => vec![
            (format!("{id}-prompt"), MessageRole::User, event.answered_prompt().map(|said| vec![text_part(said)])),
            (id, MessageRole::Assistant, event.last_words().map(|said| vec![text_part(said)])),
        ],
        EventKind::AfterCompact => {
            let summary =
                event.compact_summary().map(|said| vec![MessagePart::Compaction { auto: true }, text_part(said)]);
            vec![(id, MessageRole::System, summary)]
        }
        EventKind::Result => vec![(id, MessageRole::Tool, tool_part(event).map(|tool| vec![tool]))],
        EventKind::Start(_) | EventKind::Call | EventKind::BeforeCompact | EventKind::End | EventKind::Other => {
            Vec::new()
        }
    };
    let at = Timestamp(event.envelope.at);
    let message = |(id, role, parts): (String, MessageRole, Option<Vec<MessagePart>>)| {
        Some(NewMessage {
            external_id: Some(id),
            role,
            speaker: None,
            session: None,
            at: Some(EventTime { text: at.to_string(), instant: Some(at) }),
            parts: parts?,
        })
    };
    said.into_iter().filter_map(message).collect()
}

/// The id of an event's message. If its agent has an id for the message, that id: an output has a name before it is
/// stored, and a hook that is registered twice tells nothing twice.
pub(super) fn external_id(event: &HookEvent) -> String {
    format!("{OF_EVENT}{}", own_id(event).as_deref().unwrap_or(&event.envelope.id))
}

/// The agent's own id for what an event says.
pub(super) fn own_id(event: &HookEvent) -> Option<String> {
    match event.event_kind() {
        EventKind::Result => {
            event.call_id().map(str::to_owned).or_else(|| event.step_index().map(|step| format!("step-{step}")))
        }
        EventKind::Prompt => event.prompt_id().map(str::to_owned),
        EventKind::Start(_)
        | EventKind::Call
        | EventKind::BeforeCompact
        | EventKind::AfterCompact
        | EventKind::Stop
        | EventKind::SubagentStop
        | EventKind::End
        | EventKind::Other => None,
    }
}

/// Where a transcript has the results of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResultLayout {
    /// In lines of their own, which name the call again.
    Apart,
    /// In the line of the call, which is written anew when the result is there.
    WithTheirCalls,
}

/// What a line says that has a call with its result.
const ENDED: [&str; 3] = ["\"output\":", "\"result\":", "\"error\":"];

/// Whether a transcript, without its secrets, has what the event says.
pub(super) fn is_in(event: &HookEvent, transcript: &[u8], results: ResultLayout) -> bool {
    let has = |text: &str| {
        // Compared in its escaped form, because a transcript holds JSON and not the text itself.
        let written = Value::from(text).to_string();
        memchr::memmem::find(transcript, &written.as_bytes()[1..written.len() - 1]).is_some()
    };
    let names = |id: &str, line: &[u8]| memchr::memmem::find(line, Value::from(id).to_string().as_bytes()).is_some();
    let mut lines = transcript.split(|byte| *byte == b'\n');
    match (event.event_kind(), results) {
        (EventKind::Result, _) if event.step_index().is_some() => event.step_index().is_some_and(|step| {
            // The number must end there, or step 1 would be found in step 12.
            let written = [",", "}"].map(|end| format!("\"step_index\":{step}{end}"));
            written.iter().any(|step| memchr::memmem::find(transcript, step.as_bytes()).is_some())
        }),
        // Transcripts of this layout name a call twice: once for the call, once for the result.
        (EventKind::Result, ResultLayout::Apart) => event.call_id().is_some_and(|call| {
            memchr::memmem::find_iter(transcript, Value::from(call).to_string().as_bytes()).nth(1).is_some()
        }),
        (EventKind::Result, ResultLayout::WithTheirCalls) => event.call_id().is_some_and(|call| {
            let is_told = |line: &[u8]| ENDED.iter().any(|word| memchr::memmem::find(line, word.as_bytes()).is_some());
            lines.any(|line| names(call, line) && is_told(line))
        }),
        // In a database the message has the id, and its words may be spread over several rows.
        (EventKind::Prompt, ResultLayout::WithTheirCalls) if event.prompt_id().is_some() => {
            event.prompt_id().is_some_and(|id| lines.filter(|line| names(id, line)).nth(1).is_some())
                || event.prompt_text().is_some_and(has)
        }
        (moment, _) => is_said(event, moment, has),
    }
}

/// What the model got as the result of a call, as a transcript of Claude Code has it.
pub(super) fn result_in(transcript: &[u8], call: &str) -> Option<String> {
    let name = Value::from(call).to_string();
    let lines = transcript.split(|byte| *byte == b'\n');
    lines.filter(|line| memchr::memmem::find(line, name.as_bytes()).is_some()).find_map(|line| {
        let line: Value = serde_json::from_slice(line).ok()?;
        let mut blocks = line["message"]["content"].as_array()?.iter();
        let block = blocks.find(|block| block["type"] == "tool_result" && block["tool_use_id"] == call)?;
        let parts = block["content"].as_array().into_iter().flatten().filter_map(|part| part["text"].as_str());
        Some(block["content"].as_str().map_or_else(|| parts.collect(), str::to_owned))
    })
}

fn is_said(event: &HookEvent, moment: EventKind, has: impl Fn(&str) -> bool) -> bool {
    match moment {
        // A result without a call id or step cannot be found by its words: two commands may print the same.
        EventKind::Result => false,
        EventKind::Prompt => event.prompt_text().is_some_and(has),
        EventKind::Stop | EventKind::SubagentStop => event.last_words().is_some_and(has),
        EventKind::AfterCompact => event.compact_summary().is_some_and(has),
        EventKind::Start(_) | EventKind::Call | EventKind::BeforeCompact | EventKind::End | EventKind::Other => true,
    }
}

fn text_part(text: &str) -> MessagePart {
    MessagePart::Text { text: text.to_owned() }
}

fn tool_part(event: &HookEvent) -> Option<MessagePart> {
    let output = event.tool_output().map(|output| match output.as_str().or_else(|| model_text(output)) {
        Some(text) => text.to_owned(),
        None => output["stdout"]
            .as_str()
            .filter(|_| has_only_stdout(output))
            .map_or_else(|| output.to_string(), str::to_owned),
    });
    Some(MessagePart::Tool {
        call_id: event.call_id().map(str::to_owned),
        name: Some(event.tool_name()?.to_owned()),
        status: event.tool_output().filter(|output| model_text(output).is_some()).and_then(result_type),
        input: event.tool_input().map(ToString::to_string),
        output,
        error: event.tool_error().map(str::to_owned),
        title: None,
    })
}

/// The text that the model received by Copilot CLI's event, if the event has nothing else but the kind of the result.
fn model_text(output: &Value) -> Option<&str> {
    let [path, bytes] = output_files::FIELDS;
    let is_known = |name: &String| ["textResultForLlm", "resultType", path, bytes].contains(&name.as_str());
    output["textResultForLlm"].as_str().filter(|_| output.as_object().is_some_and(|output| output.keys().all(is_known)))
}

fn result_type(output: &Value) -> Option<String> {
    output["resultType"].as_str().map(str::to_owned)
}

/// Whether nothing is lost when only the standard output of a command is kept.
fn has_only_stdout(output: &Value) -> bool {
    output["stderr"].as_str().unwrap_or_default().is_empty()
}

#[cfg(test)]
mod tests {
    use super::super::event::sample;
    use super::*;
    use serde_json::json;

    #[test]
    fn what_was_said_becomes_a_message() {
        let prompt = sample("claude-code", "UserPromptSubmit", &json!({ "prompt": "Fix it." }));
        let message = build_messages(&prompt).pop().expect("a message");
        assert_eq!((message.role, message.content()), (MessageRole::User, "Fix it.".into()));
        assert_eq!(message.external_id.as_deref(), Some("hook:e1"));
        assert_eq!(build_messages(&sample("claude-code", "SessionEnd", &json!({}))), []);
        assert_eq!(build_messages(&sample("claude-code", "Stop", &json!({}))), []);
    }

    #[test]
    fn a_result_is_the_text_that_the_model_got_and_how_it_ended() {
        let check = |output: Value, expected: (Option<&str>, &str)| {
            let body = json!({ "toolName": "bash", "toolResult": output });
            let message = build_messages(&sample("copilot-cli", "postToolUse", &body)).pop().expect("a message");
            let Some(MessagePart::Tool { status, output: Some(output), .. }) = message.parts.first() else {
                panic!("no output in {message:?}")
            };
            assert_eq!((status.as_deref(), output.as_str()), expected);
        };
        check(json!({ "resultType": "success", "textResultForLlm": "1\n2" }), (Some("success"), "1\n2"));
        let more = json!({ "textResultForLlm": "1", "error": "no" });
        check(more.clone(), (None, &more.to_string()));
    }

    #[test]
    fn the_end_of_a_turn_may_tell_the_prompt_as_well() {
        let check = |agent: &str, event: &str, body: &Value, expected: &[(MessageRole, &str, &str)]| {
            let messages = build_messages(&sample(agent, event, body));
            let said: Vec<(MessageRole, String, String)> = messages
                .iter()
                .map(|said| (said.role, said.content(), said.external_id.clone().unwrap_or_default()))
                .collect();
            let expected: Vec<(MessageRole, String, String)> =
                expected.iter().map(|(role, text, id)| (*role, (*text).to_owned(), (*id).to_owned())).collect();
            assert_eq!(said, expected);
        };
        check(
            "auggie",
            "Stop",
            &json!({ "conversation": { "userPrompt": "Fix it.", "agentTextResponse": "Fixed." } }),
            &[(MessageRole::User, "Fix it.", "hook:e1-prompt"), (MessageRole::Assistant, "Fixed.", "hook:e1")],
        );
        // Gemini CLI repeats a prompt that came in an event of its own.
        check(
            "gemini-cli",
            "AfterAgent",
            &json!({ "prompt": "Fix it.", "prompt_response": "Fixed." }),
            &[(MessageRole::Assistant, "Fixed.", "hook:e1")],
        );
    }

    #[test]
    fn a_transcript_has_it_or_not() {
        let prompt = sample("claude-code", "UserPromptSubmit", &json!({ "prompt": "Say \"ü\"\nnow" }));
        let is_in = |event: &HookEvent, text: &[u8]| super::is_in(event, text, ResultLayout::Apart);
        assert!(!is_in(&prompt, b"{\"content\":\"Say something else\"}"));
        assert!(is_in(&prompt, "{\"content\":\"Say \\\"ü\\\"\\nnow\"}".as_bytes()));
        let result = sample("claude-code", "PostToolUse", &json!({ "tool_name": "Bash", "tool_use_id": "toolu_1" }));
        assert!(!is_in(&result, br#"{"id":"toolu_1"}"#));
        assert!(is_in(&result, b"{\"id\":\"toolu_1\"}\n{\"tool_use_id\":\"toolu_1\"}"));
    }

    #[test]
    fn what_the_model_got_is_told_from_what_else_is_written_of_a_call() {
        let line = |content: &Value| {
            let block = json!({ "type": "tool_result", "tool_use_id": "toolu_1", "content": content });
            let line = json!({ "toolUseResult": { "stdout": "ours" }, "message": { "content": [block] } });
            format!("{{\"id\":\"toolu_1\"}}\n{line}\n")
        };
        let check = |content: Value, expected: &str| {
            assert_eq!(result_in(line(&content).as_bytes(), "toolu_1").as_deref(), Some(expected));
        };
        check(json!("theirs"), "theirs");
        check(json!([{ "type": "text", "text": "one" }, { "type": "text", "text": " two" }]), "one two");
        assert_eq!(result_in(line(&json!("theirs")).as_bytes(), "toolu_2"), None);
    }

    #[test]
    fn a_row_has_a_result_once_it_has_one_and_a_prompt_once_its_words_are_there() {
        let body = json!({ "tool_name": "bash", "tool_use_id": "call_1" });
        let result = sample("opencode", "PostToolUse", &body);
        let check = |event: &HookEvent, text: &str, expected: bool| {
            assert_eq!(super::is_in(event, text.as_bytes(), ResultLayout::WithTheirCalls), expected, "{text}");
        };
        check(&result, r#"{"callID":"call_1","state":{"status":"running","input":{}}}"#, false);
        check(&result, r#"{"callID":"call_1","state":{"status":"completed","output":"done"}}"#, true);
        check(&result, "{\"callID\":\"call_1\"}\n{\"callID\":\"call_2\",\"output\":\"done\"}", false);
        let body = json!({ "prompt": "one\ntwo", "prompt_id": "msg_1" });
        let prompt = sample("opencode", "UserPromptSubmit", &body);
        check(&prompt, r#"{"table":"message","id":"msg_1"}"#, false);
        check(&prompt, "{\"table\":\"message\",\"id\":\"msg_1\"}\n{\"table\":\"part\",\"message_id\":\"msg_1\"}", true);
    }
}
