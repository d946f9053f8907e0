//! `RecordStore`, the store trait for records of sessions (checkpoints, subscriptions, suggestions) and the notes of what
//! happened to them. Both are only ever added; how a record stands follows from its notes.

#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod rows;

#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) use rows::{RecordNoteRow, RecordRow, gather_records};

use crate::Result;
use async_trait::async_trait;
use model::{NewRecord, ProjectId, RecordId, RecordKind, RecordNote, SessionRecord};

/// What is written about records together.
#[derive(Clone, Debug, Default)]
pub struct RecordBatch {
    /// Records that may be new; of one that is known nothing changes.
    pub records: Vec<NewRecord>,
    /// What happened to records, in order.
    pub notes: Vec<(RecordId, RecordNote)>,
}

/// Which records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordFilter {
    /// Only those of this kind.
    pub kind: Option<RecordKind>,
    /// Only those of this project.
    pub project: Option<ProjectId>,
    /// Only those of this session, by its name.
    pub session: Option<String>,
    /// Only so many of those that were added last.
    pub newest: Option<u32>,
}

/// Records of sessions.
#[async_trait]
pub trait RecordStore: Send + Sync {
    /// Adds records and notes, all or none, durable when this returns. `NotFound` when a note is about a record that
    /// neither is known nor comes with it.
    async fn write_records(&self, batch: RecordBatch) -> Result<()>;

    /// Records with all that is noted about them, in the order in which they were first added. They are given as they are
    /// stored, so that damaged ones can be named: a caller that shows one asks [`SessionRecord::is_intact`] first.
    async fn load_session_records(&self, filter: RecordFilter) -> Result<Vec<SessionRecord>>;

    /// One record, if it exists; `Corrupt` when it does not say what it was stored with.
    async fn load_session_record(&self, id: &RecordId) -> Result<Option<SessionRecord>>;
}
