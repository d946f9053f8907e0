//! `VectorStore`, the store trait for embedding vectors of texts, each in the space of the model that made it.
//!
//! A vector means something only beside vectors of the same model, so none is written, found or counted without its
//! **space**: another model, another version of it or another number of dimensions is another space, and no question
//! spans two. Vectors are kept by the digest of their text, so what moves or comes back is not embedded again. Vectors
//! can be made anew, but perhaps not for free: dropping the index of a project leaves them.

use crate::Result;
use async_trait::async_trait;
use model::{ContentHash, DigestBuilder, ProjectId, Timestamp};
use std::fmt;

/// The origin of vectors. Two spaces are the same exactly when all fields are equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VectorSpace {
    /// The model, with its vendor.
    pub model: String,
    /// The model's version: another one may give the same text another vector.
    pub version: String,
    /// How many numbers a vector has.
    pub dimensions: u32,
}

impl VectorSpace {
    /// Its id: the same for the same model, version and dimensions, everywhere.
    pub fn space_id(&self) -> String {
        let digest =
            DigestBuilder::new("embedding model").add_field(self.model.as_bytes()).add_field(self.version.as_bytes());
        let hash = digest.add_field(&self.dimensions.to_le_bytes()).finish();
        let hex: String = hash.as_bytes()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        format!("emb_{hex}")
    }

    /// Whose model it is, and what they call it; what is inside the program is its own.
    pub fn provider_and_name(&self) -> (&str, &str) {
        self.model.split_once('/').unwrap_or((&self.model, &self.model))
    }
}

impl fmt::Display for VectorSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}, {} dimensions", self.model, self.version, self.dimensions)
    }
}

/// What a project has in one space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpaceTotals {
    /// The space.
    pub space: VectorSpace,
    /// How many texts were embedded in it.
    pub vectors: u64,
    /// When the first of them was.
    pub created: Timestamp,
}

/// Vectors of projects.
#[async_trait]
pub trait VectorStore: Send + Sync {
    /// The vectors of some texts in a space, by the digest of each, in the order asked. No numbers where the model was
    /// asked and has nothing to say about a text; none where it was never asked.
    async fn load_vectors(
        &self,
        project: &ProjectId,
        space: &VectorSpace,
        texts: &[ContentHash],
    ) -> Result<Vec<Option<Vec<f32>>>>;

    /// Keeps vectors, all or none, and durably when this returns; of several of one text the last.
    ///
    /// `WrongDimensions` when one has numbers, and not as many as the space says.
    async fn write_vectors(
        &self,
        project: &ProjectId,
        space: &VectorSpace,
        vectors: Vec<(ContentHash, Vec<f32>)>,
        now: Timestamp,
    ) -> Result<()>;

    /// The spaces that a project has vectors in, in their order.
    async fn vector_spaces(&self, project: &ProjectId) -> Result<Vec<SpaceTotals>>;

    /// Drops every vector of a project but those of some texts in one space, and says how many.
    async fn keep_vectors(&self, project: &ProjectId, space: &VectorSpace, texts: &[ContentHash]) -> Result<u64>;
}

/// Numbers as both stores keep them, or `WrongDimensions`.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn bytes_of(space: &VectorSpace, vectors: &[(ContentHash, Vec<f32>)]) -> Result<Vec<Vec<u8>>> {
    let bytes = |(_, numbers): &(ContentHash, Vec<f32>)| {
        if numbers.is_empty() || numbers.len() == space.dimensions as usize {
            return Ok(numbers.iter().flat_map(|number| number.to_le_bytes()).collect());
        }
        Err(crate::Error::WrongDimensions { space: space.to_string(), found: numbers.len() })
    };
    vectors.iter().map(bytes).collect()
}

/// The numbers of a row, or why it is not one we could have written.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn numbers_of(space: &VectorSpace, bytes: &[u8]) -> Result<Vec<f32>, crate::rows::DamagedRow> {
    let (chunks, rest) = bytes.as_chunks();
    if !rest.is_empty() || !(chunks.is_empty() || chunks.len() == space.dimensions as usize) {
        return Err(crate::rows::DamagedRow(format!("a vector of {} bytes in {space}", bytes.len())));
    }
    Ok(chunks.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect())
}
