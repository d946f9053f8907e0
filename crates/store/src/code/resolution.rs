//! Data types with which `CodeStore` writes and reads the symbol graph's edges between the files of a worktree:
//! `EncodedEdges`, `EdgeBatch`, `FileChange` (for incremental resolution) and `Redirect` (a symbol's old and new id).
//!
//! Edges are made from all files at once, so they belong to a version of the worktree, not to a file version. What
//! changed since they were made is noted as it is written, so that a run can make only the edges that may differ.

use super::{FileId, Fingerprint, TreeVersion};
use model::SymbolId;

/// The edges that start in one file; the bytes are the engine's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedEdges {
    /// Project-relative path.
    pub path: String,
    /// How many.
    pub count: u32,
    /// Encoded edges.
    pub bytes: Vec<u8>,
}

/// New edges of a worktree.
#[derive(Clone, Debug)]
pub struct EdgeBatch {
    /// The version of the worktree they were made from.
    pub version: TreeVersion,
    /// What else they were made with: the resolver and what the project says of itself.
    pub made: Fingerprint,
    /// The edges, of all files that changed at least, each path once.
    pub edges: Vec<EncodedEdges>,
    /// Where symbols went that are not where they were.
    pub redirects: Vec<Redirect>,
}

/// A path that leads to another version than when edges were last written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Project-relative path.
    pub path: String,
    /// The version it led to; it stays readable until edges are written.
    pub before: Option<FileId>,
    /// The version it leads to now.
    pub now: Option<FileId>,
}

/// A symbol that has another id now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// The id it had.
    pub from: SymbolId,
    /// The id it has.
    pub to: SymbolId,
}

impl Redirect {
    /// How many of a project are kept; the oldest go first.
    pub const MAX_PER_PROJECT: usize = 10_000;
}
