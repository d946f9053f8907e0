//! `DurableStore`, the store trait for memories: texts that later sessions are told, and the notes of what happened to
//! them. Both are only ever added; how a memory stands follows from its notes.

#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod rows;

#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) use rows::{MemoryRow, NoteRow, gather_memories};

use crate::Result;
use async_trait::async_trait;
use model::{DurableMemory, MemoryId, MemoryNote, NewMemory, ProjectId};

/// What is written about memories together.
#[derive(Clone, Debug, Default)]
pub struct MemoryBatch {
    /// Memories that may be new; of one that is known nothing changes.
    pub memories: Vec<NewMemory>,
    /// What happened to memories, in order.
    pub notes: Vec<(MemoryId, MemoryNote)>,
}

/// Which memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryScope {
    /// All of them.
    All,
    /// Those about a project, and those of its user.
    Project(ProjectId),
}

/// Tells whether memories, notes of them or what was rewritten changed: how many there are of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DurableVersion {
    /// Memories.
    pub memories: u64,
    /// Notes about them.
    pub notes: u64,
    /// Rewrites of what is stored.
    pub rewrites: u64,
}

/// The query for a version, with a schema before each table where a store has one.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn durable_version_sql(schema: &str) -> String {
    "SELECT (SELECT count(*) FROM @memories), (SELECT count(*) FROM @memory_notes), (SELECT count(*) FROM @rewrites)"
        .replace('@', schema)
}

/// Memories.
#[async_trait]
pub trait DurableStore: Send + Sync {
    /// Adds memories and notes, all or none, durable when this returns. `NotFound` when a note is about a memory that
    /// neither is known nor comes with it.
    async fn write_memories(&self, batch: MemoryBatch) -> Result<()>;

    /// Memories with all that is noted about them, also those that were put aside, in the order in which they were first
    /// added. They are given as they are stored, so that damaged ones can be named: a caller that shows one asks
    /// [`DurableMemory::is_intact`] first.
    async fn load_memories(&self, scope: MemoryScope) -> Result<Vec<DurableMemory>>;

    /// While it is the same, so is what `load_memories` gives.
    async fn durable_version(&self) -> Result<DurableVersion>;

    /// One memory, if it exists; `Corrupt` when its words are not those it was stored with.
    async fn load_memory(&self, id: &MemoryId) -> Result<Option<DurableMemory>>;
}
