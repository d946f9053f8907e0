//! How each vendor writes an answer, told from its side.

use std::sync::Arc;

use providers::conformance::generator::{End, Said};
use providers::vendors::{
    anthropic::Anthropic, ollama::Ollama, openai_chat::OpenAiChat, openai_responses::OpenAiResponses,
};
use providers::{Connection, Generator};
use serde_json::{Value, json};

/// One vendor from both sides.
#[derive(Clone, Copy)]
pub(crate) struct Dialect {
    pub(crate) name: &'static str,
    pub(crate) generator: fn(Connection) -> Arc<dyn Generator>,
    /// `None` where the vendor cannot say it.
    pub(crate) says: fn(&Said) -> Option<Value>,
}

pub(crate) const ALL: [Dialect; 4] = [
    Dialect {
        name: "anthropic",
        generator: |connection| Arc::new(Anthropic::new("m-1", connection)),
        says: |said| Some(anthropic(said)),
    },
    Dialect {
        name: "openai",
        generator: |connection| Arc::new(OpenAiResponses::new("m-1", connection)),
        says: |said| Some(responses(said)),
    },
    Dialect {
        name: "openai-compatible",
        generator: |connection| Arc::new(OpenAiChat::new("m-1", connection)),
        says: |said| Some(chat(said)),
    },
    Dialect {
        name: "ollama",
        generator: |connection| Arc::new(Ollama::new("m-1", connection)),
        says: |said| (said.end != End::Refused).then(|| ollama(said)),
    },
];

fn anthropic(said: &Said) -> Value {
    let thinking = said.reasoning.map(|text| json!({ "type": "thinking", "thinking": text, "signature": "s" }));
    let text = (!said.text.is_empty()).then(|| json!({ "type": "text", "text": said.text }));
    let [input, output, cache_read, cache_write] = said.usage;
    json!({
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m-1",
        "content": thinking.into_iter().chain(text).collect::<Vec<_>>(),
        "stop_reason": match said.end { End::Whole => "end_turn", End::Cut => "max_tokens", End::Refused => "refusal" },
        "usage": {
            "input_tokens": input,
            "output_tokens": output,
            "cache_read_input_tokens": cache_read,
            "cache_creation_input_tokens": cache_write,
        },
    })
}

fn responses(said: &Said) -> Value {
    let reasoning = said.reasoning.map(|text| json!({ "type": "reasoning", "summary": [{ "text": text }] }));
    let piece = match said.end {
        End::Refused => json!({ "type": "refusal", "refusal": said.text }),
        End::Whole | End::Cut => json!({ "type": "output_text", "text": said.text, "annotations": [] }),
    };
    let message = json!({ "type": "message", "role": "assistant", "content": [piece] });
    let [input, output, cache_read, cache_write] = said.usage;
    json!({
        "object": "response",
        "error": null,
        "status": if said.end == End::Cut { "incomplete" } else { "completed" },
        "incomplete_details": (said.end == End::Cut).then(|| json!({ "reason": "max_output_tokens" })),
        "output": reasoning.into_iter().chain([message]).collect::<Vec<_>>(),
        "usage": {
            "input_tokens": input.saturating_add(cache_read + cache_write),
            "input_tokens_details": { "cached_tokens": cache_read, "cache_write_tokens": cache_write },
            "output_tokens": output,
        },
    })
}

fn chat(said: &Said) -> Value {
    let reason = match said.end {
        End::Whole => "stop",
        End::Cut => "length",
        End::Refused => "content_filter",
    };
    let [input, output, cache_read, cache_write] = said.usage;
    json!({
        "object": "chat.completion",
        "choices": [{
            "index": 0,
            "finish_reason": reason,
            "message": { "role": "assistant", "content": said.text, "reasoning_content": said.reasoning },
        }],
        "usage": {
            "prompt_tokens": input.saturating_add(cache_read + cache_write),
            "prompt_tokens_details": { "cached_tokens": cache_read, "cache_write_tokens": cache_write },
            "completion_tokens": output,
        },
    })
}

/// With the reasoning in front of the text, as models do that Ollama does not know to reason.
fn ollama(said: &Said) -> Value {
    let content = match said.reasoning {
        Some(reasoning) if said.text.is_empty() && said.end == End::Cut => format!("<think>\n{reasoning}"),
        Some(reasoning) => format!("<think>\n{reasoning}\n</think>\n\n{}", said.text),
        None => said.text.to_owned(),
    };
    let [input, output, ..] = said.usage;
    json!({
        "model": "m-1",
        "message": { "role": "assistant", "content": content },
        "done": true,
        "done_reason": if said.end == End::Cut { "length" } else { "stop" },
        "prompt_eval_count": input,
        "eval_count": output,
    })
}
