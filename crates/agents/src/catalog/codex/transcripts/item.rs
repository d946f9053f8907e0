//! Parses one item of OpenAI's Responses API, as a Codex transcript holds it, into message parts, an author and an id:
//! messages, reasoning, tool calls and results, compaction summaries, and messages between agents.

use std::borrow::Cow;

use model::{MessagePart, MessageRole};

use super::author::{author_of_item, author_of_message};
use crate::transcript::author::Author;
use crate::transcript::blocks;
use crate::transcript::json::{JsonObject, RawJson};

pub(super) struct CodexItem {
    pub(super) id: Option<String>,
    pub(super) author: Author,
    pub(super) parts: Vec<MessagePart>,
    /// The name of a kind that came after us. It is kept as its JSON.
    pub(super) unknown: Option<String>,
}

impl CodexItem {
    /// Reads an item; `None` for one that says nothing.
    pub(super) fn from_object(item: &JsonObject<'_>) -> Option<Self> {
        let kind = item.text("type").unwrap_or_default();
        let call_id = item.string("call_id");
        let parts = match kind.as_ref() {
            "message" => return Self::from_message(item),
            "agent_message" => return Self::between_agents(item),
            "reasoning" => match reasoning_parts(item) {
                // The thoughts are encrypted; the line itself stays in the archive.
                thoughts if thoughts.is_empty() => return None,
                thoughts => thoughts,
            },
            "function_call" | "custom_tool_call" | "local_shell_call" | "tool_search_call" | "web_search_call" => {
                vec![call_part(&kind, item)]
            }
            "function_call_output" | "custom_tool_call_output" | "tool_search_output" => output_parts(item),
            "image_generation_call" => image_parts(item),
            // Codex does not say whether the user asked for the compaction; by default it folds by itself.
            "compaction" | "compaction_summary" | "context_compaction" => vec![MessagePart::Compaction { auto: true }],
            "ghost_snapshot" => {
                let hash = item.object("ghost_commit").and_then(|commit| commit.string("id"));
                vec![MessagePart::Snapshot { hash }]
            }
            "additional_tools" | "compaction_trigger" => return None,
            _ => vec![MessagePart::Text { text: item.as_written().to_owned() }],
        };
        // A part that is the item's own JSON is how an unknown kind was kept above; the report needs its name.
        let is_known = !matches!(&parts[..], [MessagePart::Text { text }] if text == item.as_written());
        let author = author_of_item(&kind);
        // Older versions gave no id to items, but calls had one. Call and result share it, so the result gets a suffix.
        let by_call = call_id.map(|call| if author == Author::Tool { format!("{call}:output") } else { call });
        Some(Self {
            id: item.string("id").filter(|id| !id.is_empty()).or(by_call),
            author,
            parts,
            unknown: (!is_known).then(|| kind.into_owned()),
        })
    }

    fn from_message(item: &JsonObject<'_>) -> Option<Self> {
        let parts = blocks::parse_parts(item.field("content")?);
        let role = item.text("role").unwrap_or_default();
        // Our own texts are removed from the model's input, never from its answers.
        let parts = if role == "assistant" { parts } else { blocks::remove_own(parts) };
        let author = author_of_message(&role, &parts);
        let id = item.string("id").filter(|id| !id.is_empty());
        (!parts.is_empty()).then_some(Self { id, author, parts, unknown: None })
    }

    /// The summary that Codex writes when it compacts a context.
    pub(super) fn from_compaction(payload: &JsonObject<'_>) -> Self {
        let text = payload.string("message").filter(|text| !text.is_empty()).map(|text| MessagePart::Text { text });
        let summary = blocks::remove_own(text.into_iter().collect());
        let parts = [MessagePart::Compaction { auto: true }].into_iter().chain(summary).collect();
        Self { id: None, author: Author::Summary(MessageRole::System), parts, unknown: None }
    }

    /// What one agent writes to another: words from outside, for the one who reads them.
    pub(super) fn between_agents(item: &JsonObject<'_>) -> Option<Self> {
        let said = blocks::remove_own(blocks::parse_parts(item.field("content").or_else(|| item.field("message"))?));
        if said.is_empty() {
            return None;
        }
        let from = item.string("author").map(|name| MessagePart::Agent { name: Some(name) });
        let parts = from.into_iter().chain(said).collect();
        Some(Self { id: item.string("id"), author: author_of_item("agent_message"), parts, unknown: None })
    }
}

/// A summary and the thoughts themselves, where they are not encrypted.
fn reasoning_parts(item: &JsonObject<'_>) -> Vec<MessagePart> {
    let blocks = ["summary", "content"].into_iter().filter_map(|name| item.array(name)).flatten();
    let texts = blocks.map(|block| {
        block.object().and_then(|block| block.string("text")).unwrap_or_else(|| block.text_or_written().into_owned())
    });
    texts.filter(|text| !text.is_empty()).map(|text| MessagePart::Reasoning { text }).collect()
}

fn call_part(kind: &str, item: &JsonObject<'_>) -> MessagePart {
    let name = match (item.string("namespace"), item.string("name")) {
        (Some(space), Some(name)) => format!("{space}.{name}"),
        (None, Some(name)) => name,
        (_, None) => kind.trim_end_matches("_call").to_owned(),
    };
    // The arguments of a function are JSON inside of a string; the input of a custom tool is any text.
    let input = ["arguments", "input", "action"].iter().find_map(|name| item.field(name));
    MessagePart::Tool {
        call_id: item.string("call_id").or_else(|| item.string("id")),
        name: Some(name),
        status: item.string("status"),
        input: input.map(|input| input.text_or_written().into_owned()),
        output: None,
        error: None,
        title: None,
    }
}

fn output_parts(item: &JsonObject<'_>) -> Vec<MessagePart> {
    let output = item.field("output").or_else(|| item.field("tools"));
    // Older versions wrapped a failure: `{"content": …, "success": false}`.
    let wrapped = output.and_then(RawJson::object).filter(|wrapped| wrapped.field("content").is_some());
    let failed = wrapped.as_ref().is_some_and(|wrapped| wrapped.field("success").is_some() && !wrapped.flag("success"));
    let content = wrapped.and_then(|wrapped| wrapped.field("content")).or(output);
    let mut files = Vec::new();
    let text = content.map_or_else(String::new, |content| blocks::result_text(content, &mut files));
    let tool = MessagePart::Tool {
        call_id: item.string("call_id"),
        name: item.string("name"),
        status: item.string("status"),
        input: None,
        output: (!failed).then(|| text.clone()),
        error: failed.then_some(text),
        title: None,
    };
    [tool].into_iter().chain(files).collect()
}

fn image_parts(item: &JsonObject<'_>) -> Vec<MessagePart> {
    let tool = MessagePart::Tool {
        call_id: item.string("id"),
        name: Some("image_generation".to_owned()),
        status: item.string("status"),
        input: item.string("revised_prompt"),
        output: None,
        error: None,
        title: None,
    };
    let data = item.text("result").filter(|data| !data.is_empty());
    let file = data.map(|data: Cow<'_, str>| MessagePart::File {
        mime: Some("image/png".to_owned()),
        name: None,
        url: Some(format!("data:image/png;base64,{data}")),
    });
    [tool].into_iter().chain(file).collect()
}
