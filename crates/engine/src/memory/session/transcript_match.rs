//! Checks whether a transcript contains what a hook event says, so that its text need not be stored a second time.
//! The transcript was imported before, whatever the answer. It is searched as bytes, or as messages where it is a log
//! that repeats what hooks are told.

use model::{EventKind, MessagePart, MessageRole, ProjectedMessage, SessionEvent};
use serde_json::Value;

/// Where a transcript has the results of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultLayout {
    /// In lines of their own, which name the call again.
    Apart,
    /// In the line of the call, which is written anew when the result is there.
    WithTheirCalls,
}

/// What a line says that has a call with its result.
const RESULT_FIELD_KEYS: [&str; 3] = ["\"output\":", "\"result\":", "\"error\":"];

/// Whether the bytes of a transcript, without its secrets, have what an event says.
pub fn transcript_has_event(event: &SessionEvent<'_>, transcript: &[u8], results: ResultLayout) -> bool {
    let has = |text: &str| {
        // Compared in its escaped form, because a transcript holds JSON and not the text itself.
        let written = Value::from(text).to_string();
        memchr::memmem::find(transcript, &written.as_bytes()[1..written.len() - 1]).is_some()
    };
    let names = |id: &str, line: &[u8]| memchr::memmem::find(line, Value::from(id).to_string().as_bytes()).is_some();
    let mut lines = transcript.split(|byte| *byte == b'\n');
    let (kind, call) = (event.kind, event.tool.call_id);
    match (kind, results) {
        (EventKind::Result, _) if event.tool.step.is_some() => event.tool.step.is_some_and(|step| {
            // The number must end there, or step 1 would be found in step 12.
            let written = [",", "}"].map(|end| format!("\"step_index\":{step}{end}"));
            written.iter().any(|step| memchr::memmem::find(transcript, step.as_bytes()).is_some())
        }),
        // Transcripts of this layout name a call twice: once for the call, once for the result.
        (EventKind::Result, ResultLayout::Apart) => call.is_some_and(|call| {
            memchr::memmem::find_iter(transcript, Value::from(call).to_string().as_bytes()).nth(1).is_some()
        }),
        (EventKind::Result, ResultLayout::WithTheirCalls) => call.is_some_and(|call| {
            let is_told = |line: &[u8]| {
                RESULT_FIELD_KEYS.iter().any(|word| memchr::memmem::find(line, word.as_bytes()).is_some())
            };
            lines.any(|line| names(call, line) && is_told(line))
        }),
        // In a database the message has the id, and its words may be spread over several rows.
        (EventKind::Prompt, ResultLayout::WithTheirCalls) if event.prompt_id.is_some() => {
            event.prompt_id.is_some_and(|id| lines.filter(|line| names(id, line)).nth(1).is_some())
                || event.prompt.is_some_and(has)
        }
        _ => is_said(event, has),
    }
}

fn is_said(event: &SessionEvent<'_>, has: impl Fn(&str) -> bool) -> bool {
    match event.kind {
        // A result without a call id or step cannot be found by its words: two commands may print the same.
        EventKind::Result => false,
        EventKind::Prompt => event.prompt.is_some_and(has),
        EventKind::Stop | EventKind::SubagentStop => event.last_words.is_some_and(has),
        EventKind::AfterCompact => event.compact_summary.is_some_and(has),
        EventKind::Start(_) | EventKind::Call | EventKind::BeforeCompact | EventKind::End | EventKind::Other => true,
    }
}

