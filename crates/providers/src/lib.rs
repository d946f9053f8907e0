//! Models behind a port: what turns text into vectors, and one vendor per file.
//!
//! The engine sees the trait only; which vendor runs is decided where the binary is wired, by a feature for each.
//! The vendor `builtin` carries its model inside the binary: no file, no network, no setting. Nothing in this crate
//! is touched before somebody asks for a vector.

#[cfg(feature = "conformance")]
pub mod conformance;
mod embedder;
mod error;
pub mod vendors;

pub use embedder::{Embedder, EmbeddingModel, Vector};
pub use error::{Error, Result};
