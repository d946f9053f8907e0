//! Converts the reply of `assemble` into messages of the Anthropic or OpenAI API. Vendors refuse a tool call without
//! its result and a result without its call. Where one is missing (an agent was stopped, or the message is older than
//! what is shown), the other is written as text instead of being left out.

use engine::AssembledItem;
use model::{Message, MessagePart, MessageRole};
use serde_json::{Value, json};
use std::collections::HashSet;

#[derive(Default)]
pub(super) struct VendorMessages {
    pub(super) system: Option<String>,
    pub(super) messages: Option<Vec<Value>>,
}

/// A piece of a message, before it has a vendor's shape.
enum MessageBlock {
    Text(String),
    Call { id: String, name: String, input: String },
    Result { id: String, output: String, failed: bool },
}

/// Messages of the Anthropic API: roles take turns, results come from the user.
pub(super) fn to_anthropic(items: &[AssembledItem]) -> VendorMessages {
    let pairs = paired_calls(items);
    let mut system: Vec<String> = Vec::new();
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for item in items {
        if let AssembledItem::Message(message) = item
            && message.body.role == MessageRole::System
        {
            system.push(message.body.content());
            continue;
        }
        for (role, block) in item_blocks(item, &pairs) {
            let (role, block) = match block {
                MessageBlock::Text(text) => (
                    if role == MessageRole::Assistant { "assistant" } else { "user" },
                    json!({ "type": "text", "text": text }),
                ),
                MessageBlock::Call { id, name, input } => (
                    "assistant",
                    json!({ "type": "tool_use", "id": id, "name": name, "input": arguments_object(&input) }),
                ),
                MessageBlock::Result { id, output, failed } => {
                    let mut block = json!({ "type": "tool_result", "tool_use_id": id, "content": output });
                    if failed {
                        block["is_error"] = json!(true);
                    }
                    ("user", block)
                }
            };
            // Anthropic's API refuses two messages of one role in a row.
            match messages.last_mut() {
                Some((last, blocks)) if *last == role && block["type"] == "tool_result" => {
                    // Results stand first in the message behind their calls, also where the user spoke before they came.
                    let at = blocks.iter().take_while(|block| block["type"] == "tool_result").count();
                    blocks.insert(at, block);
                }
                Some((last, blocks)) if *last == role => blocks.push(block),
                _ => messages.push((role, vec![block])),
            }
        }
    }
    let messages = messages.into_iter().map(|(role, content)| json!({ "role": role, "content": content }));
    let system = (!system.is_empty()).then(|| system.join("\n\n"));
    VendorMessages { system, messages: Some(messages.collect()) }
}

/// Messages of the OpenAI chat API: calls belong to the assistant's message, results are messages of their own.
pub(super) fn to_openai(items: &[AssembledItem]) -> VendorMessages {
    let pairs = paired_calls(items);
    let mut messages: Vec<Value> = Vec::new();
    for item in items {
        for (role, block) in item_blocks(item, &pairs) {
            match block {
                MessageBlock::Text(text) => {
                    // OpenAI's API accepts a result only behind its call, so a lone result becomes text of the user.
                    let role = if role == MessageRole::Tool { "user" } else { role.as_str() };
                    messages.push(json!({ "role": role, "content": text }));
                }
                MessageBlock::Call { id, name, input } => {
                    let call =
                        json!({ "id": id, "type": "function", "function": { "name": name, "arguments": input } });
                    match messages.last_mut() {
                        Some(last) if last["role"] == "assistant" => match last["tool_calls"].as_array_mut() {
                            Some(calls) => calls.push(call),
                            None => last["tool_calls"] = json!([call]),
                        },
                        _ => messages.push(json!({ "role": "assistant", "content": null, "tool_calls": [call] })),
                    }
                }
                MessageBlock::Result { id, output, .. } => {
                    // Right behind the calls and their other results, also where the user spoke before it came.
                    let is_beside = |message: &Value| message["role"] == "tool" || !message["tool_calls"].is_null();
                    let at = messages.iter().rposition(is_beside).map_or(messages.len(), |at| at + 1);
                    messages.insert(at, json!({ "role": "tool", "tool_call_id": id, "content": output }));
                }
            }
        }
    }
    VendorMessages { system: None, messages: Some(messages) }
}

