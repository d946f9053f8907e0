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
pub mod failpoints;
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
    ArchiveBatch, ArchiveStore, ArchiveTotals, ArchiveOutcome, Artifact, ArtifactStore, NewGeneration, FileIdentity, ArchiveFrame,
    FrameMark, Generation, GenerationId, KindCount, LineClass, SourceMark, MessageOrigin, NewArtifact, NewFrame, NewTail,
    GenerationOrigin, QuarantinedLine, ScrubbedLine, TranscriptSource, BatchTarget,
};
pub use code::{
    CodeStore, CodeTotals, CodeFactKind, CodeFacts, FileBatch, FileChange, EncodedEdges, FileFact, FileId, FileStamp, FileVersion,
    Fingerprint, IndexState, SegmentMerge, SegmentPostings, Redirect, EdgeBatch, EdgeOrigin, Segment, SegmentFile, TermPostings,
    TreeFile, TreeVersion, UnitId, Worktree, WorktreeFacts, WorktreeId,
};
pub use error::{DamagedMessage, Error, Result};
pub use feedback::{AnswerRecord, FeedbackStore, FeedbackTotals, AnswerPlace};
pub use folds::{
    ActiveContext, ActiveSummary, ChargeOutcome, ContextVersion, FactsRead, Fence, FoldStore, FoldTotals, ExpansionGrant,
    GrantRefusal, IntegrityMode, Job, JobEnd, JobId, NewFacts, NewFold, NewJob, ContextLimits, UnfoldRequest, JobTask,
};
pub use ledger::{
    LedgerAccount, SpendAmount, EntryBasis, CeilingKind, LedgerEntry, LedgerFigures, LedgerStore, SpendLimits, NewEntry, NewReservation, SpendRefusal,
    ReservationId, ReservationOutcome, Settlement, SpendingState, LedgerStatus, LedgerTotal, TotalsBy, TotalsFilter,
};
pub use memory::{
    MessageAck, MessageFilter, AppendBatch, AppendOutcome, Conversation, StoreCursor, DatabaseFault, MessageQuery, MessageMatches, ContentMatcher, MemoryStore, MemoryTotals,
    MemoryVersion, NewRow, ConflictPolicy, MatchOutcome, MessageWindow,
};
pub use passages::{NewPassages, PassagePostings, PassageSegment, PassageSegments, PassageStore};
pub use vectors::{VectorSpace, SpaceTotals, VectorStore};

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
