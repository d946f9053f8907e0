//! Clients of language models and embedding models: the traits `Generator` and `Embedder`, and one vendor per file.
//!
//! The engine sees the traits only; which vendor runs is decided where the binary is wired, by a feature for each
//! family: `builtin`, `hosted` (over HTTP), `commands` (other programs). The vendor `builtin` carries its model inside
//! the binary: no file, no network, no setting. Nothing in this crate is loaded before a caller asks for it.

mod breaker;
mod embedder;
#[cfg(feature = "builtin")]
mod encoder;
mod error;
mod generator;
mod key;
mod local_embedder;
mod prompts;
mod resilient;
mod usage;
mod vendor;
pub mod vendors;

#[cfg(any(feature = "commands", feature = "hosted"))]
mod answer;
#[cfg(feature = "commands")]
mod child_program;
#[cfg(feature = "conformance")]
pub mod conformance;
#[cfg(feature = "hosted")]
mod http;
#[cfg(feature = "hosted")]
mod refusal;

pub use breaker::CircuitBreaker;
#[cfg(feature = "commands")]
pub use child_program::{OWN_CALL, OWN_DIRECTORY};
pub use embedder::{Embedder, EmbeddingBatch, EmbeddingModel, Vector};
#[cfg(feature = "builtin")]
pub use encoder::BuiltinEncoder;
pub use error::{FailureCost, FailureRemedy, ProviderError, ProviderFailure, Result};
pub use generator::{
    GenerateRequest, GeneratedText, GenerationModel, Generator, RequestMessage, RequestSpeaker, StopReason,
};
#[cfg(feature = "hosted")]
pub use http::{Address, AddressError, NetworkReach, VendorConnection};
pub use key::{ApiKey, KeyError, KeyOrigin, Secret};
pub use local_embedder::{LocalEmbedder, PartVectors, TextEncoder};
pub use prompts::{Prompt, PromptVersion, SummaryEffort, SymbolForm};
pub use resilient::{MonotonicClock, ResilientProvider};
pub use usage::Usage;
pub use vendor::Vendor;
