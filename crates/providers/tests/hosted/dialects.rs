//! Test helpers that write a stub answer in each HTTP vendor's JSON format (Anthropic, OpenAI Responses, chat
//! completions, Ollama), as the vendor's server would.

use std::sync::Arc;

use providers::conformance::generator::{StubAnswer, StubEnding};
use providers::vendors::{
    anthropic::AnthropicGenerator, ollama::OllamaGenerator, openai_chat::OpenAiChat, openai_responses::OpenAiResponses,
};
use providers::{Generator, VendorConnection};
use serde_json::{Value, json};

/// One vendor from both sides.
#[derive(Clone, Copy)]
pub(crate) struct Dialect {
    pub(crate) name: &'static str,
    pub(crate) generator: fn(VendorConnection) -> Arc<dyn Generator>,
    /// `None` where the vendor cannot say it.
    pub(crate) says: fn(&StubAnswer) -> Option<Value>,
}

pub(crate) const ALL_DIALECTS: [Dialect; 4] = [
    Dialect {
        name: "anthropic",
        generator: |connection| Arc::new(AnthropicGenerator::new("m-1", connection)),
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
        generator: |connection| Arc::new(OllamaGenerator::new("m-1", connection)),
        says: |said| (said.end != StubEnding::Refused).then(|| ollama(said)),
    },
];

fn anthropic(said: &StubAnswer) -> Value {
    let thinking = said.reasoning.map(|text| json!({ "type": "thinking", "thinking": text, "signature": "s" }));
    let text = (!said.text.is_empty()).then(|| json!({ "type": "text", "text": said.text }));
    let [input, output, cache_read, cache_write] = said.usage;
    json!({
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m-1",
        "content": thinking.into_iter().chain(text).collect::<Vec<_>>(),
        "stop_reason": match said.end { StubEnding::Whole => "end_turn", StubEnding::Cut => "max_tokens", StubEnding::Refused => "refusal" },
        "usage": {
            "input_tokens": input,
            "output_tokens": output,
            "cache_read_input_tokens": cache_read,
            "cache_creation_input_tokens": cache_write,
        },
    })
}

fn responses(said: &StubAnswer) -> Value {
    let reasoning = said.reasoning.map(|text| json!({ "type": "reasoning", "summary": [{ "text": text }] }));
    let piece = match said.end {
        StubEnding::Refused => json!({ "type": "refusal", "refusal": said.text }),
        StubEnding::Whole | StubEnding::Cut => json!({ "type": "output_text", "text": said.text, "annotations": [] }),
    };
    let message = json!({ "type": "message", "role": "assistant", "content": [piece] });
    let [input, output, cache_read, cache_write] = said.usage;
    json!({
        "object": "response",
        "error": null,
        "status": if said.end == StubEnding::Cut { "incomplete" } else { "completed" },
        "incomplete_details": (said.end == StubEnding::Cut).then(|| json!({ "reason": "max_output_tokens" })),
        "output": reasoning.into_iter().chain([message]).collect::<Vec<_>>(),
        "usage": {
            "input_tokens": input.saturating_add(cache_read + cache_write),
            "input_tokens_details": { "cached_tokens": cache_read, "cache_write_tokens": cache_write },
            "output_tokens": output,
        },
    })
}

fn chat(said: &StubAnswer) -> Value {
    let reason = match said.end {
        StubEnding::Whole => "stop",
        StubEnding::Cut => "length",
        StubEnding::Refused => "content_filter",
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
fn ollama(said: &StubAnswer) -> Value {
    let content = match said.reasoning {
        Some(reasoning) if said.text.is_empty() && said.end == StubEnding::Cut => format!("<think>\n{reasoning}"),
        Some(reasoning) => format!("<think>\n{reasoning}\n</think>\n\n{}", said.text),
        None => said.text.to_owned(),
    };
    let [input, output, ..] = said.usage;
    json!({
        "model": "m-1",
        "message": { "role": "assistant", "content": content },
        "done": true,
        "done_reason": if said.end == StubEnding::Cut { "length" } else { "stop" },
        "prompt_eval_count": input,
        "eval_count": output,
    })
}
