//! Converts content blocks of the Anthropic and OpenAI APIs, which agents write into transcripts unchanged, into
//! message parts. No block is left out: one of unknown kind becomes a text part with its JSON.

use std::borrow::Cow;

use model::{MessagePart, remove_injected, remove_wrapped};

use super::json::{JsonObject, RawJson};

/// The parts of a message's content: a string, or a list of blocks.
pub(crate) fn parse_parts(content: RawJson<'_>) -> Vec<MessagePart> {
    let mut parts = Vec::new();
    match content.array() {
        Some(blocks) => blocks.into_iter().for_each(|block| add_block(block, &mut parts)),
        None => parts.push(MessagePart::Text { text: content.text_or_written().into_owned() }),
    }
    parts
}

/// The parts without the texts that we ourselves gave the agent.
pub(crate) fn remove_own(parts: Vec<MessagePart>) -> Vec<MessagePart> {
    let keep = |part: MessagePart| {
        let MessagePart::Text { text } = part else { return Some(part) };
        // A text that we put into the prompt ourselves must not come back as words of the user.
        let Cow::Owned(kept) = remove_injected(&text) else { return Some(MessagePart::Text { text }) };
        (!kept.trim().is_empty()).then(|| MessagePart::Text { text: kept.trim_start().to_owned() })
    };
    parts.into_iter().filter_map(keep).collect()
}

/// Takes out of results what hosts put behind them for us. What a tool itself gave, perhaps a file that holds such a text,
/// stays as it is.
pub(crate) fn remove_hooked(parts: &mut [MessagePart]) {
    for part in parts {
        let MessagePart::Tool { output, error, .. } = part else { continue };
        for text in [output, error].into_iter().flatten() {
            // Only what a host wrapped for a hook goes: a tool may have read a file that contains our mark.
            if let Cow::Owned(kept) = remove_wrapped(text) {
                *text = kept;
            }
        }
    }
}

/// Whether all parts are results of tools, or what came with them.
pub(crate) fn are_results(parts: &[MessagePart]) -> bool {
    let is_result = |part: &MessagePart| matches!(part, MessagePart::Tool { output, error, .. } if output.is_some() || error.is_some());
    // At least one result, because a message of files alone is a prompt with attachments.
    parts.iter().any(is_result)
        && parts
            .iter()
            .all(|part| is_result(part) || matches!(part, MessagePart::File { .. } | MessagePart::Patch { .. }))
}

/// Adds the parts of one block.
pub(crate) fn add_block(block: RawJson<'_>, parts: &mut Vec<MessagePart>) {
    let verbatim = || MessagePart::Text { text: block.text_or_written().into_owned() };
    let Some(fields) = block.object() else { return parts.push(verbatim()) };
    let kind = fields.text("type").unwrap_or_default();
    match kind.as_ref() {
        "text" | "input_text" | "output_text" => {
            parts.push(fields.string("text").map_or_else(verbatim, |text| MessagePart::Text { text }));
        }
        "thinking" => {
            parts.push(fields.string("thinking").map_or_else(verbatim, |text| MessagePart::Reasoning { text }));
        }
        "think" => parts.push(fields.string("think").map_or_else(verbatim, |text| MessagePart::Reasoning { text })),
        // The vendor encrypts these thoughts; the empty part keeps the fact that there was one.
        "redacted_thinking" => parts.push(MessagePart::Reasoning { text: String::new() }),
        "tool_use" | "server_tool_use" | "mcp_tool_use" => parts.push(call_part(&fields)),
        "image" | "document" => add_file(&fields, parts),
        "image_url" | "input_image" => parts.push(image_address(&fields)),
        // Vendors prefix it with the tool's family: `web_search_tool_result`, `mcp_tool_result`.
        kind if kind.ends_with("tool_result") => add_result(&fields, parts),
        // A kind of a later API version is kept as its JSON: nothing is dropped, and search still finds it.
        _ => parts.push(verbatim()),
    }
}

fn call_part(block: &JsonObject<'_>) -> MessagePart {
    MessagePart::Tool {
        call_id: block.string("id"),
        name: block.string("name"),
        status: None,
        input: block.field("input").map(|input| input.as_written().to_owned()),
        output: None,
        error: None,
        title: None,
    }
}

fn add_result(block: &JsonObject<'_>, parts: &mut Vec<MessagePart>) {
    let mut files = Vec::new();
    let text = block.field("content").map_or_else(String::new, |content| result_text(content, &mut files));
    let failed = block.flag("is_error");
    parts.push(MessagePart::Tool {
        call_id: block.string("tool_use_id"),
        name: None,
        status: failed.then(|| "error".to_owned()),
        input: None,
        // A failure is stored as an error only, so that no reader takes its text for output.
        output: (!failed).then(|| text.clone()),
        error: failed.then_some(text),
        title: None,
    });
    parts.append(&mut files);
}

/// A result's text: its text blocks one below the other, everything else that is no file as its JSON.
pub(crate) fn result_text(content: RawJson<'_>, files: &mut Vec<MessagePart>) -> String {
    let Some(blocks) = content.array() else { return content.text_or_written().into_owned() };
    let mut texts: Vec<Cow<'_, str>> = Vec::new();
    for block in blocks {
        let fields = block.object();
        let kind = fields.as_ref().and_then(|fields| fields.text("type")).unwrap_or_default();
        match (&fields, kind.as_ref()) {
            (Some(fields), "text" | "input_text" | "output_text") => {
                texts.push(fields.text("text").unwrap_or_else(|| block.text_or_written()));
            }
            (Some(fields), "image" | "document") => add_file(fields, files),
            (Some(fields), "image_url" | "input_image") => files.push(image_address(fields)),
            _ => texts.push(block.text_or_written()),
        }
    }
    texts.join("\n")
}

/// An image or a document: where it lies, or the file itself as a `data:` address with the base64 as it was.
fn add_file(block: &JsonObject<'_>, parts: &mut Vec<MessagePart>) {
    let source = block.object("source");
    let of = |name: &str| source.as_ref().and_then(|source| source.text(name));
    let mime = of("media_type");
    let base64 = || {
        let data = of("data")?;
        Some(format!("data:{};base64,{data}", mime.as_deref().unwrap_or("application/octet-stream")))
    };
    // A document of plain text has its words in `data`, which search should find.
    let (url, text) = match of("type").unwrap_or_default().as_ref() {
        "text" => (None, of("data")),
        "url" => (of("url").map(Cow::into_owned), None),
        "file" => (of("file_id").map(Cow::into_owned), None),
        "content" => (None, source.as_ref().and_then(|source| source.field("content")).map(RawJson::text_or_written)),
        _ => (base64(), None),
    };
    let name = block.string("title").or_else(|| block.string("name"));
    parts.push(MessagePart::File { mime: mime.as_deref().map(str::to_owned), name, url });
    parts.extend(text.map(|text| MessagePart::Text { text: text.into_owned() }));
}

/// An image by its address alone, which may be the image itself.
fn image_address(block: &JsonObject<'_>) -> MessagePart {
    let address = block.object("image_url").and_then(|image| image.string("url"));
    // OpenAI has two forms: `image_url` as an object in chat requests, and as a string in responses.
    let url = address.or_else(|| block.string("image_url")).or_else(|| block.string("file_id"));
    let mime = url.as_deref().and_then(|url| url.strip_prefix("data:")?.split([';', ',']).next());
    MessagePart::File { mime: mime.filter(|mime| !mime.is_empty()).map(str::to_owned), name: None, url }
}
