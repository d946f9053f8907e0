//! `OpenAiEmbedder`, the client of the embeddings API of OpenAI and of compatible servers.

use async_trait::async_trait;
use serde_json::{Value, json};

use super::hosted_embedder::{BatchWire, HostedEmbedder};
use super::hosted_generator::BEARER;
use crate::http::VendorConnection;
use crate::{Embedder, EmbeddingBatch, EmbeddingModel, Result, Vendor};

/// Embeds with OpenAI, or with a server that speaks like it.
#[derive(Debug)]
pub struct OpenAiEmbedder(HostedEmbedder);

impl OpenAiEmbedder {
    /// A model of OpenAI's, with vectors of `dimensions` numbers.
    pub fn new(model: impl Into<String>, dimensions: usize, connection: VendorConnection) -> Self {
        Self(HostedEmbedder::new(Vendor::OpenAi, model.into(), dimensions, connection))
    }

    /// A model of the server at `connection`, whose vectors have `dimensions` numbers.
    pub fn new_compatible(model: impl Into<String>, dimensions: usize, connection: VendorConnection) -> Self {
        Self(HostedEmbedder::new(Vendor::Compatible, model.into(), dimensions, connection))
    }
}

/// OpenAI takes 2,048 texts and 300,000 tokens at once; smaller batches fail in smaller pieces.
const WIRE: BatchWire = BatchWire {
    path: "/embeddings",
    key_header: BEARER,
    texts: 128,
    bytes: 300_000,
    body: build_body,
    rows: parse_rows,
    tokens: "/usage/prompt_tokens",
};

#[async_trait]
impl Embedder for OpenAiEmbedder {
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
        self.0.endpoint().fetch_json("/models", BEARER, &[]).await.map(drop)
    }
}

fn build_body(batches: &HostedEmbedder, texts: &[&str]) -> Value {
    let mut body = json!({ "model": batches.name(), "input": texts, "encoding_format": "float" });
    // Only OpenAI is known to shorten vectors on request; other servers may refuse the field.
    if batches.vendor() == Vendor::OpenAi && batches.name().starts_with("text-embedding-3") {
        body["dimensions"] = json!(batches.model().dimensions);
    }
    body
}

/// The rows say which text they belong to; some servers answer out of order, and some do not say.
fn parse_rows(answer: &Value) -> Result<Vec<&Value>, &'static str> {
    let list = answer["data"].as_array().ok_or("it has no data")?;
    let mut rows = vec![None; list.len()];
    for (place, row) in list.iter().enumerate() {
        let place = match row.get("index").filter(|index| !index.is_null()) {
            // Some servers leave the index out and keep the order.
            None => place,
            Some(index) => {
                index.as_u64().and_then(|index| usize::try_from(index).ok()).ok_or("a vector's place is no number")?
            }
        };
        let slot = rows.get_mut(place).ok_or("a vector belongs to no text")?;
        if slot.replace(&row["embedding"]).is_some() {
            return Err("two vectors belong to one text");
        }
    }
    rows.into_iter().collect::<Option<_>>().ok_or("a text has no vector")
}
