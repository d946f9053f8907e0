//! What was made for a version of a worktree and is worth keeping until the next question, in memory.

use super::{Graph, Resolver};
use crate::base::VersionedLru;
use std::sync::Arc;
use store::Fingerprint;

/// What an engine keeps.
pub(crate) struct GraphCaches {
    pub(crate) graphs: VersionedLru<Arc<Graph>>,
    /// With what else than files they were made.
    pub(crate) resolvers: VersionedLru<(Fingerprint, Resolver)>,
}

impl Default for GraphCaches {
    fn default() -> Self {
        // A graph for each of a few worktrees that are asked about at once; a resolver is several times its size, and
        // few are worked on at once.
        Self { graphs: VersionedLru::new(4), resolvers: VersionedLru::new(2) }
    }
}
