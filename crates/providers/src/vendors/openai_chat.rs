//! `OpenAiChat`, the client of the chat completions API, as OpenAI described it and many servers took it over:
//! gateways, model servers, other vendors.
//!
//! Servers differ in their additions, so only the oldest fields are sent, and what is missing from an answer is taken
//! for unsaid rather than wrong.

use async_trait::async_trait;
use serde_json::{Value, json};

use super::hosted_generator::{BEARER, GenerationWire, HostedGenerator, messages_with_system};
use crate::answer::{AnswerEnd, UsageReport, VendorAnswer};
use crate::http::VendorConnection;
use crate::{GenerateRequest, GeneratedText, GenerationModel, Generator, Result, Vendor};

/// Asks a server that speaks like OpenAI.
#[derive(Debug)]
pub struct OpenAiChat(HostedGenerator);

impl OpenAiChat {
    /// A model of the server at `connection`.
    pub fn new(model: impl Into<String>, connection: VendorConnection) -> Self {
        Self(HostedGenerator::new(Vendor::Compatible, model.into(), connection))
    }
}

const WIRE: GenerationWire = GenerationWire {
    path: "/chat/completions",
    key_header: BEARER,
    headers: &[],
    body: build_body,
    read: parse_answer,
};

#[async_trait]
impl Generator for OpenAiChat {
    fn model(&self) -> &GenerationModel {
        self.0.model()
    }

    async fn generate(&self, request: &GenerateRequest) -> Result<GeneratedText> {
        self.0.generate(&WIRE, request).await
    }

    async fn probe(&self) -> Result<()> {
        // Servers list what they like to; that there is a list says enough.
        self.0.endpoint().fetch_json("/models", BEARER, &[]).await.map(drop)
    }
}

fn build_body(model: &str, request: &GenerateRequest) -> Value {
    let mut body = json!({
        "model": model,
        "messages": messages_with_system(request),
        "max_tokens": request.max_output.0,
        "stream": false,
    });
    if let Some(temperature) = request.temperature {
        body["temperature"] = json!(temperature);
    }
    if let Some(schema) = &request.schema {
        let format = json!({ "name": "answer", "strict": true, "schema": schema });
        body["response_format"] = json!({ "type": "json_schema", "json_schema": format });
    }
    body
}

fn parse_answer(answer: &Value) -> Result<VendorAnswer, &'static str> {
    let choice = answer.pointer("/choices/0").ok_or("it has no choice")?;
    let message = choice.get("message").ok_or("it has no message")?;
    let refused = message["refusal"].as_str().is_some_and(|refusal| !refusal.is_empty());
    let ended = match choice["finish_reason"].as_str() {
        // Some servers refuse in words and end with `stop`.
        _ if refused => AnswerEnd::Refused,
        Some("content_filter") => AnswerEnd::Refused,
        Some("length") => AnswerEnd::Cut,
        _ => AnswerEnd::Whole,
    };
    let usage = UsageReport(answer.get("usage")).inclusive_usage([
        "/prompt_tokens",
        "/completion_tokens",
        "/prompt_tokens_details/cached_tokens",
        "/prompt_tokens_details/cache_write_tokens",
    ]);
    Ok(VendorAnswer { text: message["content"].as_str().unwrap_or_default().to_owned(), ended, usage })
}
