//! Converts content parts of the Gemini API, which several agents write into transcripts unchanged, into our message
//! parts. No part is left out: one of unknown kind becomes a text part with its JSON.

use model::MessagePart;

use super::json::{JsonObject, RawJson};

/// The parts of a message's content: a string, one part, or a list of them.
pub(crate) fn parse_parts(content: RawJson<'_>) -> Vec<MessagePart> {
    let mut parts = Vec::new();
    match content.array() {
        Some(items) => items.into_iter().for_each(|item| add_item(item, &mut parts)),
        None => add_item(content, &mut parts),
    }
    parts
}

fn add_item(item: RawJson<'_>, parts: &mut Vec<MessagePart>) {
    let Some(fields) = item.object() else {
        let text = item.text_or_written();
        // An answer that is only tool calls has an empty text, which says nothing.
        if !text.is_empty() {
            parts.push(MessagePart::Text { text: text.into_owned() });
        }
        return;
    };
    if let Some(text) = fields.string("text") {
        parts.push(if fields.flag("thought") { MessagePart::Reasoning { text } } else { MessagePart::Text { text } });
    } else if let Some(data) = fields.object("inlineData") {
        let mime = data.string("mimeType");
        let kind = mime.as_deref().unwrap_or("application/octet-stream");
        let url = data.text("data").map(|base64| format!("data:{kind};base64,{base64}"));
        parts.push(MessagePart::File { url, name: data.string("displayName"), mime });
    } else if let Some(file) = fields.object("fileData") {
        let (mime, name) = (file.string("mimeType"), file.string("displayName"));
        parts.push(MessagePart::File { mime, name, url: file.string("fileUri") });
    } else if let Some(call) = fields.object("functionCall") {
        parts.push(MessagePart::Tool {
            call_id: call.string("id"),
            name: call.string("name"),
            status: None,
            input: call.field("args").map(|args| args.as_written().to_owned()),
            output: None,
            error: None,
            title: None,
        });
    } else if let Some(response) = fields.object("functionResponse") {
        let (output, error) = tool_outcome(&response);
        let (call_id, name) = (response.string("id"), response.string("name"));
        parts.push(MessagePart::Tool { call_id, name, status: None, input: None, output, error, title: None });
        // A tool may give images and documents besides its text.
        parts.append(&mut response.field("parts").map(self::parse_parts).unwrap_or_default());
    } else {
        parts.push(MessagePart::Text { text: item.as_written().to_owned() });
    }
}

/// What a tool gave back, or what went wrong.
fn tool_outcome(response: &JsonObject<'_>) -> (Option<String>, Option<String>) {
    let Some(verbatim) = response.field("response") else { return (None, None) };
    let fields = verbatim.object();
    let of = |name: &str| fields.as_ref().and_then(|fields| fields.string(name));
    match (of("output"), of("error")) {
        (None, Some(error)) => (None, Some(error)),
        // Tools of MCP servers put their result into fields of their own; their JSON is then the output.
        (output, _) => (Some(output.unwrap_or_else(|| verbatim.text_or_written().into_owned())), None),
    }
}
