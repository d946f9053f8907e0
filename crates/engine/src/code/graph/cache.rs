//! Caches of what was made for a version of a worktree, in memory for the next question.

use super::{Graph, Resolver};
use crate::base::VersionedLru;
use std::sync::Arc;
use store::Fingerprint;

/// The graphs and resolvers of an engine.
pub(crate) struct GraphCaches {
    pub(crate) graphs: VersionedLru<Arc<Graph>>,
    /// Each with the fingerprint of its inputs other than files.
    pub(crate) resolvers: VersionedLru<(Fingerprint, Resolver)>,
}

impl Default for GraphCaches {
    fn default() -> Self {
        // A graph for each of a few worktrees that are asked about at once; a resolver is several times its size, and
        // few are worked on at once.
        Self { graphs: VersionedLru::new(4), resolvers: VersionedLru::new(2) }
    }
}
