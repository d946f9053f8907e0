//! The `WorktreeView` trait of in-memory caches (graphs, catalogs) that are updated after new edges of a worktree are
//! written, and the `ResolvedChange` they get.
//!
//! Resolving says what it wrote and knows no view; each view takes from it what concerns it.

use crate::base::{Project, Result};
use async_trait::async_trait;
use store::{EncodedEdges, FileChange, TreeVersion, Worktree};

/// Edges that were just written.
pub(crate) struct ResolvedChange {
    /// The worktree as it was before.
    pub(crate) worktree: Worktree,
    /// The version that the edges are of.
    pub(crate) version: TreeVersion,
    /// Files that differ from those that the edges before were of.
    pub(crate) changes: Vec<FileChange>,
    /// The edges of files that may have others now; none where that may be all files.
    pub(crate) edges: Option<Vec<EncodedEdges>>,
    /// Whether symbols were found to have moved.
    pub(crate) has_redirects: bool,
}

/// A view of worktrees that is kept in memory.
#[async_trait]
pub(crate) trait WorktreeView: Send + Sync {
    /// Brings what is kept of a worktree to the version that edges were just written for. Where nothing is kept, or
    /// another run has changed the worktree since, the next question loads it.
    async fn follow_change(&self, project: &Project, change: &ResolvedChange) -> Result<()>;
}
