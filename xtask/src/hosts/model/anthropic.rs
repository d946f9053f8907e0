//! The Anthropic Messages API of the fake model server, as Claude Code uses it: parses requests and renders replies.

use serde_json::{Value, json};

use super::http::HttpBody;
use super::request::{ChatMessage, ModelRequest, by_role, content_text};
use super::tool_choice::OfferedTool;
use super::{ModelReply, ReplyFrame};

/// In the ids of calls that only load tools.
const LOADING_ID_PREFIX: &str = "toolu_load";

pub(super) fn parse_request(body: &Value) -> ModelRequest {
    let mut spoken = Vec::new();
    for message in body["messages"].as_array().into_iter().flatten() {
        let role = message["role"].as_str().unwrap_or_default();
        let Some(blocks) = message["content"].as_array() else {
            spoken.push(by_role(role, content_text(&message["content"])));
            continue;
        };
        for block in blocks {
            match block["type"].as_str() {
                Some("tool_result") => {
                    // Loading a tool is no step of the script, so its result must not be counted as one.
                    let is_loading = block["tool_use_id"].as_str().unwrap_or_default().starts_with(LOADING_ID_PREFIX);
                    spoken.push(ChatMessage::Result { text: content_text(&block["content"]), is_loading });
                }
                Some("text") => spoken.push(by_role(role, content_text(&block["text"]))),
                _ => {}
            }
        }
    }
    let tool = |tool: &Value| {
        let schema = tool["input_schema"].clone();
        Some(OfferedTool { name: tool["name"].as_str()?.to_owned(), namespace: None, is_free: false, schema })
    };
    let tools = body["tools"].as_array().into_iter().flatten().filter_map(tool).collect();
    ModelRequest { instructions: content_text(&body["system"]), spoken, tools }
}

pub(super) fn render_reply(reply: &ModelReply, frame: &ReplyFrame, is_streamed: bool) -> HttpBody {
    let number = frame.number;
    let usage = json!({
        "input_tokens": frame.tokens, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 20
    });
    let (whole, opened, delta, reason) = match reply {
        ModelReply::Text(text) => (
            json!({ "type": "text", "text": text }),
            json!({ "type": "text", "text": "" }),
            json!({ "type": "text_delta", "text": text }),
            "end_turn",
        ),
        ModelReply::Call { tool, arguments } => {
            let id =
                if tool.is_loader() { format!("{LOADING_ID_PREFIX}{number:04}") } else { format!("toolu_{number:04}") };
            (
                json!({ "type": "tool_use", "id": id, "name": tool.name, "input": arguments }),
                json!({ "type": "tool_use", "id": id, "name": tool.name, "input": {} }),
                json!({ "type": "input_json_delta", "partial_json": arguments.to_string() }),
                "tool_use",
            )
        }
    };
    let mut message = json!({
        "id": format!("msg_{number:04}"), "type": "message", "role": "assistant", "model": frame.model,
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage
    });
    if !is_streamed {
        (message["content"], message["stop_reason"]) = (json!([whole]), reason.into());
        return HttpBody::from_json(&message);
    }
    // The stream says the same as the whole reply, in the pieces that the agent's library expects.
    let end = json!({ "stop_reason": reason, "stop_sequence": null });
    HttpBody::from_events(
        &[
            json!({ "type": "message_start", "message": message }),
            json!({ "type": "content_block_start", "index": 0, "content_block": opened }),
            json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
            json!({ "type": "content_block_stop", "index": 0 }),
            json!({ "type": "message_delta", "delta": end, "usage": { "output_tokens": 20 } }),
            json!({ "type": "message_stop" }),
        ],
        true,
    )
}
