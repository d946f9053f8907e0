//! `OllamaGenerator`, the client of Ollama's chat API: models on this machine, or on one of the user's.
//!
//! Left alone, Ollama cuts a prompt that is longer than its default window and says nothing, so the window is asked
//! for in every request. It grows in doublings: another size makes Ollama load the model again.

use async_trait::async_trait;
use serde_json::{Value, json};

use super::hosted_generator::{BEARER, GenerationWire, HostedGenerator, messages_with_system};
use crate::answer::{AnswerEnd, UsageReport, VendorAnswer};
use crate::http::{VendorConnection, VendorEndpoint};
use crate::{
    FailureCost, GenerateRequest, GeneratedText, GenerationModel, Generator, ProviderFailure, Result, Usage, Vendor,
};

/// Asks Ollama.
#[derive(Debug)]
pub struct OllamaGenerator(HostedGenerator);

impl OllamaGenerator {
    /// A model that Ollama has pulled.
    pub fn new(model: impl Into<String>, connection: VendorConnection) -> Self {
        Self(HostedGenerator::new(Vendor::Ollama, model.into(), connection))
    }
}

const WIRE: GenerationWire =
    GenerationWire { path: "/api/chat", key_header: BEARER, headers: &[], body: build_body, read: parse_answer };

#[async_trait]
impl Generator for OllamaGenerator {
    fn model(&self) -> &GenerationModel {
        self.0.model()
    }

    async fn generate(&self, request: &GenerateRequest) -> Result<GeneratedText> {
        self.0.generate(&WIRE, request).await
    }

    async fn probe(&self) -> Result<()> {
        check_installed(self.0.endpoint(), &self.model().name).await
    }
}

/// Whether the model has been pulled. A name without a tag means the tag `latest`.
pub(super) async fn check_installed(endpoint: &VendorEndpoint, model: &str) -> Result<()> {
    let list = endpoint.fetch_json("/api/tags", BEARER, &[]).await?;
    let wanted = if model.contains(':') { model.to_owned() } else { format!("{model}:latest") };
    let names = list["models"].as_array().into_iter().flatten().filter_map(|model| model["name"].as_str());
    if names.into_iter().any(|name| name == wanted) {
        return Ok(());
    }
    Err(endpoint.build_error(ProviderFailure::WrongModel { model: model.to_owned() }, FailureCost::Nothing))
}

fn build_body(model: &str, request: &GenerateRequest) -> Value {
    let mut body = json!({
        "model": model,
        "messages": messages_with_system(request),
        "stream": false,
        // A thinking model would spend the whole limit on its reasoning.
        "think": false,
        // Without it Ollama cuts a longer prompt at its default window and says nothing.
        "options": { "num_predict": request.max_output.0, "num_ctx": context_window(request) },
    });
    if let Some(temperature) = request.temperature {
        body["options"]["temperature"] = json!(temperature);
    }
    if let Some(schema) = &request.schema {
        body["format"] = schema.clone();
    }
    body
}

/// Room for the request and its answer. A token of code or prose is rarely less than two bytes and a half.
fn context_window(request: &GenerateRequest) -> u64 {
    let said: usize = request.messages.iter().map(|turn| turn.text.len()).sum();
    let input = (request.system.len() + said) as u64 * 2 / 5;
    // A power of two: another size makes Ollama load the model again.
    (input + u64::from(request.max_output.0)).next_power_of_two().max(4096)
}

fn parse_answer(answer: &Value) -> Result<VendorAnswer, &'static str> {
    let message = answer.get("message").ok_or("it has no message")?;
    // A reply that is not done is the first piece of a stream.
    if answer["done"] == false {
        return Err("it did not complete");
    }
    let ended = if answer["done_reason"] == "length" { AnswerEnd::Cut } else { AnswerEnd::Whole };
    Ok(VendorAnswer {
        text: message["content"].as_str().unwrap_or_default().to_owned(),
        ended,
        usage: parse_usage(&UsageReport(Some(answer))),
    })
}

fn parse_usage(report: &UsageReport<'_>) -> Result<Usage, &'static str> {
    Ok(Usage {
        input: report.token_count("/prompt_eval_count", "input")?,
        output: report.token_count("/eval_count", "output")?,
        ..Usage::default()
    })
}
