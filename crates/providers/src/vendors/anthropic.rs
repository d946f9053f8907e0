//! Anthropic's Messages.

use async_trait::async_trait;
use serde_json::{Value, json};

use super::hosted::{Hosted, Wire, turns};
use crate::answer::{Answer, Ended, Report};
use crate::http::Connection;
use crate::{GenerateRequest, Generated, GenerationModel, Generator, Result, Usage, Vendor};

/// Asks Anthropic.
#[derive(Debug)]
pub struct Anthropic(Hosted);

impl Anthropic {
    /// A model of Anthropic's, or of a server that speaks like it.
    pub fn new(model: impl Into<String>, connection: Connection) -> Self {
        Self(Hosted::new(Vendor::Anthropic, model.into(), connection))
    }
}

const WIRE: Wire = Wire {
    path: "/v1/messages",
    key_header: ("x-api-key", ""),
    headers: &[("anthropic-version", "2023-06-01")],
    body,
    read,
};

#[async_trait]
impl Generator for Anthropic {
    fn model(&self) -> &GenerationModel {
        self.0.model()
    }

    async fn generate(&self, request: &GenerateRequest) -> Result<Generated> {
        self.0.generate(&WIRE, request).await
    }

    async fn probe(&self) -> Result<()> {
        let path = format!("/v1/models/{}", self.model().name);
        self.0.endpoint().look(&path, WIRE.key_header, WIRE.headers).await.map(drop)
    }
}

fn body(model: &str, request: &GenerateRequest) -> Value {
    let mut body = json!({
        "model": model,
        "max_tokens": request.max_output.0,
        "messages": turns(request).collect::<Vec<_>>(),
    });
    if !request.system.is_empty() {
        body["system"] = json!(request.system);
    }
    if let Some(schema) = &request.schema {
        body["output_config"] = json!({ "format": { "type": "json_schema", "schema": schema } });
    }
    body
}

fn read(answer: &Value) -> Result<Answer, &'static str> {
    let blocks = answer.get("content").and_then(Value::as_array).ok_or("it has no content")?;
    let texts = blocks.iter().filter(|block| block["type"] == "text").filter_map(|block| block["text"].as_str());
    let ended = match answer["stop_reason"].as_str() {
        Some("refusal") => Ended::Refused,
        Some("max_tokens" | "model_context_window_exceeded") => Ended::Cut,
        _ => Ended::Whole,
    };
    Ok(Answer { text: texts.collect(), ended, usage: usage(&Report(answer.get("usage"))) })
}

fn usage(report: &Report<'_>) -> Result<Usage, &'static str> {
    Ok(Usage {
        input: report.tokens("/input_tokens", "input")?,
        output: report.tokens("/output_tokens", "output")?,
        cache_read: report.tokens("/cache_read_input_tokens", "cache reads")?,
        cache_write: report.tokens("/cache_creation_input_tokens", "cache writes")?,
    })
}
