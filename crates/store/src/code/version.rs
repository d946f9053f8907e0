//! Data types for file versions in `CodeStore`: `FileVersion` (path, content hash, extractor's fingerprint) and its
//! encoded `FileRecords` (symbols, signatures and docs, uses, vectors).

use super::{FileStamp, TreeVersion};
use model::ContentHash;

/// One file version, as the store numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub i64);

/// Identifies the extractor and its settings; records made by another extractor have another fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub i64);

/// The records about a file version, each kind read by itself; the engine defines the bytes.
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
    /// What it says as a document, and which requirements it names; empty for most code.
    pub document: Vec<u8>,
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
    /// What it says as a document.
    Document,
}

impl FileRecordKind {
    /// Every part.
    pub const ALL: [Self; 5] = [Self::Symbols, Self::Texts, Self::Uses, Self::Vectors, Self::Document];
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
    /// Why it is understood in part; none of them holds a line end.
    pub problems: Vec<String>,
    /// Its records.
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
