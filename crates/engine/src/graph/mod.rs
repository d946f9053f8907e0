//! The graph of a project's code: what its files say they use, and which symbols that is.
//!
//! Extraction looks at each file alone and keeps what it uses as written. Resolution looks at all files together and
//! turns what is written into edges. It is pure: bytes in, edges out, so that it can run in parallel and be tested
//! with a few lines of source.

mod bytes;
mod edges;
mod resolver;
mod uses;

pub(crate) use edges::{Endpoint, FileEdge, FileEdges, Unresolved};
pub(crate) use resolver::{Manifest, Resolver, SourceFile, is_manifest};
pub(crate) use uses::encode_uses;
