//! Parses one JSON line of a Claude Code transcript into a `LineMessage`: its role, its parts, and whether a person,
//! the model or the program is the author. A line that says nothing gets the name of an event instead.

use std::borrow::Cow;

use model::{MessagePart, MessageRole};

use super::author::{author_of_queued, find_author};
use super::usage::ApiResponse;
use crate::transcript::author::Author;
use crate::transcript::blocks;
use crate::transcript::json::{JsonObject, RawJson};

pub(super) struct LineMessage<'a> {
    pub(super) author: Author,
    pub(super) parts: Vec<MessagePart>,
    /// The answer of the API that it is a piece of.
    pub(super) response: Option<ApiResponse>,
    /// The JSON it was read from: equal for two lines with the same content.
    pub(super) verbatim: &'a str,
}

impl LineMessage<'_> {
    /// The same, said by the program.
    pub(super) fn by_program(self) -> Self {
        let author = match self.author {
            Author::Summary(_) | Author::Host(_) => self.author,
            Author::Person | Author::Model | Author::Tool => Author::Host(self.author.role()),
        };
        Self { author, ..self }
    }
}

/// Attachments in which the program tells the model about itself.
const PROGRAM_ATTACHMENTS: [&str; 2] = ["skill_listing", "model"];

/// What a line says, if it says something.
pub(super) fn parse_line<'a>(kind: &str, record: &JsonObject<'a>) -> Option<LineMessage<'a>> {
    match kind {
        "system" => parse_system(record),
        "attachment" => parse_attachment(record),
        _ => parse_message(kind, record),
    }
}

/// The name of a line's kind that says nothing, with its finer kind.
pub(super) fn event_name(kind: &str, record: &JsonObject<'_>) -> String {
    let finer = match kind {
        "system" => record.text("subtype"),
        "attachment" => record.object("attachment").and_then(|attachment| attachment.text("type")),
        _ => Some(Cow::Borrowed("empty")),
    };
    finer.map_or_else(|| kind.to_owned(), |finer| format!("{kind} {finer}"))
}

fn parse_message<'a>(kind: &str, record: &JsonObject<'a>) -> Option<LineMessage<'a>> {
    let verbatim = record.field("message")?;
    let message = verbatim.object()?;
    // Some versions leave the role out of the message, and then the kind of the line is the role.
    let role = message.text("role").and_then(|role| MessageRole::parse(&role)).or_else(|| MessageRole::parse(kind))?;
    let mut parts = blocks::parse_parts(message.field("content")?);
    // Our own texts are taken out of prompts and results only: a model that quotes us said it itself.
    if role != MessageRole::Assistant {
        parts = blocks::remove_own(parts);
    }
    if let Some(patch) = patch_part(record) {
        parts.push(patch);
    }
    if parts.is_empty() {
        return None;
    }
    let (role, response) = match role {
        MessageRole::Assistant => (role, ApiResponse::from_record(record, &message)),
        // The API calls results `user` messages, but no user wrote them.
        MessageRole::User if blocks::are_results(&parts) => (MessageRole::Tool, None),
        MessageRole::User | MessageRole::System | MessageRole::Tool => (role, None),
    };
    Some(LineMessage { author: find_author(role, record, &parts), parts, response, verbatim: verbatim.as_written() })
}

/// Which file a tool changed is only in the result's structured form.
fn patch_part(record: &JsonObject<'_>) -> Option<MessagePart> {
    let result = record.object("toolUseResult")?;
    result.field("structuredPatch")?;
    Some(MessagePart::Patch { hash: None, files: vec![result.string("filePath")?] })
}

fn parse_system<'a>(record: &JsonObject<'a>) -> Option<LineMessage<'a>> {
    let content = record.field("content");
    let text = content.and_then(RawJson::text).filter(|text| !text.is_empty());
    let subtype = record.text("subtype").unwrap_or_default();
    let mut parts = Vec::new();
    // A compaction and a microcompaction both end with a boundary; their metadata have different names.
    if subtype.ends_with("compact_boundary") {
        let metadata = record.object("compactMetadata").or_else(|| record.object("microcompactMetadata"));
        let trigger = metadata.and_then(|metadata| metadata.string("trigger"));
        parts.push(MessagePart::Compaction { auto: trigger.as_deref() == Some("auto") });
    }
    // A failed call of the API that Claude Code repeats is one line of the kind `system`.
    let error = record.field("error").filter(|_| subtype == "api_error");
    if let Some(error) = error {
        let message = error.object().and_then(|error| error.string("message"));
        parts.push(MessagePart::Retry { error: Some(message.unwrap_or_else(|| error.text_or_written().into_owned())) });
    }
    parts.extend(text.map(|text| MessagePart::Text { text: text.into_owned() }));
    let verbatim = content.or(error).map_or("", RawJson::as_written);
    program_message(parts, verbatim)
}

/// What the program added to the conversation by itself: a file that was named, a hook's words, a prompt that waited.
fn parse_attachment<'a>(record: &JsonObject<'a>) -> Option<LineMessage<'a>> {
    let verbatim = record.field("attachment")?;
    let attachment = verbatim.object()?;
    // A prompt that the user typed while the model was at work is written as an attachment.
    if attachment.text("type").as_deref() == Some("queued_command") {
        let parts = blocks::remove_own(blocks::parse_parts(attachment.field("prompt")?));
        let author = author_of_queued(&attachment, &parts);
        let said = LineMessage { author, parts, response: None, verbatim: verbatim.as_written() };
        return (!said.parts.is_empty()).then_some(said);
    }
    let kind = attachment.text("type").unwrap_or_default();
    // Lists of skills and the model's name are the program's own state, and would fill every search.
    if PROGRAM_ATTACHMENTS.contains(&&*kind) {
        return None;
    }
    // Each kind of attachment has its text under another name.
    let text = ["content", "snippet", "text"].iter().find_map(|name| attached_text(attachment.field(name)?))?;
    let name = ["filename", "path", "displayPath"].iter().find_map(|name| attachment.string(name));
    let file = name.map(|name| MessagePart::File { mime: None, name: Some(name), url: None });
    let parts = file.into_iter().chain([MessagePart::Text { text }]).collect();
    program_message(parts, verbatim.as_written())
}

/// Attached content comes as a string, as several, or as a file with its content one level down.
fn attached_text(content: RawJson<'_>) -> Option<String> {
    let text = if let Some(items) = content.array() {
        items.into_iter().filter_map(RawJson::text).collect::<Vec<_>>().join("\n")
    } else if let Some(fields) = content.object() {
        let inner = fields.object("file").unwrap_or(fields);
        inner.string("content")?
    } else {
        content.text()?.into_owned()
    };
    (!text.is_empty()).then_some(text)
}

fn program_message(parts: Vec<MessagePart>, verbatim: &str) -> Option<LineMessage<'_>> {
    let author = Author::Host(MessageRole::System);
    let parts = blocks::remove_own(parts);
    (!parts.is_empty()).then_some(LineMessage { author, parts, response: None, verbatim })
}
