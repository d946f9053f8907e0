//! What holds for every format and any lines: nothing panics, nothing that was said is lost, every message says where
//! it comes from, and a projection can be brought back.

use std::collections::HashSet;
use std::path::Path;

use agents::FORMATS;
use model::{LineKind, ProjectedMessage, Projection};
use proptest::collection::vec;
use proptest::prelude::*;

/// A line of a format: which kind, about which message, under which parent, saying a word that no other line says.
#[derive(Clone, Debug)]
struct Drawn {
    kind: u8,
    id: u8,
    parent: u8,
    pause: bool,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    (any::<u8>(), 0..6u8, 0..6u8, prop::bool::weighted(0.2)).prop_map(|(kind, id, parent, pause)| Drawn {
        kind,
        id,
        parent,
        pause,
    })
}

fn line(format: &str, drawn: &Drawn, word: &str) -> String {
    let Drawn { kind, id, parent, .. } = drawn;
    match (format, kind % 8) {
        ("claude-code", 0 | 1) => format!(
            r#"{{"type":"assistant","uuid":"a{word}","parentUuid":"u{parent}","sessionId":"s","message":{{"id":"msg{id}","role":"assistant","content":[{{"type":"text","text":"{word}"}}],"usage":{{"input_tokens":9,"output_tokens":{id}}}}}}}"#
        ),
        ("claude-code", 2) => format!(
            r#"{{"type":"assistant","uuid":"u{id}","parentUuid":"a{parent}","isSidechain":true,"sessionId":"s","message":{{"id":"msg{parent}","role":"assistant","content":[{{"type":"tool_use","id":"t","name":"x","input":{{"w":"{word}"}}}}]}}}}"#
        ),
        ("claude-code", 3) => format!(
            r#"{{"type":"user","uuid":"u{id}","parentUuid":"u{parent}","sessionId":"s","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":"{word}"}}]}}}}"#
        ),
        ("claude-code", 4) => format!(r#"{{"type":"progress","uuid":"u{id}","parentUuid":"u{parent}"}}"#),
        ("claude-code", 5) => {
            format!(r#"{{"type":"attachment","uuid":"u{id}","attachment":{{"type":"file","content":"{word}"}}}}"#)
        }
        ("claude-code", _) => format!(
            r#"{{"type":"user","uuid":"u{id}","parentUuid":"u{parent}","sessionId":"s","message":{{"role":"user","content":"{word}"}}}}"#
        ),
        ("codex", 0) => format!(
            r#"{{"type":"event_msg","payload":{{"type":"token_count","info":{{"total_token_usage":{{"total_tokens":{id}}},"last_token_usage":{{"input_tokens":1,"output_tokens":1}}}}}}}}"#
        ),
        ("codex", 1) => format!(r#"{{"type":"event_msg","payload":{{"type":"thread_rolled_back","num_turns":{id}}}}}"#),
        ("codex", 2) => format!(
            r#"{{"type":"response_item","payload":{{"type":"function_call_output","call_id":"c{id}","output":"{word}"}}}}"#
        ),
        ("codex", 3 | 4) => format!(
            r#"{{"type":"response_item","payload":{{"type":"function_call","call_id":"c{id}","name":"x","arguments":"{word}"}}}}"#
        ),
        ("codex", _) => format!(
            r#"{{"type":"response_item","payload":{{"type":"message","role":"user","id":"m{id}","content":[{{"type":"input_text","text":"{word}"}}]}}}}"#
        ),
        ("gemini-cli", 0) => format!(r#"{{"$rewindTo":"m{id}"}}"#),
        ("gemini-cli", 1) => {
            format!(r#"{{"$set":{{"messages":[{{"id":"n{word}","type":"user","content":"{word}"}}]}}}}"#)
        }
        ("gemini-cli", 2 | 3) => format!(
            r#"{{"id":"m{id}","type":"gemini","content":"c","toolCalls":[{{"id":"t","name":"x","args":{{}},"result":"{word}"}}]}}"#
        ),
        ("gemini-cli", _) => format!(r#"{{"id":"m{id}","type":"gemini","content":[{{"text":"{word}"}}]}}"#),
        ("opencode", 0 | 1) => {
            format!(
                r#"{{"table":"message","id":"m{id}","data":{{"role":"user","parentID":"m{parent}","n":"{word}"}}}}"#
            )
        }
        ("opencode", 2) => {
            format!(r#"{{"table":"session_message","id":"e{id}","type":"user","data":{{"text":"{word}"}}}}"#)
        }
        ("opencode", _) => format!(
            r#"{{"table":"part","id":"p{kind}","message_id":"m{id}","data":{{"type":"text","text":"{word}"}}}}"#
        ),
        ("antigravity", 0) => format!(r#"{{"step_index":{id},"source":"SYSTEM","type":"CHECKPOINT"}}"#),
        ("antigravity", 1 | 2) => {
            format!(r#"{{"step_index":{id},"source":"MODEL","type":"RUN_COMMAND","content":"{word}"}}"#)
        }
        ("antigravity", _) => {
            format!(r#"{{"step_index":{id},"source":"USER_EXPLICIT","type":"USER_INPUT","content":"{word}"}}"#)
        }
        ("cursor", _) => format!(r#"{{"table":"bubble","id":"b{id}","data":{{"type":2,"text":"{word}"}}}}"#),
        ("plain", 0 | 1) => format!(r#"{{"role":"user","id":"m{id}","content":"{word}"}}"#),
        ("plain", 2) => format!(r#"[{{"role":"user","content":"{word}"}},{{"role":"user","content":"yes"}}]"#),
        ("plain", _) => format!(r#"{{"role":"assistant","content":[{{"type":"text","text":"{word}"}}]}}"#),
        _ => line_of_others(format, drawn, word),
    }
}

fn line_of_others(format: &str, drawn: &Drawn, word: &str) -> String {
    let Drawn { kind, id, parent, .. } = drawn;
    match (format, kind % 8) {
        ("qwen-code", 0) => {
            format!(r#"{{"type":"system","subtype":"rewind","uuid":"u{id}","parentUuid":"u{parent}"}}"#)
        }
        ("qwen-code", 1 | 2) => format!(
            r#"{{"type":"tool_result","uuid":"u{id}","parentUuid":"u{parent}","sessionId":"s","message":{{"parts":[{{"functionResponse":{{"id":"c","response":{{"output":"{word}"}}}}}}]}}}}"#
        ),
        ("qwen-code", 3) => format!(
            r#"{{"type":"user","uuid":"u{id}","parentUuid":"u{parent}","sessionId":"s","message":{{"parts":[{{"text":"<system-reminder>{word}</system-reminder>go on"}}]}}}}"#
        ),
        ("qwen-code", _) => format!(
            r#"{{"type":"assistant","uuid":"u{id}","parentUuid":"u{parent}","sessionId":"s","message":{{"parts":[{{"text":"{word}"}}]}}}}"#
        ),
        ("copilot-cli", 0) => {
            format!(r#"{{"type":"hook.end","id":"e{id}","parentId":"e{parent}","timestamp":"t","data":{{}}}}"#)
        }
        ("copilot-cli", 1 | 2) => format!(
            r#"{{"type":"tool.execution_complete","id":"e{id}","parentId":"e{parent}","agentId":"a","data":{{"toolCallId":"c","success":true,"result":{{"content":"{word}"}}}}}}"#
        ),
        ("copilot-cli", _) => {
            format!(r#"{{"type":"user.message","id":"e{id}","parentId":"e{parent}","data":{{"content":"{word}"}}}}"#)
        }
        ("pi", 0) => format!(r#"{{"type":"label","id":"e{id}","parentId":"e{parent}"}}"#),
        ("pi", 1) => format!(r#"{{"type":"compaction","id":"e{id}","parentId":"e{parent}","summary":"{word}"}}"#),
        ("pi", _) => format!(
            r#"{{"type":"message","id":"e{id}","parentId":"e{parent}","message":{{"role":"assistant","content":[{{"type":"toolCall","id":"c","name":"x","arguments":{{"w":"{word}"}}}}]}}}}"#
        ),
        ("droid", 0) => r#"{"type":"session_start","id":"s"}"#.to_owned(),
        ("droid", _) => format!(
            r#"{{"type":"message","id":"m{id}","parentId":"m{parent}","message":{{"role":"user","content":[{{"type":"text","text":"{word}"}}]}}}}"#
        ),
        ("goose", 0) => r#"{"table":"goose_session","id":"s"}"#.to_owned(),
        ("goose", 1 | 2) => format!(
            r#"{{"table":"goose_message","message_id":"m{id}","role":"user","content_json":[{{"type":"toolResponse","id":"c","toolResult":{{"status":"success","value":{{"content":[{{"type":"text","text":"{word}"}}]}}}}}}]}}"#
        ),
        ("goose", _) => format!(
            r#"{{"table":"goose_message","message_id":"m{id}","role":"user","content_json":[{{"type":"text","text":"{word}"}}]}}"#
        ),
        ("cline", _) => format!(
            r#"{{"sessionId":"s","messages":[{{"id":"m{id}","role":"user","content":[{{"type":"text","text":"{word}"}}]}}]}}"#
        ),
        ("kiro", 0) => r#"{"version":"v1","kind":"Clear","data":null}"#.to_owned(),
        ("kiro", 1 | 2) => format!(
            r#"{{"version":"v1","kind":"ToolResults","data":{{"message_id":"m{id}","content":[{{"kind":"toolResult","data":{{"toolUseId":"c","content":[{{"kind":"text","data":"{word}"}}]}}}}]}}}}"#
        ),
        ("kiro", _) => format!(
            r#"{{"version":"v1","kind":"Prompt","data":{{"message_id":"m{id}","content":[{{"kind":"text","data":"{word}"}}]}}}}"#
        ),
        ("kimi-cli", 0) => format!(r#"{{"role":"_checkpoint","id":{id}}}"#),
        ("kimi-cli", 1) => format!(r#"{{"role":"user","content":"<system>{word}</system>"}}"#),
        ("kimi-cli", _) => format!(r#"{{"role":"user","content":[{{"type":"text","text":"{word}"}}]}}"#),
        ("kimi-code", 0) => r#"{"type":"context.clear","time":1}"#.to_owned(),
        ("kimi-code", 1 | 2) => format!(
            r#"{{"type":"context.append_loop_event","event":{{"type":"tool.result","toolCallId":"t{id}","result":{{"output":"{word}"}}}}}}"#
        ),
        ("kimi-code", _) => format!(
            r#"{{"type":"context.append_message","message":{{"role":"user","id":"m{id}","content":[{{"type":"text","text":"{word}"}}],"origin":{{"kind":"user"}}}}}}"#
        ),
        ("swe-agent", _) => {
            format!(r#"{{"trajectory":[],"history":[{{"role":"assistant","content":"{word}"}}]}}"#)
        }
        ("aider", 0) => format!("# aider chat started at 2026-05-22 07:02:2{id}"),
        ("aider", 1 | 2) => format!("> {word}  "),
        ("aider", 3 | 4) => format!("#### {word}  "),
        ("aider", _) => word.to_owned(),
        _ => panic!("there are no lines of {format}"),
    }
}

/// Words that no other word is the beginning of.
fn word(number: usize) -> String {
    format!("w{number}z")
}

/// Feeds lines with pauses after some; the kinds, and the messages.
fn feed(projection: &mut dyn Projection, lines: &[(String, bool)]) -> (Vec<LineKind>, Vec<ProjectedMessage>) {
    let mut kinds = Vec::new();
    let mut messages = Vec::new();
    for (line, pause) in lines {
        let projected = projection.feed_line(line.as_bytes());
        kinds.push(projected.kind);
        messages.extend(projected.messages);
        if *pause {
            messages.extend(projection.pause());
        }
    }
    (kinds, messages)
}

fn lines(format: &str, drawn: &[Drawn]) -> Vec<(String, bool)> {
    let line = |(number, drawn): (usize, &Drawn)| (line(format, drawn, &word(number)), drawn.pause);
    drawn.iter().enumerate().map(line).collect()
}

proptest! {
    #[test]
    fn nothing_that_was_said_is_lost_and_every_message_says_where_it_comes_from(drawn in vec(drawn(), 0..40)) {
        for format in FORMATS {
            let lines = lines(format.name, &drawn);
            let mut projection = format.build_projection(Path::new("transcript"));
            let (kinds, mut messages) = feed(projection.as_mut(), &lines);
            messages.extend(projection.pause());
            let mut known: HashSet<&str> = HashSet::new();
            for given in &messages {
                prop_assert!(!given.lines.is_empty() && !given.message.parts.is_empty());
                prop_assert!(given.lines.is_sorted_by(|a, b| a < b));
                for above in [&given.parent, &given.continues].into_iter().flatten() {
                    prop_assert!(known.contains(above.as_str()), "{}: {above} comes later", format.name);
                }
                let name = given.message.external_id.as_deref().expect("a name");
                prop_assert!(known.insert(name), "{}: two messages are {name}", format.name);
            }
            let told: HashSet<u64> = messages.iter().flat_map(|given| given.lines.iter().copied()).collect();
            for (number, kind) in kinds.iter().enumerate() {
                match kind {
                    LineKind::Message => {
                        prop_assert!(told.contains(&(number as u64)), "{}: line {number} is in no message", format.name);
                        let said = word(number);
                        let says = |given: &&ProjectedMessage| given.message.content().contains(&said);
                        let has_word = lines[number].0.contains(&said);
                        prop_assert!(!has_word || messages.iter().any(|given| says(&given)), "{}: {said}", format.name);
                    }
                    LineKind::Repeat { of } => prop_assert!(known.contains(of.as_str())),
                    LineKind::Event(_) => {}
                    LineKind::Unknown(_) | LineKind::Malformed(_) | LineKind::Blank => {
                        prop_assert!(false, "{}: {kind:?}", format.name);
                    }
                }
            }
        }
    }

    #[test]
    fn a_projection_is_brought_back_by_its_lines_and_its_last_pause(drawn in vec(drawn(), 1..40), cut in 0..40usize) {
        for format in FORMATS {
            let lines = lines(format.name, &drawn);
            let (before, after) = lines.split_at(cut.min(lines.len()));
            let mut first = format.build_projection(Path::new("transcript"));
            feed(first.as_mut(), before);
            first.pause();
            let mut again = format.build_projection(Path::new("transcript"));
            for (line, _) in before {
                again.feed_line(line.as_bytes());
            }
            again.pause();
            prop_assert_eq!(feed(first.as_mut(), after), feed(again.as_mut(), after), "{}", format.name);
            prop_assert_eq!(first.pause(), again.pause());
            prop_assert_eq!(first.head(), again.head());
        }
    }

    #[test]
    fn damaged_lines_harm_no_other_line(drawn in vec(drawn(), 1..20), at in any::<prop::sample::Index>(), bytes in vec(any::<u8>(), 0..40)) {
        for format in FORMATS {
            let mut projection = format.build_projection(Path::new("transcript"));
            for (line, pause) in lines(format.name, &drawn) {
                let mut damaged = line.clone().into_bytes();
                let place = at.index(damaged.len());
                damaged.splice(place.., bytes.iter().copied());
                let projected = projection.feed_line(&damaged);
                for given in &projected.messages {
                    prop_assert!(!given.lines.is_empty() && !given.message.parts.is_empty());
                }
                if pause {
                    projection.pause();
                }
            }
            let sound = projection.feed_line(line(format.name, &Drawn { kind: 7, id: 9, parent: 9, pause: false }, "sound").as_bytes());
            prop_assert_eq!(sound.kind, LineKind::Message);
        }
    }

    #[test]
    fn any_bytes_are_a_line(lines in vec(vec(any::<u8>(), 0..60), 0..10)) {
        agents::recognise_format(Path::new("x.jsonl"), &lines.concat());
        for format in FORMATS {
            let mut projection = format.build_projection(Path::new("transcript"));
            for line in &lines {
                projection.feed_line(line);
            }
            projection.pause();
        }
    }
}
