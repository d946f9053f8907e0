//! `CodeStore`, the store trait for a project's code index: files, records of their symbols, postings and graph edges.
//! The index is derived: it can be dropped and rebuilt from the source files.
//!
//! A **file version** (path, content, and what made its records) is immutable and shared by all worktrees of a project;
//! a worktree is a list of the versions it holds, so a second worktree costs only its differences. Text is not kept:
//! the disk has it.
//!
//! Records, postings and edges are **bytes of the engine**, opaque here: a version is one row, however many symbols it
//! has, and both stores answer alike because neither looks inside.

mod resolution;
mod segment;
mod tree;
mod version;

pub use resolution::{EdgeBatch, EncodedEdges, FileChange, Redirect};
pub use segment::{FileBatch, Segment, SegmentFile, SegmentMerge, SegmentPostings, TermPostings, UnitId};
pub use tree::{
    CodeTotals, EdgeOrigin, FileStamp, IndexState, ListedWorktree, TreeFile, TreeVersion, Worktree, WorktreeId,
};
pub use version::{FileId, FileRecord, FileRecordKind, FileRecords, FileVersion, Fingerprint, WorktreeRecords};

use crate::Result;
use async_trait::async_trait;
use model::{ContentHash, ProjectId, Timestamp};

/// file records of projects.
#[async_trait]
pub trait CodeStore: Send + Sync {
    /// The worktree of `project` at `root`, made when it is not there yet.
    async fn open_worktree(&self, project: &ProjectId, root: &str) -> Result<Worktree>;

    /// Every worktree of every project, ordered by project, then root.
    async fn list_worktrees(&self) -> Result<Vec<ListedWorktree>>;

    /// All files of a worktree, ordered by path.
    async fn worktree_files(&self, worktree: &WorktreeId) -> Result<Vec<TreeFile>>;

    /// For each path, hash and fingerprint the version the project already has, in the same order.
    async fn known_versions(
        &self,
        worktree: &WorktreeId,
        wanted: &[(String, ContentHash, Fingerprint)],
    ) -> Result<Vec<Option<FileId>>>;

    /// The files at some paths of a worktree, in the order asked.
    async fn files_at(&self, worktree: &WorktreeId, paths: &[String]) -> Result<Vec<Option<TreeFile>>>;

    /// The files at some paths of a worktree and below them, each once, ordered by path.
    async fn files_within(&self, worktree: &WorktreeId, places: &[String]) -> Result<Vec<TreeFile>>;

    /// The files of a worktree that are understood in part, each with the reasons, ordered by path.
    async fn file_problems(&self, worktree: &WorktreeId) -> Result<Vec<(String, Vec<String>)>>;

    /// Writes one batch of changes, all or nothing. Versions replace what the worktree had under the same path. The
    /// worktree's version goes up when any of its paths leads to another version, or to none, afterwards.
    ///
    /// `NotFound` when the worktree was dropped, or a known version is gone since it was asked for: plan again.
    async fn write_files(&self, worktree: &WorktreeId, batch: FileBatch) -> Result<()>;

    /// Declares the worktree's index whole, and drops versions and segments that no worktree of the project uses.
    /// `NotFound` when the worktree was dropped.
    async fn finish_index(&self, worktree: &WorktreeId, now: Timestamp) -> Result<()>;

    /// Keeps at which commit the files of a worktree were last compared; `NotFound` when the worktree is gone.
    async fn note_commit(&self, worktree: &WorktreeId, commit: Option<&str>) -> Result<()>;

    /// Forgets every record of a project, its worktrees included, so that it can be built anew.
    async fn drop_index(&self, project: &ProjectId) -> Result<()>;

    /// One record of some versions, in the order asked; none for a version that is not there any more.
    async fn load_records(
        &self,
        worktree: &WorktreeId,
        record: FileRecordKind,
        files: &[FileId],
    ) -> Result<Vec<Option<Vec<u8>>>>;

    /// One record of every file of a worktree, ordered by path.
    async fn worktree_records(&self, worktree: &WorktreeId, record: FileRecordKind) -> Result<WorktreeRecords>;

    /// The paths whose version changed since edges were last written, ordered by path. None before the first time:
    /// everything is new then.
    async fn load_changes(&self, worktree: &WorktreeId) -> Result<Vec<FileChange>>;

    /// Writes the edges of some files, drops those of files that are gone, and keeps the redirects (of those with the
    /// same start the newest, and only so many).
    ///
    /// `Conflict` when the worktree is not at the version they were made from: make them again.
    async fn write_edges(&self, worktree: &WorktreeId, resolution: EdgeBatch) -> Result<()>;

    /// The edges of every file that has some written, ordered by path.
    async fn load_edges(&self, worktree: &WorktreeId) -> Result<Vec<EncodedEdges>>;

    /// Where symbols of the project went, oldest first.
    async fn load_redirects(&self, project: &ProjectId) -> Result<Vec<Redirect>>;

    /// The segments of a project, ordered by their first unit.
    async fn load_segments(&self, worktree: &WorktreeId) -> Result<Vec<Segment>>;

    /// The postings of some terms in all segments, ordered by term, then segment.
    async fn load_postings(&self, worktree: &WorktreeId, terms: &[String]) -> Result<Vec<SegmentPostings>>;

    /// All postings of some segments, ordered by term, then segment.
    async fn segment_postings(&self, worktree: &WorktreeId, segments: &[i64]) -> Result<Vec<SegmentPostings>>;

    /// The versions whose units are in some segments, ordered by first unit.
    async fn segment_files(&self, worktree: &WorktreeId, segments: &[i64]) -> Result<Vec<SegmentFile>>;

    /// Puts one segment in the place of some. Units of its versions get new numbers; nothing else changes.
    ///
    /// `Conflict` when one of those segments is gone, or holds other versions than said: plan again.
    async fn merge_segments(&self, worktree: &WorktreeId, merge: SegmentMerge) -> Result<()>;

    /// Answers of models about symbols of a project and questions about it, by the digest of the prompt; in the order
    /// asked.
    async fn symbol_summaries(&self, project: &ProjectId, keys: &[ContentHash]) -> Result<Vec<Option<String>>>;

    /// Keeps what models said; of several under one key the newest. Forgetting the records of a project
    /// leaves them: they were paid for.
    async fn write_symbol_summaries(&self, project: &ProjectId, summaries: Vec<(ContentHash, String)>) -> Result<()>;

    /// Keeps what models answered to other questions about the project, by the digest of each; it is read as summaries are,
    /// and is none.
    async fn write_model_answers(&self, project: &ProjectId, answers: Vec<(ContentHash, String)>) -> Result<()>;

    /// Grows whenever summaries are written, so that equal numbers mean equal summaries; 0 while there are none.
    async fn symbol_summary_revision(&self, project: &ProjectId) -> Result<u64>;

    /// Totals of a worktree.
    async fn code_totals(&self, worktree: &WorktreeId) -> Result<CodeTotals>;
}
