//! The OpenAI Chat Completions API of the fake model server, as OpenCode, Qwen Code and most others use it: parses
//! requests and renders replies.

use serde_json::{Value, json};

use super::http::HttpBody;
use super::request::{ChatMessage, ModelRequest, by_role, content_text};
use super::tool_choice::OfferedTool;
use super::{ModelReply, ReplyFrame};

pub(super) fn parse_request(body: &Value) -> ModelRequest {
    let one = |message: &Value| {
        let text = content_text(&message["content"]);
        match message["role"].as_str().unwrap_or_default() {
            "tool" => ChatMessage::Result { text, is_loading: false },
            role => by_role(role, text),
        }
    };
    let spoken = body["messages"].as_array().into_iter().flatten().map(one).collect();
    let tool = |tool: &Value| {
        let function = &tool["function"];
        let schema = function["parameters"].clone();
        Some(OfferedTool { name: function["name"].as_str()?.to_owned(), namespace: None, is_free: false, schema })
    };
    let tools = body["tools"].as_array().into_iter().flatten().filter_map(tool).collect();
    ModelRequest { instructions: String::new(), spoken, tools }
}

pub(super) fn render_reply(reply: &ModelReply, frame: &ReplyFrame, is_streamed: bool) -> HttpBody {
    let number = frame.number;
    let (message, reason) = match reply {
        ModelReply::Text(text) => (json!({ "role": "assistant", "content": text }), "stop"),
        ModelReply::Call { tool, arguments } => {
            // Chat completions carry arguments as a string of JSON, not as an object.
            let function = json!({ "name": tool.name, "arguments": arguments.to_string() });
            let call =
                json!({ "index": 0, "id": format!("call_{number:04}"), "type": "function", "function": function });
            (json!({ "role": "assistant", "content": null, "tool_calls": [call] }), "tool_calls")
        }
    };
    let usage = json!({ "prompt_tokens": frame.tokens, "completion_tokens": 20, "total_tokens": frame.tokens + 20 });
    let of = |kind: &str, choices: Value| {
        json!({
            "id": format!("chatcmpl-{number}"), "object": kind, "created": 1_700_000_000, "model": frame.model,
            "choices": choices
        })
    };
    if !is_streamed {
        let choice = json!([{ "index": 0, "message": message, "finish_reason": reason }]);
        let mut whole = of("chat.completion", choice);
        whole["usage"] = usage;
        return HttpBody::from_json(&whole);
    }
    let chunk = |choices: Value| of("chat.completion.chunk", choices);
    // The last chunk has no choices and only the usage: OpenCode and others decide by it when to compact.
    let mut last = chunk(json!([]));
    last["usage"] = usage;
    HttpBody::ended_stream(&[
        chunk(json!([{ "index": 0, "delta": message, "finish_reason": null }])),
        chunk(json!([{ "index": 0, "delta": {}, "finish_reason": reason }])),
        last,
    ])
}
