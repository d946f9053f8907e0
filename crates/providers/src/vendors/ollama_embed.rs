//! `OllamaEmbedder`, the client of Ollama's embedding API. Truncation is off: a vector of half a text would be worse
//! than an error.

use async_trait::async_trait;
use serde_json::{Value, json};

use super::hosted_embedder::{BatchWire, HostedEmbedder};
use super::hosted_generator::BEARER;
use super::ollama::check_installed;
use crate::http::VendorConnection;
use crate::{Embedder, EmbeddingBatch, EmbeddingModel, Result, Vendor};

/// Embeds with a model that Ollama has pulled.
#[derive(Debug)]
pub struct OllamaEmbedder(HostedEmbedder);

impl OllamaEmbedder {
    /// A model whose vectors have `dimensions` numbers.
    pub fn new(model: impl Into<String>, dimensions: usize, connection: VendorConnection) -> Self {
        Self(HostedEmbedder::new(Vendor::Ollama, model.into(), dimensions, connection))
    }
}

/// Ollama has no limit; a batch is what a small machine embeds well within the deadline.
const WIRE: BatchWire = BatchWire {
    path: "/api/embed",
    key_header: BEARER,
    texts: 64,
    bytes: 256 << 10,
    body: |batches, texts| json!({ "model": batches.name(), "input": texts, "truncate": false }),
    rows: parse_rows,
    tokens: "/prompt_eval_count",
};

#[async_trait]
impl Embedder for OllamaEmbedder {
    fn model(&self) -> &EmbeddingModel {
        self.0.model()
    }

    fn vendor(&self) -> Vendor {
        self.0.vendor()
    }

    async fn embed(&self, texts: &[&str]) -> Result<EmbeddingBatch> {
        self.0.embed(&WIRE, texts).await
    }

    async fn probe(&self) -> Result<()> {
        check_installed(self.0.endpoint(), self.0.name()).await
    }
}

fn parse_rows(answer: &Value) -> Result<Vec<&Value>, &'static str> {
    Ok(answer["embeddings"].as_array().ok_or("it has no embeddings")?.iter().collect())
}
