//! The persistence port: traits by family, their two implementations, and the one suite both must pass.
//!
//! One method is one transaction; no transaction object crosses the trait. Conversations are **canonical**:
//! append-only, durable when a method returns, and no method updates or deletes a message. Code facts are
//! **derived**: they may be dropped and rebuilt at any time. Nothing outside this crate contains SQL.

#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod append;
mod archive;
mod code;
#[cfg(feature = "postgres")]
mod columns;
#[cfg(feature = "conformance")]
pub mod conformance;
mod error;
mod feedback;
mod folds;
pub mod hold;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod key;
mod ledger;
mod memory;
#[cfg(feature = "sqlite")]
mod message_shape;
mod passages;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod rows;
#[cfg(feature = "sqlite")]
pub mod sqlite;
mod vectors;

pub use archive::{
    ArchiveBatch, ArchiveStore, ArchiveTotals, Archived, Artifact, ArtifactStore, Begin, FileIdentity, Frame,
    FrameMark, Generation, GenerationId, KindCount, LineClass, Mark, MessageOrigin, NewArtifact, NewFrame, NewTail,
    Origin, Quarantined, ScrubbedLine, Source, Target,
};
pub use code::{
    CodeStore, CodeTotals, Fact, Facts, FileBatch, FileChange, FileEdges, FileFact, FileId, FileStamp, FileVersion,
    Fingerprint, IndexState, Merge, Postings, Redirect, Resolution, Resolved, Segment, SegmentFile, TermPostings,
    TreeFile, TreeVersion, UnitId, Worktree, WorktreeFacts, WorktreeId,
};
pub use error::{DamagedMessage, Error, Result};
pub use feedback::{Answer, FeedbackStore, FeedbackTotals, Place};
pub use folds::{
    ActiveContext, ActiveSummary, Charged, ContextVersion, FactsRead, Fence, FoldStore, FoldTotals, Grant,
    GrantRefusal, IntegrityMode, Job, JobEnd, JobId, NewFacts, NewFold, NewJob, Pressure, Unfold, Work,
};
pub use ledger::{
    Account, Amount, Basis, Ceiling, Entry, Figures, LedgerStore, Limits, NewEntry, NewReservation, Refusal,
    ReservationId, Reserved, Settlement, Spending, Standing, Total, TotalsBy, TotalsFilter,
};
pub use memory::{
    Ack, Among, Append, Appended, Conversation, Cursor, Fault, Find, Found, Judge, MemoryStore, MemoryTotals,
    MemoryVersion, NewRow, Taken, Verdict, Window,
};
pub use passages::{NewPassages, PassagePostings, PassageSegment, PassageSegments, PassageStore};
pub use vectors::{Space, SpaceTotals, VectorStore};

/// Everything the engine needs kept.
pub trait Store:
    MemoryStore
    + PassageStore
    + ArchiveStore
    + ArtifactStore
    + CodeStore
    + LedgerStore
    + VectorStore
    + FoldStore
    + FeedbackStore
{
    /// Which implementation runs and where it keeps its data, for `status` and `doctor`; never for decisions.
    fn describe(&self) -> String;
}
