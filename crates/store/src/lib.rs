//! The persistence layer: store traits by family, their SQLite and PostgreSQL implementations, one conformance suite.
//!
//! One method is one transaction; no transaction object crosses the trait. Conversations are **canonical**:
//! append-only and durable when a method returns; only `RewriteStore`, which a person has to ask for, changes or removes
//! what is stored, and records it. File records are
//! **derived**: they may be dropped and rebuilt at any time. Nothing outside this crate contains SQL.

mod anchor;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod append;
mod archive;
mod artifact;
mod backup;
mod code;
#[cfg(feature = "postgres")]
mod columns;
#[cfg(feature = "conformance")]
pub mod conformance;
mod durable;
mod entities;
mod error;
pub mod failpoints;
mod feedback;
mod folds;
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
mod private_file;
mod private_folder;
mod records;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod references;
mod rewrite;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod rows;
mod sessions;
#[cfg(feature = "sqlite")]
pub mod sqlite;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod text_columns;
mod tool_calls;
mod vectors;

pub use anchor::{
    AcceptedRestore, AnchorEntry, AnchorHead, AnchorLog, AnchorPoint, AnchorStore, AnchoredHashes, AnchoredState,
    ArchiveKey, CountedRows, DataRemoval, RemovedSubject,
};
pub use archive::{
    ArchiveBatch, ArchiveFrame, ArchiveOutcome, ArchiveStore, ArchiveTotals, BatchTarget, FileIdentity, FrameHeader,
    Generation, GenerationId, GenerationOrigin, KindCount, LineClass, MessageOrigin, NewFrame, NewGeneration, NewTail,
    QuarantinedLine, ReadCheckpoint, ScrubbedLine, TranscriptSource,
};
pub use artifact::{Artifact, ArtifactStore, NewArtifact};
pub use backup::BackupRecord;
pub use code::{
    CodeStore, CodeTotals, EdgeBatch, EdgeOrigin, EncodedEdges, FileBatch, FileChange, FileId, FileRecord,
    FileRecordKind, FileRecords, FileStamp, FileVersion, Fingerprint, IndexState, ListedWorktree, Redirect, Segment,
    SegmentFile, SegmentMerge, SegmentPostings, TermPostings, TreeFile, TreeVersion, UnitId, Worktree, WorktreeId,
    WorktreeRecords,
};
pub use durable::{DurableStore, DurableVersion, MemoryBatch, MemoryScope};
pub use entities::{
    EntityLinkRewrite, EntityRevision, EntityRewrite, EntityStatements, EntityStore, NumberedStatements,
};
pub use error::{DamagedMessage, Error, Result};
pub use feedback::{AnswerPlace, AnswerRecord, FeedbackStore, FeedbackTotals};
pub use folds::{
    ActiveContext, ActiveSummary, ChargeOutcome, ContextLimits, ContextVersion, ConversationFacts, ConversationFolds,
    DanglingItem, DatedFact, ExpansionGrant, FactsBound, FactsRead, Fence, FoldStore, FoldTotals, GrantRefusal,
    IntegrityMode, Job, JobEnd, JobId, JobTask, Lease, LeaseEnd, LeaseOutcome, MissingRow, NewFacts, NewFold, NewJob,
    UnfoldRequest,
};
pub use ledger::{
    CeilingKind, EntryBasis, LedgerAccount, LedgerEntry, LedgerFigures, LedgerStatus, LedgerStore, LedgerTotal,
    NewEntry, NewReservation, ReservationId, ReservationOutcome, Settlement, SpendAmount, SpendLimits, SpendRefusal,
    SpendingState, TotalsBy, TotalsFilter,
};
pub use memory::{
    AppendBatch, AppendOutcome, ConflictPolicy, ContentMatcher, Conversation, DatabaseFault, FaultKind, FoundPlace,
    MatchOutcome, MemoryStore, MemoryTotals, MemoryVersion, MessageAck, MessageFilter, MessageMatches, MessageQuery,
    MessageWindow, NewRow, StoreCursor,
};
pub use passages::{NewPassages, PassagePostings, PassageSegment, PassageSegments, PassageStore};
pub use records::{RecordBatch, RecordFilter, RecordStore};
pub use rewrite::{
    ArtifactRewrite, FrameRewrite, MessageRewrite, RewriteReason, RewriteRecord, RewriteStore, SideText,
    SideTextRewrite, StoreRewrite, TailRewrite, TextPlace,
};
pub use sessions::{LastActivity, SessionStore, StateChange};
pub use tool_calls::{
    CallDoor, CallFigures, CallFilter, CallGrouping, CallOrigin, CallQuestion, CallTotal, CallWatch, Certainty,
    ModeArm, ModeOutcome, ModeSlot, NewToolCall, ToolCall, ToolCallStore,
};
pub use vectors::{SpaceTotals, VectorSpace, VectorStore};

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
    + DurableStore
    + EntityStore
    + RecordStore
    + SessionStore
    + AnchorStore
    + RewriteStore
    + ToolCallStore
{
    /// Which implementation runs and where it keeps its data, for `status` and `doctor`; never for decisions.
    fn describe(&self) -> String;
}