/// Calls that have exactly one result, and results that have exactly one call before them. A result that comes after the
/// user spoke and was answered belongs to no call any more: vendors want it right behind its call.
fn paired_calls(items: &[AssembledItem]) -> HashSet<String> {
    let mut open = HashSet::new();
    let mut whole = HashSet::new();
    let mut unfit = HashSet::new();
    let mut was_spoken_to = false;
    let messages = items.iter().filter_map(|item| if let AssembledItem::Message(it) = item { Some(it) } else { None });
    for message in messages {
        match message.body.role {
            MessageRole::User if message.body.parts.iter().any(|part| matches!(part, MessagePart::Text { .. })) => {
                was_spoken_to = true;
            }
            MessageRole::Assistant if std::mem::take(&mut was_spoken_to) => unfit.extend(open.drain()),
            MessageRole::User | MessageRole::Assistant | MessageRole::System | MessageRole::Tool => {}
        }
        for part in &message.body.parts {
            let MessagePart::Tool { call_id: Some(id), input, output, error, .. } = part else { continue };
            // The vendors refuse an id that is used twice, as after a session that was resumed.
            if input.is_some() && (!open.insert(id.clone()) || whole.contains(id)) {
                unfit.insert(id.clone());
            }
            if (output.is_some() || error.is_some()) && (!open.remove(id) || !whole.insert(id.clone())) {
                unfit.insert(id.clone());
            }
        }
    }
    whole.retain(|id| !open.contains(id) && !unfit.contains(id));
    whole
}

fn item_blocks(item: &AssembledItem, pairs: &HashSet<String>) -> Vec<(MessageRole, MessageBlock)> {
    match item {
        AssembledItem::Thread { text, .. }
        | AssembledItem::Summary { text, .. }
        | AssembledItem::Gap { text, .. }
        | AssembledItem::Facts { text, .. } => {
            vec![(MessageRole::User, MessageBlock::Text(text.clone()))]
        }
        AssembledItem::Message(message) => message_blocks(message, pairs),
    }
}

fn message_blocks(message: &Message, pairs: &HashSet<String>) -> Vec<(MessageRole, MessageBlock)> {
    let mut blocks = Vec::new();
    for part in &message.body.parts {
        let MessagePart::Tool { call_id, name, input, output, error, status, .. } = part else {
            let text = part.searchable_texts().join("\n");
            // A vendor accepts a thought only with its signature, which the transcripts do not keep.
            if !text.trim().is_empty() && !matches!(part, MessagePart::Reasoning { .. }) {
                blocks.push((message.body.role, MessageBlock::Text(text)));
            }
            continue;
        };
        let result = error.as_ref().or(output.as_ref());
        let Some(id) = call_id.as_ref().filter(|id| pairs.contains(*id)) else {
            blocks.push((message.body.role, MessageBlock::Text(part.searchable_texts().join("\n"))));
            continue;
        };
        if let Some(input) = input {
            let name = name.clone().unwrap_or_else(|| "tool".to_owned());
            blocks.push((MessageRole::Assistant, MessageBlock::Call { id: id.clone(), name, input: input.clone() }));
        }
        if let Some(output) = result {
            let failed = error.is_some() || status.as_deref() == Some("error");
            blocks.push((MessageRole::Tool, MessageBlock::Result { id: id.clone(), output: output.clone(), failed }));
        }
    }
    // Vendors refuse empty text blocks.
    blocks.retain(|(_, block)| !matches!(block, MessageBlock::Text(text) if text.trim().is_empty()));
    blocks
}

/// Arguments as an object; a value that is no object is kept under a name.
fn arguments_object(input: &str) -> Value {
    match serde_json::from_str(input) {
        Ok(Value::Object(fields)) => Value::Object(fields),
        _ => json!({ "input": input }),
    }
}
