//! Files, symbols, units and postings of a project: the derived half.
//!
//! A **file version** (path + content) is immutable and shared by all worktrees of a project; a worktree is a list
//! of the versions it holds, so a second worktree costs only its differences. Text is not kept: the disk has it.
//!
//! Full text is kept in **segments**, one per written batch: for each term one blob of postings. The engine encodes,
//! decodes and scores them, so that both stores rank alike; here they are opaque bytes.

use crate::Result;
use async_trait::async_trait;
use model::{ContentHash, LineRange, ProjectId, Symbol, SymbolId, SymbolKind, Timestamp};

/// One checkout of a project, as the store numbers it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WorktreeId {
    /// The project.
    pub project: ProjectId,
    /// The store's number for the worktree.
    pub number: i64,
}

/// One file version, as the store numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub i64);

/// One unit of a project; numbered on from segment to segment. Numbers of dropped versions stay unused while a later
/// segment exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnitId(pub u32);

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
    /// What the file system said when it was indexed.
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

/// A piece of a file that search finds as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedUnit {
    /// Its lines.
    pub lines: LineRange,
    /// Index into the version's symbols: what the unit mostly is.
    pub symbol: Option<u32>,
}

/// The facts of one file version.
#[derive(Clone, Debug)]
pub struct FileVersion {
    /// Project-relative path.
    pub path: String,
    /// Hash of its content.
    pub hash: ContentHash,
    /// What the file system says of it in this worktree.
    pub stamp: FileStamp,
    /// Name of its language, if it has one.
    pub language: Option<String>,
    /// Number of lines.
    pub lines: u32,
    /// Its symbols, in file order.
    pub symbols: Vec<Symbol>,
    /// Its units, in file order.
    pub units: Vec<IndexedUnit>,
}

/// The postings of one term in one segment; the bytes are the engine's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermPostings {
    /// The term.
    pub term: String,
    /// Encoded postings, numbering units from the first of the segment.
    pub bytes: Vec<u8>,
}

/// Changes to a worktree, written at once.
#[derive(Clone, Debug, Default)]
pub struct FileBatch {
    /// New versions; their units, in order, are the units of the new segment. One that the project has by now (another
    /// run may have been faster) is linked, and its unit numbers in this segment stay unused.
    pub versions: Vec<FileVersion>,
    /// Field lengths of those units, encoded by the engine.
    pub lengths: Vec<u8>,
    /// Postings over those units, ordered by term, each term once.
    pub postings: Vec<TermPostings>,
    /// Files whose version the project already has: path, version, stamp. Under a path that `versions` has too, the new
    /// version stays.
    pub known: Vec<(String, FileId, FileStamp)>,
    /// Paths that are gone from the worktree; taken away before the others are put in.
    pub removed: Vec<String>,
}

/// A segment, without its postings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The store's number for it.
    pub number: i64,
    /// Its first unit.
    pub first_unit: UnitId,
    /// Number of its units.
    pub units: u32,
    /// Field lengths of its units, as the engine encoded them.
    pub lengths: Vec<u8>,
}

/// The postings of one term in one segment, as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Postings {
    /// The segment's number.
    pub segment: i64,
    /// The term.
    pub term: String,
    /// Encoded postings.
    pub bytes: Vec<u8>,
}

/// A unit with where it is and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredUnit {
    /// Its number.
    pub unit: UnitId,
    /// Project-relative path of its file.
    pub path: String,
    /// Its lines.
    pub lines: LineRange,
    /// The symbol it mostly is, with its kind.
    pub symbol: Option<(SymbolId, SymbolKind)>,
}

/// How far the index of a worktree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexState {
    /// Nothing was indexed yet, or the first run did not finish: answers would be partial.
    NotReady,
    /// A run finished at this time; what is there is whole.
    Ready(Timestamp),
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

/// Code facts of projects.
#[async_trait]
pub trait CodeStore: Send + Sync {
    /// The worktree of `project` at `root`, made when it is not there yet, with the state of its index.
    async fn open_worktree(&self, project: &ProjectId, root: &str) -> Result<(WorktreeId, IndexState)>;

    /// All files of a worktree, ordered by path.
    async fn worktree_files(&self, worktree: &WorktreeId) -> Result<Vec<TreeFile>>;

    /// For each path and hash the version the project already has, in the same order.
    async fn known_versions(
        &self,
        worktree: &WorktreeId,
        wanted: &[(String, ContentHash)],
    ) -> Result<Vec<Option<FileId>>>;

    /// Writes one batch of changes, all or nothing. Versions replace what the worktree had under the same path.
    ///
    /// `NotFound` when the worktree was dropped, or a known version is gone since it was asked for: plan again.
    async fn write_files(&self, worktree: &WorktreeId, batch: FileBatch) -> Result<()>;

    /// Declares the worktree's index whole, and drops versions and segments that no worktree of the project uses.
    /// `NotFound` when the worktree was dropped.
    async fn finish_index(&self, worktree: &WorktreeId, now: Timestamp) -> Result<()>;

    /// Forgets every fact of a project, its worktrees included, so that it can be built anew.
    async fn drop_index(&self, project: &ProjectId) -> Result<()>;

    /// The segments of a project, ordered by their first unit.
    async fn segments(&self, worktree: &WorktreeId) -> Result<Vec<Segment>>;

    /// The postings of some terms in all segments, ordered by term, then segment.
    async fn postings(&self, worktree: &WorktreeId, terms: &[String]) -> Result<Vec<Postings>>;

    /// Units by number, in the order asked, repeats included; numbers that do not exist are left out.
    async fn units(&self, worktree: &WorktreeId, units: &[UnitId]) -> Result<Vec<StoredUnit>>;

    /// The symbols of one file of a worktree, in file order; empty when the worktree has no such file.
    async fn file_symbols(&self, worktree: &WorktreeId, path: &str) -> Result<Vec<Symbol>>;

    /// Totals of a worktree.
    async fn code_totals(&self, worktree: &WorktreeId) -> Result<CodeTotals>;
}
