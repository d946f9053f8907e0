//! `AnthropicGenerator`, the client of Anthropic's Messages API: builds the request body and parses answer and usage.

use async_trait::async_trait;
use serde_json::{Value, json};

use super::hosted_generator::{GenerationWire, HostedGenerator, message_values};
use crate::answer::{AnswerEnd, UsageReport, VendorAnswer};
use crate::http::VendorConnection;
use crate::{GenerateRequest, GeneratedText, GenerationModel, Generator, Result, Usage, Vendor};

/// Asks Anthropic.
#[derive(Debug)]
pub struct AnthropicGenerator(HostedGenerator);

impl AnthropicGenerator {
    /// A model of Anthropic's, or of a server that speaks like it.
    pub fn new(model: impl Into<String>, connection: VendorConnection) -> Self {
        Self(HostedGenerator::new(Vendor::Anthropic, model.into(), connection))
    }
}

const WIRE: GenerationWire = GenerationWire {
    path: "/v1/messages",
    key_header: ("x-api-key", ""),
    headers: &[("anthropic-version", "2023-06-01")],
    body: build_body,
    read: parse_answer,
};

#[async_trait]
impl Generator for AnthropicGenerator {
    fn model(&self) -> &GenerationModel {
        self.0.model()
    }

    async fn generate(&self, request: &GenerateRequest) -> Result<GeneratedText> {
        self.0.generate(&WIRE, request).await
    }

    async fn probe(&self) -> Result<()> {
        let path = format!("/v1/models/{}", self.model().name);
        self.0.endpoint().fetch_json(&path, WIRE.key_header, WIRE.headers).await.map(drop)
    }
}

/// Newer models refuse a request that names a temperature, so it is sent only to those known to take one.
fn takes_temperature(model: &str) -> bool {
    const TAKING: [&str; 6] =
        ["claude-3", "claude-haiku-4", "claude-sonnet-4", "claude-opus-4-0", "claude-opus-4-1", "claude-opus-4-5"];
    TAKING.iter().any(|known| model.starts_with(known))
}

fn build_body(model: &str, request: &GenerateRequest) -> Value {
    let mut body = json!({
        "model": model,
        "max_tokens": request.max_output.0,
        "messages": message_values(request).collect::<Vec<_>>(),
    });
    if !request.system.is_empty() {
        body["system"] = json!(request.system);
    }
    if let Some(temperature) = request.temperature.filter(|_| takes_temperature(model)) {
        body["temperature"] = json!(temperature);
    }
    if let Some(schema) = &request.schema {
        body["output_config"] = json!({ "format": { "type": "json_schema", "schema": schema } });
    }
    body
}

fn parse_answer(answer: &Value) -> Result<VendorAnswer, &'static str> {
    let blocks = answer.get("content").and_then(Value::as_array).ok_or("it has no content")?;
    // Thoughts and other blocks stand beside the text, and are no part of the answer.
    let texts = blocks.iter().filter(|block| block["type"] == "text").filter_map(|block| block["text"].as_str());
    let ended = match answer["stop_reason"].as_str() {
        Some("refusal") => AnswerEnd::Refused,
        Some("max_tokens" | "model_context_window_exceeded") => AnswerEnd::Cut,
        _ => AnswerEnd::Whole,
    };
    Ok(VendorAnswer { text: texts.collect(), ended, usage: parse_usage(&UsageReport(answer.get("usage"))) })
}

fn parse_usage(report: &UsageReport<'_>) -> Result<Usage, &'static str> {
    Ok(Usage {
        input: report.token_count("/input_tokens", "input")?,
        output: report.token_count("/output_tokens", "output")?,
        cache_read: report.token_count("/cache_read_input_tokens", "cache reads")?,
        cache_write: report.token_count("/cache_creation_input_tokens", "cache writes")?,
    })
}