/// Whether what an event says is among the messages of a log that repeats what hooks are told.
///
/// Only messages count that were written when the event was told or later: the same prompt of an hour ago is another
/// one.
pub fn messages_have_event(event: &SessionEvent<'_>, messages: &[ProjectedMessage]) -> bool {
    let is_late = |said: &&ProjectedMessage| {
        let written = said.message.at.as_ref().and_then(|at| at.instant);
        // The same prompt of an hour ago is another message, so only later lines count.
        event.told_at.zip(written).is_none_or(|(told, written)| written.0 >= told)
    };
    let has = |words: &str, said: &ProjectedMessage| said.message.content().contains(words.trim());
    match event.kind {
        EventKind::Prompt => {
            let mut said = messages.iter().filter(|said| said.message.role == MessageRole::User).filter(is_late);
            event.prompt.is_some_and(|prompt| said.any(|said| has(prompt, said)))
        }
        EventKind::Result => {
            let calls = matching_calls(event, messages);
            messages.iter().filter(is_late).any(|said| ends_one_of(&calls, said))
        }
        // The model wrote it before the event came, so the time does not decide.
        EventKind::Stop | EventKind::SubagentStop => {
            event.last_words.is_none_or(|words| messages.iter().any(|said| has(words, said)))
        }
        EventKind::AfterCompact => {
            event.compact_summary.is_none_or(|words| messages.iter().any(|said| has(words, said)))
        }
        EventKind::Start(_) | EventKind::Call | EventKind::BeforeCompact | EventKind::End | EventKind::Other => true,
    }
}

/// The calls with the tool and the input of an event. What they gave is not compared: an agent may blank a secret in one
/// of the two.
fn matching_calls<'m>(event: &SessionEvent<'_>, messages: &'m [ProjectedMessage]) -> Vec<&'m str> {
    let wanted = event.tool.input.as_deref().map_or(Value::Null, read_input);
    let called = messages.iter().filter(|said| said.message.role == MessageRole::Assistant);
    let is_it = |part: &'m MessagePart| {
        let MessagePart::Tool { call_id, name, input, .. } = part else { return None };
        // Two JSON texts may differ in their spaces, so values are compared.
        let input = input.as_deref().map_or(Value::Null, read_input);
        call_id.as_deref().filter(|_| name.as_deref() == event.tool.name && input == wanted)
    };
    called.flat_map(|said| &said.message.parts).filter_map(is_it).collect()
}

/// Whether a message is the result of one of some calls.
fn ends_one_of(calls: &[&str], said: &ProjectedMessage) -> bool {
    let is_one = |part: &MessagePart| matches!(part, MessagePart::Tool { call_id: Some(call), .. } if calls.contains(&call.as_str()));
    said.message.role == MessageRole::Tool && said.message.parts.iter().any(is_one)
}

