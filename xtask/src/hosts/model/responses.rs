//! The OpenAI Responses API of the fake model server, as Codex uses it: parses requests and renders replies.

use serde_json::{Value, json};

use super::http::HttpBody;
use super::request::{ChatMessage, ModelRequest, by_role, content_text};
use super::tool_choice::OfferedTool;
use super::{ModelReply, ReplyFrame};

pub(super) fn parse_request(body: &Value) -> ModelRequest {
    let mut spoken = Vec::new();
    // The protocol allows a plain string in place of a list of items.
    if let Some(text) = body["input"].as_str() {
        spoken.push(ChatMessage::User(text.to_owned()));
    }
    for item in body["input"].as_array().into_iter().flatten() {
        // In this protocol `type` is optional for messages.
        match item["type"].as_str().unwrap_or("message") {
            "function_call_output" | "custom_tool_call_output" => {
                spoken.push(ChatMessage::Result { text: content_text(&item["output"]), is_loading: false });
            }
            "message" => {
                spoken.push(by_role(item["role"].as_str().unwrap_or_default(), content_text(&item["content"])));
            }
            _ => {}
        }
    }
    let tools = body["tools"].as_array().into_iter().flatten().flat_map(offered_tools).collect();
    ModelRequest { instructions: content_text(&body["instructions"]), spoken, tools }
}

fn offered_tools(tool: &Value) -> Vec<OfferedTool> {
    let named = |tool: &Value, namespace: Option<&str>| {
        Some(OfferedTool {
            name: tool["name"].as_str()?.to_owned(),
            namespace: namespace.map(str::to_owned),
            is_free: tool["type"] == "custom",
            schema: tool["parameters"].clone(),
        })
    };
    // Codex groups the tools of a server under a namespace.
    if tool["type"] != "namespace" {
        return named(tool, None).into_iter().collect();
    }
    let inside = tool["tools"].as_array().into_iter().flatten();
    inside.filter_map(|inner| named(inner, tool["name"].as_str())).collect()
}

pub(super) fn render_reply(reply: &ModelReply, frame: &ReplyFrame, is_streamed: bool) -> HttpBody {
    let number = frame.number;
    let item = match reply {
        ModelReply::Text(text) => json!({
            "type": "message", "id": format!("msg_{number}"), "role": "assistant", "status": "completed",
            "content": [{ "type": "output_text", "text": text, "annotations": [] }]
        }),
        // A custom tool takes plain text in place of arguments.
        ModelReply::Call { tool, arguments } if tool.is_free => json!({
            "type": "custom_tool_call", "id": format!("ctc_{number}"), "call_id": format!("call_{number:04}"),
            "name": tool.name, "input": arguments, "status": "completed"
        }),
        ModelReply::Call { tool, arguments } => {
            let mut item = json!({
                "type": "function_call", "id": format!("fc_{number}"), "call_id": format!("call_{number:04}"),
                "name": tool.name, "arguments": arguments.to_string(), "status": "completed"
            });
            if let Some(namespace) = &tool.namespace {
                item["namespace"] = json!(namespace);
            }
            item
        }
    };
    let usage = json!({
        "input_tokens": frame.tokens, "input_tokens_details": { "cached_tokens": 0 },
        "output_tokens": 20, "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": frame.tokens + 20
    });
    let whole = json!({
        "id": format!("resp_{number}"), "object": "response", "status": "completed", "model": frame.model,
        "output": [item], "usage": usage
    });
    if !is_streamed {
        return HttpBody::from_json(&whole);
    }
    let mut begun = whole.clone();
    let mut added = item.clone();
    (begun["status"], begun["output"], added["status"]) = ("in_progress".into(), json!([]), "in_progress".into());
    let mut events = vec![
        json!({ "type": "response.created", "response": begun }),
        json!({ "type": "response.output_item.added", "output_index": 0, "item": added }),
    ];
    if let ModelReply::Text(text) = reply {
        events.push(json!({
            "type": "response.output_text.delta", "item_id": item["id"], "output_index": 0, "content_index": 0,
            "delta": text
        }));
    }
    events.push(json!({ "type": "response.output_item.done", "output_index": 0, "item": item }));
    events.push(json!({ "type": "response.completed", "response": whole }));
    HttpBody::from_events(&events, true)
}
