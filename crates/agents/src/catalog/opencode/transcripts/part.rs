//! Converts OpenCode's message parts (JSON of a database row) into our `MessagePart`s: text, tool calls and results,
//! files, errors, token counts. A part of unknown kind is kept as its JSON.

use model::{MessagePart, PartMark};

use crate::transcript::blocks;
use crate::transcript::json::{JsonObject, RawJson};

/// What a row says; and, as the error, the name of a kind that came after us, which is kept as its JSON.
pub(super) fn parse_parts(data: &JsonObject<'_>) -> (Vec<MessagePart>, Result<(), String>) {
    let kind = data.string("type").unwrap_or_default();
    let text = |name: &str| data.string(name);
    let part = match kind.as_str() {
        "text" => MessagePart::Text { text: text("text").unwrap_or_default() },
        "reasoning" => MessagePart::Reasoning { text: text("text").unwrap_or_default() },
        "tool" => return (tool_parts(data), Ok(())),
        "patch" => {
            let files = data.array("files").into_iter().flatten().map(|file| file.text_or_written().into_owned());
            MessagePart::Patch { hash: text("hash"), files: files.collect() }
        }
        "file" => file_part(data),
        "snapshot" => MessagePart::Snapshot { hash: text("snapshot") },
        "step-start" => MessagePart::StepStart,
        "step-finish" => finish_part(text("reason"), data),
        "agent" => MessagePart::Agent { name: text("name") },
        "retry" => MessagePart::Retry { error: data.field("error").map(error_text) },
        "compaction" => MessagePart::Compaction { auto: data.flag("auto") },
        "subtask" => {
            MessagePart::Subtask { prompt: text("prompt"), description: text("description"), agent: text("agent") }
        }
        _ => return (vec![MessagePart::Text { text: data.as_written().to_owned() }], Err(kind)),
    };
    (vec![part], Ok(()))
}

/// What a row says about its part besides the content: whether the host wrote it, whether the model was not shown it. What
/// else it holds (`metadata`) stays in the archive: it repeats outputs.
pub(super) fn parse_mark(data: &JsonObject<'_>) -> PartMark {
    // Only what is so is kept: a flag that is false says what every other part says by having none.
    let flag = |name: &str| data.flag(name).then_some(true);
    PartMark { is_ignored: flag("ignored"), is_synthetic: flag("synthetic"), metadata: None }
}

/// What a row of the newer table says; nothing when it says nothing.
pub(super) fn parse_whole(kind: &str, data: &JsonObject<'_>) -> Vec<MessagePart> {
    let mut parts = Vec::new();
    for block in data.array("content").into_iter().flatten() {
        match block.object() {
            Some(fields) => parts.append(&mut self::parse_parts(&fields).0),
            None => parts.push(MessagePart::Text { text: block.text_or_written().into_owned() }),
        }
    }
    let text = data.string("text").or_else(|| data.string("summary")).filter(|text| !text.is_empty());
    parts.extend(text.map(|text| MessagePart::Text { text }));
    parts
        .extend(data.array("files").into_iter().flatten().filter_map(RawJson::object).map(|fields| file_part(&fields)));
    match kind {
        "assistant" => {
            parts.extend(data.field("error").map(|error| MessagePart::Retry { error: Some(error_text(error)) }));
            if data.field("tokens").is_some() {
                parts.push(finish_part(data.string("finish"), data));
            }
        }
        "compaction" => {
            parts
                // Without a reason it is the automatic one, which older versions did not name.
                .insert(0, MessagePart::Compaction { auto: data.text("reason").is_none_or(|reason| reason == "auto") });
        }
        "shell" => {
            let (input, output) = (data.string("command"), data.string("output"));
            let name = Some("shell".to_owned());
            parts.push(MessagePart::Tool {
                call_id: None,
                name,
                status: None,
                input,
                output,
                error: None,
                title: None,
            });
        }
        _ => {}
    }
    parts
}

fn tool_parts(data: &JsonObject<'_>) -> Vec<MessagePart> {
    let state = data.object("state");
    let of = |name: &str| state.as_ref().and_then(|state| state.field(name));
    let mut files = Vec::new();
    let output = of("output").or_else(|| of("content")).map(|output| blocks::result_text(output, &mut files));
    let tool = MessagePart::Tool {
        call_id: data.string("callID").or_else(|| data.string("id")),
        name: data.string("tool").or_else(|| data.string("name")),
        status: of("status").map(|status| status.text_or_written().into_owned()),
        input: of("input").map(|input| input.text_or_written().into_owned()),
        output,
        error: of("error").map(error_text),
        title: of("title").and_then(RawJson::text).map(String::from),
    };
    let attached = of("attachments").and_then(RawJson::array).unwrap_or_default();
    let attached = attached.into_iter().filter_map(RawJson::object).map(|fields| file_part(&fields));
    [tool].into_iter().chain(files).chain(attached).collect()
}

fn file_part(data: &JsonObject<'_>) -> MessagePart {
    MessagePart::File {
        mime: data.string("mime"),
        name: data.string("filename").or_else(|| data.string("name")),
        url: data.string("url").or_else(|| data.string("uri")),
    }
}

fn error_text(error: RawJson<'_>) -> String {
    let inner = error.object();
    let of = |fields: &JsonObject<'_>| fields.string("message");
    let message = inner.as_ref().and_then(|error| of(error).or_else(|| of(&error.object("data")?)));
    message.unwrap_or_else(|| error.text_or_written().into_owned())
}

fn finish_part(reason: Option<String>, data: &JsonObject<'_>) -> MessagePart {
    let tokens = data.object("tokens");
    let cache = tokens.as_ref().and_then(|tokens| tokens.object("cache"));
    let sum = |fields: &[(&Option<JsonObject<'_>>, &str)]| {
        let counts = fields.iter().map(|(of, name)| of.as_ref().and_then(|of| of.count(name)).unwrap_or(0));
        tokens.as_ref().map(|_| counts.fold(0_u32, u32::saturating_add))
    };
    MessagePart::StepFinish {
        reason,
        // OpenCode writes dollars as a fraction.
        cost_micros: data.field("cost").and_then(RawJson::number).map(|dollars| (dollars * 1e6).round() as i64),
        // The vendor's count of input leaves the cached tokens out.
        tokens_in: sum(&[(&tokens, "input"), (&cache, "read"), (&cache, "write")]),
        tokens_out: sum(&[(&tokens, "output"), (&tokens, "reasoning")]),
    }
}