/// An input as it is meant: some agents write it as a text that holds JSON, and what is no JSON is a text.
fn read_input(input: &str) -> Value {
    let value = serde_json::from_str(input).unwrap_or_else(|_| Value::from(input));
    let inside = value.as_str().and_then(|text| serde_json::from_str(text).ok());
    inside.unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{EventTime, NewMessage, Timestamp, ToolEvent};

    fn event(kind: EventKind) -> SessionEvent<'static> {
        SessionEvent::new("e1", "", 1_000, kind)
    }

    fn prompt(text: &'static str) -> SessionEvent<'static> {
        SessionEvent { prompt: Some(text), ..event(EventKind::Prompt) }
    }

    fn result(call: &'static str) -> SessionEvent<'static> {
        let tool = ToolEvent { name: Some("bash"), call_id: Some(call), ..ToolEvent::default() };
        SessionEvent { tool, ..event(EventKind::Result) }
    }

    #[test]
    fn a_transcript_has_it_or_not() {
        let is_in = |event: &SessionEvent<'_>, text: &[u8]| transcript_has_event(event, text, ResultLayout::Apart);
        let said = prompt("Say \"ü\"\nnow");
        assert!(!is_in(&said, b"{\"content\":\"Say something else\"}"));
        assert!(is_in(&said, "{\"content\":\"Say \\\"ü\\\"\\nnow\"}".as_bytes()));
        let result = result("toolu_1");
        assert!(!is_in(&result, br#"{"id":"toolu_1"}"#));
        assert!(is_in(&result, b"{\"id\":\"toolu_1\"}\n{\"tool_use_id\":\"toolu_1\"}"));
        let step =
            SessionEvent { tool: ToolEvent { step: Some(7), ..ToolEvent::default() }, ..event(EventKind::Result) };
        assert!(!is_in(&step, br#"{"step_index":71}"#));
        assert!(is_in(&step, br#"{"step_index":7}"#));
    }

    #[test]
    fn a_row_has_a_result_once_it_has_one_and_a_prompt_once_its_words_are_there() {
        let check = |event: &SessionEvent<'_>, text: &str, expected: bool| {
            let found = transcript_has_event(event, text.as_bytes(), ResultLayout::WithTheirCalls);
            assert_eq!(found, expected, "{text}");
        };
        let ended = result("call_1");
        check(&ended, r#"{"callID":"call_1","state":{"status":"running","input":{}}}"#, false);
        check(&ended, r#"{"callID":"call_1","state":{"status":"completed","output":"done"}}"#, true);
        check(&ended, "{\"callID\":\"call_1\"}\n{\"callID\":\"call_2\",\"output\":\"done\"}", false);
        let named = SessionEvent { prompt_id: Some("msg_1"), ..prompt("one\ntwo") };
        check(&named, r#"{"table":"message","id":"msg_1"}"#, false);
        check(&named, "{\"table\":\"message\",\"id\":\"msg_1\"}\n{\"table\":\"part\",\"message_id\":\"msg_1\"}", true);
    }

    fn said(role: MessageRole, at: i64, parts: Vec<MessagePart>) -> ProjectedMessage {
        let at = Timestamp(at);
        let message = NewMessage {
            external_id: None,
            role,
            speaker: None,
            session: None,
            at: Some(EventTime { text: at.to_string(), instant: Some(at) }),
            metadata: None,
            parts,
            part_marks: model::PartMarks::default(),
        };
        ProjectedMessage { message, lines: vec![0], parent: None, thread: None, continues: None }
    }

    /// A prompt, a call, its result and what the model said of it.
    fn log() -> Vec<ProjectedMessage> {
        let text = |text: &str| vec![MessagePart::Text { text: text.to_owned() }];
        let tool = |name: Option<&str>, input: Option<&str>, output: Option<&str>| {
            vec![MessagePart::Tool {
                call_id: Some("c1".to_owned()),
                name: name.map(str::to_owned),
                status: None,
                input: input.map(str::to_owned),
                output: output.map(str::to_owned),
                error: None,
                title: None,
            }]
        };
        let call = tool(Some("bash"), Some(r#"{"command":"seq 3","description":"x"}"#), None);
        vec![
            said(MessageRole::User, 100, text("Print it.")),
            said(MessageRole::Assistant, 200, call),
            said(MessageRole::Tool, 300, tool(None, None, Some("1\n******\n3"))),
            said(MessageRole::Assistant, 400, text("Three rows.")),
        ]
    }

    #[test]
    fn a_prompt_is_there_when_its_message_is() {
        let check = |messages: usize, at: i64, text: &'static str, expected: bool| {
            let event = SessionEvent { told_at: Some(at), ..prompt(text) };
            assert_eq!(messages_have_event(&event, &log()[..messages]), expected, "{messages} {at} {text}");
        };
        check(0, 90, "Print it.", false);
        check(1, 90, "Print it.", true);
        check(1, 90, "Print that.", false);
        check(4, 900, "Print it.", false);
    }

    #[test]
    fn a_result_is_there_when_a_call_with_its_input_has_ended() {
        let check = |messages: usize, at: i64, input: &str, expected: bool| {
            let mut event = SessionEvent { told_at: Some(at), ..result("") };
            event.tool.input = Some(input.to_owned());
            assert_eq!(messages_have_event(&event, &log()[..messages]), expected, "{messages} {at} {input}");
        };
        let input = r#"{"description":"x","command":"seq 3"}"#;
        check(2, 250, input, false);
        check(3, 250, input, true);
        check(3, 250, &Value::from(input).to_string(), true);
        check(4, 250, r#"{"command":"seq 4"}"#, false);
        check(4, 900, input, false);
    }

    #[test]
    fn last_words_count_though_they_were_written_before_the_event() {
        let stop = |words: Option<&'static str>| SessionEvent {
            last_words: words,
            told_at: Some(900),
            ..event(EventKind::SubagentStop)
        };
        assert!(messages_have_event(&stop(Some("Three rows.")), &log()));
        assert!(!messages_have_event(&stop(Some("Four rows.")), &log()));
        assert!(messages_have_event(&stop(None), &log()));
    }
}
