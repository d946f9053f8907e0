//! Data types of the code search's inverted index in `CodeStore`. The index is kept in **segments**, one per written
//! batch of files (`FileBatch`), with one blob of postings for each term; `SegmentMerge` replaces several segments by
//! one.

use super::{FileId, FileStamp, FileVersion};

/// One unit of a project; numbered on from segment to segment. Numbers of dropped versions stay unused while a later
/// segment exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnitId(pub u32);

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
pub struct SegmentPostings {
    /// The segment's number.
    pub segment: i64,
    /// The term.
    pub term: String,
    /// Encoded postings.
    pub bytes: Vec<u8>,
}

/// A version whose units are in a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentFile {
    /// The version.
    pub file: FileId,
    /// The segment's number.
    pub segment: i64,
    /// Its first unit.
    pub first_unit: UnitId,
    /// Number of its units.
    pub units: u32,
}

/// One segment made of several.
#[derive(Clone, Debug)]
pub struct SegmentMerge {
    /// The segments it replaces.
    pub segments: Vec<i64>,
    /// Their versions, all of them; their units, in this order, are the units of the new segment.
    pub files: Vec<FileId>,
    /// Field lengths of those units.
    pub lengths: Vec<u8>,
    /// Postings over those units, ordered by term, each term once.
    pub postings: Vec<TermPostings>,
}
