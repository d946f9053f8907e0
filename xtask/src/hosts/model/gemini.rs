//! The Gemini API of the fake model server, as Gemini CLI uses it: parses requests and renders replies.

use serde_json::{Value, json};

use super::http::HttpBody;
use super::request::{ChatMessage, ModelRequest, by_role, content_text};
use super::tool_choice::OfferedTool;
use super::{ModelReply, ReplyFrame};

pub(super) fn parse_request(body: &Value) -> ModelRequest {
    let mut spoken = Vec::new();
    for content in body["contents"].as_array().into_iter().flatten() {
        for part in content["parts"].as_array().into_iter().flatten() {
            if part.get("functionResponse").is_some() {
                let text = content_text(&part["functionResponse"]["response"]);
                spoken.push(ChatMessage::Result { text, is_loading: false });
            } else if let Some(text) = part["text"].as_str() {
                spoken.push(by_role(content["role"].as_str().unwrap_or("user"), text.to_owned()));
            }
        }
    }
    let declared = |tool: &Value| {
        // Versions of the agent differ in the case of this name.
        let named = ["functionDeclarations", "function_declarations"].iter().find_map(|name| tool[*name].as_array());
        named.cloned().unwrap_or_default()
    };
    let tool = |tool: Value| {
        let schema = ["parametersJsonSchema", "parameters"].iter().find_map(|name| tool.get(*name)).cloned();
        let name = tool["name"].as_str()?.to_owned();
        Some(OfferedTool { name, namespace: None, is_free: false, schema: schema.unwrap_or_default() })
    };
    let tools = body["tools"].as_array().into_iter().flatten().flat_map(declared).filter_map(tool).collect();
    ModelRequest { instructions: content_text(&body["systemInstruction"]), spoken, tools }
}

pub(super) fn render_reply(reply: &ModelReply, frame: &ReplyFrame, is_streamed: bool) -> HttpBody {
    let part = match reply {
        ModelReply::Text(text) => json!({ "text": text }),
        ModelReply::Call { tool, arguments } => {
            json!({ "functionCall": { "id": format!("call_{}", frame.number), "name": tool.name, "args": arguments } })
        }
    };
    let whole = json!({
        "candidates": [{ "content": { "role": "model", "parts": [part] }, "finishReason": "STOP", "index": 0 }],
        "modelVersion": "scripted",
        "usageMetadata": {
            "promptTokenCount": frame.tokens, "candidatesTokenCount": 20, "totalTokenCount": frame.tokens + 20
        }
    });
    if is_streamed { HttpBody::from_events(&[whole], false) } else { HttpBody::from_json(&whole) }
}
