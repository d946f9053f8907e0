//! Data types for worktrees (checkouts of a project) in `CodeStore`: the files a worktree holds (`TreeFile`), its
//! version, and whether its index is complete (`IndexState`).

use super::{FileId, Fingerprint, UnitId};
use model::{ContentHash, ProjectId, Timestamp};

/// One checkout of a project, as the store numbers it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WorktreeId {
    /// The project.
    pub project: ProjectId,
    /// The store's number for the worktree.
    pub number: i64,
}

/// Counts the changes of a worktree's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TreeVersion(pub i64);

/// A worktree, and how far its index is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worktree {
    /// The worktree.
    pub id: WorktreeId,
    /// Whether its files are all there.
    pub state: IndexState,
    /// Made when the store first knew it, and never again: no other worktree, and none of another store, has the same.
    pub identity: i64,
    /// Of what files.
    pub version: TreeVersion,
    /// The state that its edges were made from; `None` before the first edges.
    pub resolved: Option<EdgeOrigin>,
    /// The commit that its files were last compared at, where they are of a repository.
    pub commit: Option<String>,
}

/// A worktree with the directory it is a checkout in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedWorktree {
    /// The directory, as it was named when the worktree was opened.
    pub root: String,
    /// The worktree.
    pub id: WorktreeId,
    /// Whether its files are all there.
    pub state: IndexState,
    /// When a run first finished.
    pub first_finished: Option<Timestamp>,
    /// The commit that its files were last compared at, where they are of a repository.
    pub commit: Option<String>,
}

/// The state that the edges of a worktree were made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeOrigin {
    /// The files.
    pub version: TreeVersion,
    /// And what else; see [`super::EdgeBatch`].
    pub made: Fingerprint,
}

/// How far the index of a worktree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexState {
    /// Nothing was indexed yet, or the first run did not finish: answers would be partial.
    NotReady,
    /// A run finished at this time; what is there is whole.
    Ready(Timestamp),
}

/// What the file system says of a file without reading it; equal stamps mean equal content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStamp {
    /// Size.
    pub bytes: u64,
    /// Time of the last change, in nanoseconds since the epoch; 0 when it may not be trusted.
    pub modified: i64,
}

/// A file as it stands in a worktree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFile {
    /// Project-relative path.
    pub path: String,
    /// Hash of its content.
    pub hash: ContentHash,
    /// What made its records.
    pub made: Fingerprint,
    /// Size and time of the file when it was indexed.
    pub stamp: FileStamp,
    /// The version.
    pub file: FileId,
    /// Name of its language, if it has one.
    pub language: Option<String>,
    /// Number of lines.
    pub lines: u32,
    /// Its first unit.
    pub first_unit: UnitId,
    /// Number of its units.
    pub units: u32,
}

/// Totals of one worktree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct CodeTotals {
    /// Files.
    pub files: u64,
    /// Symbols.
    pub symbols: u64,
    /// Relations between symbols.
    pub edges: u64,
    /// Units.
    pub units: u64,
}
