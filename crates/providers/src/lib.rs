//! Models behind ports: what writes text, what turns text into vectors, and one vendor per file.
//!
//! The engine sees the traits only; which vendor runs is decided where the binary is wired, by a feature for each
//! family: `builtin`, `hosted` (over HTTP), `commands` (other programs). The vendor `builtin` carries its model inside
//! the binary: no file, no network, no setting. Nothing in this crate is touched before somebody asks for something.

#[cfg(feature = "conformance")]
pub mod conformance;
mod embedder;
mod error;
mod generator;
mod key;
mod usage;
mod vendor;
pub mod vendors;

pub use embedder::{Embedded, Embedder, EmbeddingModel, Vector};
pub use error::{Error, Failure, Remedy, Result, Spent};
pub use generator::{GenerateRequest, Generated, GenerationModel, Generator, Speaker, Stop, Turn};
pub use key::{Key, KeyError, KeyOrigin, Secret};
pub use usage::Usage;
pub use vendor::Vendor;
