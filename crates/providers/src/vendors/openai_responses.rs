//! `OpenAiResponses`, the client of OpenAI's Responses API. Nothing is stored there: `store` is off in every request.

use async_trait::async_trait;
use serde_json::{Value, json};

use super::hosted_generator::{BEARER, GenerationWire, HostedGenerator, message_values};
use crate::answer::{AnswerEnd, UsageReport, VendorAnswer};
use crate::http::VendorConnection;
use crate::{GenerateRequest, GeneratedText, GenerationModel, Generator, Result, Vendor};

/// Asks OpenAI.
#[derive(Debug)]
pub struct OpenAiResponses(HostedGenerator);

impl OpenAiResponses {
    /// A model of OpenAI's.
    pub fn new(model: impl Into<String>, connection: VendorConnection) -> Self {
        Self(HostedGenerator::new(Vendor::OpenAi, model.into(), connection))
    }
}

const WIRE: GenerationWire =
    GenerationWire { path: "/responses", key_header: BEARER, headers: &[], body: build_body, read: parse_answer };

#[async_trait]
impl Generator for OpenAiResponses {
    fn model(&self) -> &GenerationModel {
        self.0.model()
    }

    async fn generate(&self, request: &GenerateRequest) -> Result<GeneratedText> {
        self.0.generate(&WIRE, request).await
    }

    async fn probe(&self) -> Result<()> {
        let path = format!("/models/{}", self.model().name);
        self.0.endpoint().fetch_json(&path, BEARER, &[]).await.map(drop)
    }
}

fn build_body(model: &str, request: &GenerateRequest) -> Value {
    // No temperature: the reasoning models that are asked here refuse a request that names one.
    let mut body = json!({
        "model": model,
        "input": message_values(request).collect::<Vec<_>>(),
        "max_output_tokens": request.max_output.0,
        // By default OpenAI keeps every response for 30 days.
        "store": false,
    });
    if !request.system.is_empty() {
        body["instructions"] = json!(request.system);
    }
    if let Some(schema) = &request.schema {
        let format = json!({ "type": "json_schema", "name": "answer", "strict": true, "schema": schema });
        body["text"] = json!({ "format": format });
    }
    body
}

fn parse_answer(answer: &Value) -> Result<VendorAnswer, &'static str> {
    let items = answer.get("output").and_then(Value::as_array).ok_or("it has no output")?;
    let messages = items.iter().filter(|item| item["type"] == "message");
    let pieces: Vec<&Value> = messages.filter_map(|message| message["content"].as_array()).flatten().collect();
    let texts = pieces.iter().filter(|piece| piece["type"] == "output_text").filter_map(|piece| piece["text"].as_str());
    let refused = pieces.iter().any(|piece| piece["type"] == "refusal");
    let ended = match (answer["status"].as_str(), answer.pointer("/incomplete_details/reason").and_then(Value::as_str))
    {
        _ if refused => AnswerEnd::Refused,
        (_, Some("content_filter")) => AnswerEnd::Refused,
        (Some("incomplete"), _) => AnswerEnd::Cut,
        // These states have no text yet; taken for an answer, it would look empty.
        (Some("failed" | "cancelled" | "queued" | "in_progress"), _) => return Err("it did not complete"),
        _ => AnswerEnd::Whole,
    };
    let usage = UsageReport(answer.get("usage")).inclusive_usage([
        "/input_tokens",
        "/output_tokens",
        "/input_tokens_details/cached_tokens",
        "/input_tokens_details/cache_write_tokens",
    ]);
    Ok(VendorAnswer { text: texts.collect(), ended, usage })
}
