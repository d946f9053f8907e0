//! What one recorded message says: text, thoughts, tool calls with their results, tokens.

use model::{Part, Role, SPEAKER_PROGRAM};

use super::super::blocks;
use super::super::json::{Json, Object};

pub(super) struct Said {
    pub(super) role: Role,
    pub(super) speaker: Option<&'static str>,
    pub(super) parts: Vec<Part>,
}

/// What the program writes in the user's place at the beginning of a session opens with this.
const PROGRAM_OPENING: &str = "<session_context>";

impl Said {
    /// Reads a record; `None` when it says nothing.
    pub(super) fn read(record: &Object<'_>) -> Option<Self> {
        let (role, speaker) = match record.text("type").unwrap_or_default().as_ref() {
            "user" => (Role::User, None),
            "gemini" => (Role::Assistant, None),
            _ => (Role::System, Some(SPEAKER_PROGRAM)),
        };
        let mut parts: Vec<Part> = record.array("thoughts").into_iter().flatten().map(thought).collect();
        if let Some(content) = record.field("content") {
            match content.array() {
                Some(items) => items.into_iter().for_each(|item| add(item, &mut parts)),
                None => add(content, &mut parts),
            }
        }
        for call in record.array("toolCalls").into_iter().flatten() {
            tool(call, &mut parts);
        }
        parts.extend(record.object("tokens").map(|tokens| finish(&tokens)));
        if role == Role::User {
            parts = blocks::remove_own(parts);
        }
        let opens = matches!(parts.first(), Some(Part::Text { text }) if text.starts_with(PROGRAM_OPENING));
        let speaker = speaker.or((role == Role::User && opens).then_some(SPEAKER_PROGRAM));
        (!parts.is_empty()).then_some(Self { role, speaker, parts })
    }
}

/// One part of content, as the API has it.
fn add(item: Json<'_>, parts: &mut Vec<Part>) {
    let Some(fields) = item.object() else {
        let text = item.text_or_written();
        // An answer that is only tool calls has the empty text.
        if !text.is_empty() {
            parts.push(Part::Text { text: text.into_owned() });
        }
        return;
    };
    if let Some(text) = fields.string("text") {
        parts.push(if fields.flag("thought") { Part::Reasoning { text } } else { Part::Text { text } });
    } else if let Some(data) = fields.object("inlineData") {
        let mime = data.string("mimeType");
        let kind = mime.as_deref().unwrap_or("application/octet-stream");
        let url = data.text("data").map(|base64| format!("data:{kind};base64,{base64}"));
        parts.push(Part::File { url, name: data.string("displayName"), mime });
    } else if let Some(file) = fields.object("fileData") {
        let (mime, name) = (file.string("mimeType"), file.string("displayName"));
        parts.push(Part::File { mime, name, url: file.string("fileUri") });
    } else if let Some(call) = fields.object("functionCall") {
        parts.push(Part::Tool {
            call_id: call.string("id"),
            name: call.string("name"),
            status: None,
            input: call.field("args").map(|args| args.as_written().to_owned()),
            output: None,
            error: None,
            title: None,
        });
    } else if let Some(response) = fields.object("functionResponse") {
        let (output, error) = outcome(&response);
        let (call_id, name) = (response.string("id"), response.string("name"));
        parts.push(Part::Tool { call_id, name, status: None, input: None, output, error, title: None });
    } else {
        parts.push(Part::Text { text: item.as_written().to_owned() });
    }
}

fn thought(thought: Json<'_>) -> Part {
    let fields = thought.object();
    let of = |name: &str| fields.as_ref().and_then(|fields| fields.string(name)).filter(|text| !text.is_empty());
    let texts: Vec<String> = [of("subject"), of("description")].into_iter().flatten().collect();
    let text = if texts.is_empty() { thought.text_or_written().into_owned() } else { texts.join("\n") };
    Part::Reasoning { text }
}

/// A call with what came of it. The result is content again: the first response is the tool's, the rest came with it.
fn tool(call: Json<'_>, parts: &mut Vec<Part>) {
    let Some(fields) = call.object() else {
        return parts.push(Part::Text { text: call.text_or_written().into_owned() });
    };
    let mut results = Vec::new();
    if let Some(result) = fields.field("result") {
        match result.array() {
            Some(items) => items.into_iter().for_each(|item| add(item, &mut results)),
            None => add(result, &mut results),
        }
    }
    let at = results.iter().position(|part| matches!(part, Part::Tool { .. } | Part::Text { .. }));
    let (output, error) = match at.map(|at| results.remove(at)) {
        Some(Part::Tool { output, error, .. }) => (output, error),
        Some(Part::Text { text }) => (Some(text), None),
        _ => (None, None),
    };
    parts.push(Part::Tool {
        call_id: fields.string("id"),
        name: fields.string("name"),
        status: fields.string("status"),
        input: fields.field("args").map(|args| args.as_written().to_owned()),
        output,
        error,
        title: fields.string("displayName"),
    });
    parts.append(&mut results);
}

/// What a tool gave back, or what went wrong.
fn outcome(response: &Object<'_>) -> (Option<String>, Option<String>) {
    let Some(verbatim) = response.field("response") else { return (None, None) };
    let fields = verbatim.object();
    let of = |name: &str| fields.as_ref().and_then(|fields| fields.string(name));
    match (of("output"), of("error")) {
        (None, Some(error)) => (None, Some(error)),
        (output, _) => (Some(output.unwrap_or_else(|| verbatim.text_or_written().into_owned())), None),
    }
}

fn finish(tokens: &Object<'_>) -> Part {
    let written = tokens.count("output").map(|output| output.saturating_add(tokens.count("thoughts").unwrap_or(0)));
    Part::StepFinish { reason: None, cost_micros: None, tokens_in: tokens.count("input"), tokens_out: written }
}
