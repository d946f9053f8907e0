//! Parses one record of a Gemini CLI transcript into a `GeminiMessage`: its author and its parts (text, thoughts, tool
//! calls with their results, token counts).

use model::{MessagePart, MessageRole};

use super::author::{FENCES, find_author};
use crate::transcript::author::Author;
use crate::transcript::json::{JsonObject, RawJson};
use crate::transcript::prompt::PromptParts;
use crate::transcript::{blocks, contents};

pub(super) struct GeminiMessage {
    pub(super) author: Author,
    pub(super) parts: Vec<MessagePart>,
    /// What the program added to a prompt.
    pub(super) added: Vec<MessagePart>,
}

impl GeminiMessage {
    /// Reads a record; `None` when it says nothing.
    pub(super) fn from_record(record: &JsonObject<'_>) -> Option<Self> {
        let mut parts: Vec<MessagePart> = record.array("thoughts").into_iter().flatten().map(thought_part).collect();
        parts.append(&mut record.field("content").map(contents::parse_parts).unwrap_or_default());
        for call in record.array("toolCalls").into_iter().flatten() {
            add_tool(call, &mut parts);
        }
        parts.extend(record.object("tokens").map(|tokens| finish_part(&tokens)));
        let author = find_author(record, &parts);
        let said = match author {
            Author::Person => Self::from_prompt(record, parts),
            Author::Model | Author::Tool => Self { author, parts, added: Vec::new() },
            Author::Host(_) | Author::Summary(_) => {
                Self { author, parts: blocks::remove_own(parts), added: Vec::new() }
            }
        };
        (!said.parts.is_empty()).then_some(said)
    }

    /// A prompt of a person. If the host expanded files in it, the record also has the text as displayed.
    fn from_prompt(record: &JsonObject<'_>, parts: Vec<MessagePart>) -> Self {
        let display = record.field("displayContent").map(contents::parse_parts).unwrap_or_default();
        let shown: Vec<&str> = display.iter().flat_map(MessagePart::searchable_texts).collect();
        let prompt = match &shown[..] {
            // Without a displayed text the prompt itself is what the person saw.
            [] => PromptParts::from_parts(parts, &FENCES),
            shown => PromptParts::from_displayed(parts, &shown.join("\n"), &FENCES),
        };
        match prompt {
            // Nothing of the person's is left: the whole record was put together by the program.
            PromptParts { own, added } if own.is_empty() => {
                Self { author: Author::Host(MessageRole::User), parts: added, added: Vec::new() }
            }
            PromptParts { own, added } => Self { author: Author::Person, parts: own, added },
        }
    }
}

fn thought_part(thought: RawJson<'_>) -> MessagePart {
    let fields = thought.object();
    let of = |name: &str| fields.as_ref().and_then(|fields| fields.string(name)).filter(|text| !text.is_empty());
    let texts: Vec<String> = [of("subject"), of("description")].into_iter().flatten().collect();
    let text = if texts.is_empty() { thought.text_or_written().into_owned() } else { texts.join("\n") };
    MessagePart::Reasoning { text }
}

/// A call with what came of it. The result is content again: the first response is the tool's, the rest came with it.
fn add_tool(call: RawJson<'_>, parts: &mut Vec<MessagePart>) {
    let Some(fields) = call.object() else {
        return parts.push(MessagePart::Text { text: call.text_or_written().into_owned() });
    };
    let mut results = fields.field("result").map(contents::parse_parts).unwrap_or_default();
    let at = results.iter().position(|part| matches!(part, MessagePart::Tool { .. } | MessagePart::Text { .. }));
    // The first text or response is the tool's own; images and documents come behind it.
    let (output, error) = match at.map(|at| results.remove(at)) {
        Some(MessagePart::Tool { output, error, .. }) => (output, error),
        Some(MessagePart::Text { text }) => (Some(text), None),
        _ => (None, None),
    };
    parts.push(MessagePart::Tool {
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

fn finish_part(tokens: &JsonObject<'_>) -> MessagePart {
    let written = tokens.count("output").map(|output| output.saturating_add(tokens.count("thoughts").unwrap_or(0)));
    MessagePart::StepFinish { reason: None, cost_micros: None, tokens_in: tokens.count("input"), tokens_out: written }
}
