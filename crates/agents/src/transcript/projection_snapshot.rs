//! Test helper: renders what a transcript reader makes of some lines (kind of each line, messages, head) as text for
//! snapshot tests.

use std::fmt::Write;

use model::{LineKind, MessagePart, ProjectedMessage, Projection, TranscriptDescent};

/// Feeds the lines, pauses, and shows what each line was, the messages and the head.
pub(crate) fn render_projection(projection: &mut dyn Projection, lines: &str) -> String {
    let mut text = String::new();
    let mut messages = Vec::new();
    for (number, line) in lines.split_terminator('\n').enumerate() {
        let projected = projection.feed_line(line.as_bytes());
        writeln!(text, "{number} {}", render_kind(&projected.kind)).expect("a string");
        messages.extend(projected.messages);
    }
    messages.extend(projection.pause());
    for message in &messages {
        render_message(message, &mut text);
    }
    let head = projection.head();
    let descent = match &head.descent {
        Some(TranscriptDescent::Fork { of }) => format!(" fork of {of}"),
        Some(TranscriptDescent::Subagent { of }) => format!(" subagent of {of}"),
        None => String::new(),
    };
    let word = |field: &Option<String>| field.clone().unwrap_or_else(|| "-".to_owned());
    let (title, directory) = (word(&head.title), word(&head.project_dir));
    writeln!(text, "= {} {} «{title}» in {directory}{descent}", head.agent, head.conversation).expect("a string");
    text
}

fn render_kind(kind: &LineKind) -> String {
    match kind {
        LineKind::Message => "message".to_owned(),
        LineKind::Repeat { of } => format!("repeat of {of}"),
        LineKind::Event(name) => format!("event {name}"),
        LineKind::Unknown(name) => format!("unknown {name}"),
        LineKind::Malformed(why) => format!("malformed: {why}"),
        LineKind::Blank => "blank".to_owned(),
    }
}

fn render_message(projected: &ProjectedMessage, text: &mut String) {
    let message = &projected.message;
    let mut head = format!("# {} {}", message.external_id.as_deref().unwrap_or("-"), message.role.as_str());
    let notes = [
        ("by", &message.speaker),
        ("under", &projected.parent),
        ("thread", &projected.thread),
        ("continues", &projected.continues),
    ];
    for (word, value) in notes {
        head.push_str(&value.as_ref().map(|value| format!(" {word} {value}")).unwrap_or_default());
    }
    writeln!(text, "{head} {:?}", projected.lines).expect("a string");
    for (place, part) in message.parts.iter().enumerate() {
        let mark = message.part_marks.get(place);
        let said = |is: Option<bool>, word: &'static str| if is == Some(true) { word } else { "" };
        let ignored = said(mark.and_then(|mark| mark.is_ignored), " (ignored)");
        let synthetic = said(mark.and_then(|mark| mark.is_synthetic), " (synthetic)");
        writeln!(text, "    {}{ignored}{synthetic}", show_part(part)).expect("a string");
    }
}

fn show_part(part: &MessagePart) -> String {
    let fields = |fields: &[(&str, &Option<String>)]| {
        let one = |(name, value): &(&str, &Option<String>)| value.as_ref().map(|value| format!(" {name}={value:?}"));
        fields.iter().filter_map(one).collect::<String>()
    };
    match part {
        MessagePart::Text { text } => format!("text {text:?}"),
        MessagePart::Reasoning { text } => format!("reasoning {text:?}"),
        MessagePart::Tool { call_id, name, status, input, output, error, title } => {
            let written = [("id", call_id), ("name", name), ("status", status), ("title", title), ("output", output)];
            let input = input.as_ref().map(|input| format!(" input={input}")).unwrap_or_default();
            format!("tool{}{}{input}", fields(&written), fields(&[("error", error)]))
        }
        MessagePart::File { mime, name, url } => {
            format!("file{}", fields(&[("mime", mime), ("name", name), ("url", url)]))
        }
        MessagePart::Patch { .. }
        | MessagePart::Subtask { .. }
        | MessagePart::Compaction { .. }
        | MessagePart::StepStart
        | MessagePart::StepFinish { .. }
        | MessagePart::Snapshot { .. }
        | MessagePart::Agent { .. }
        | MessagePart::Retry { .. } => format!("{part:?}"),
    }
}
