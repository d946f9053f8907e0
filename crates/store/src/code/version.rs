//! File versions and what is known of them.

use super::{FileStamp, TreeVersion};
use model::ContentHash;

/// One file version, as the store numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub i64);

/// Stands for whatever records were made with; records made otherwise have another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub i64);

/// What is known of a file version, each part read by itself; the bytes are the engine's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileRecords {
    /// Its symbols and units: names, kinds and places.
    pub symbols: Vec<u8>,
    /// What its symbols say of themselves: signatures and docs.
    pub texts: Vec<u8>,
    /// What it uses and what others may use of it.
    pub uses: Vec<u8>,
    /// What its units mean, as vectors.
    pub vectors: Vec<u8>,
}

/// One part of [`FileRecords`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileRecordKind {
    /// Symbols and units.
    Symbols,
    /// Signatures and docs.
    Texts,
    /// Uses.
    Uses,
    /// Vectors.
    Vectors,
}

impl FileRecordKind {
    /// Every part.
    pub const ALL: [Self; 4] = [Self::Symbols, Self::Texts, Self::Uses, Self::Vectors];
}

/// One file version.
#[derive(Clone, Debug)]
pub struct FileVersion {
    /// Project-relative path.
    pub path: String,
    /// Hash of its content.
    pub hash: ContentHash,
    /// What made its records.
    pub made: Fingerprint,
    /// What the file system says of it in this worktree.
    pub stamp: FileStamp,
    /// Name of its language, if it has one.
    pub language: Option<String>,
    /// Number of lines.
    pub lines: u32,
    /// Number of its symbols.
    pub symbols: u32,
    /// Number of its units.
    pub units: u32,
    /// What is known of it.
    pub records: FileRecords,
}

/// One record of every file of a worktree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorktreeRecords {
    /// The worktree's version at that moment.
    pub version: TreeVersion,
    /// The files, ordered by path.
    pub files: Vec<FileRecord>,
}

/// One record of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRecord {
    /// Project-relative path.
    pub path: String,
    /// The version.
    pub file: FileId,
    /// Name of its language, if it has one.
    pub language: Option<String>,
    /// Number of lines.
    pub lines: u32,
    /// The record.
    pub bytes: Vec<u8>,
}
