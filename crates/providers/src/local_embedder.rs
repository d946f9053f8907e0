//! `LocalEmbedder`, the trait for a synchronous embedder that runs on the caller's thread: used for the vectors of a
//! whole project while it is indexed, and of a question while it is answered. `TextEncoder` is the trait for a slower
//! one that runs in the background.

use crate::{EmbeddingModel, Result, Vector};

/// Turns texts into vectors without waiting for anyone.
pub trait LocalEmbedder: Send + Sync {
    /// Which model answers.
    fn model(&self) -> &EmbeddingModel;

    /// The vector of a text, where the model has something to say about it.
    fn embed_now(&self, text: &str) -> Result<Option<Vector>>;

    /// Vectors of the parts of a text, each read with `head` before it, and of all of them together.
    fn embed_parts(&self, head: &str, parts: &[&str]) -> Result<PartVectors>;
}

/// Turns texts into vectors, slowly: the caller encodes in the background, ahead of the questions.
pub trait TextEncoder: Send + Sync {
    /// Which model answers.
    fn model(&self) -> &EmbeddingModel;

    /// The vector of a text, where the model has something to say about it.
    fn encode_text(&self, text: &str) -> Option<Vector>;
}

/// A text in vectors.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PartVectors {
    /// One vector per part.
    pub parts: Vec<Option<Vector>>,
    /// Of all of it.
    pub whole: Option<Vector>,
}
