//! The anchor: an append-only file outside of the database that says how far every conversation and archive was.
//!
//! A database alone cannot show that its end was cut off, or that an older copy of it was put back: what is left fits
//! together. So every commit that changes what is kept adds one entry to a file that lies elsewhere (the state
//! directory). The anchor **follows** the commit: it is written after the database is durable and before the caller
//! gets its acknowledgement. So it may be behind (a process was killed between the two, a power cut took the last
//! lines, which are not synced), and the next entry or `verify` catches it up. A store that is behind its anchor has
//! lost something that was acknowledged, and the anchor names it.
//!
//! # Removing on purpose
//!
//! A method that deletes or replaces what is append-only (a purge of secrets, the data of a forgotten project)
//! describes it with a [`DataRemoval`] for each conversation, archive or row: what it was, why, when, how far it was
//! before, and how far what stands in its place is. The row is put into the table `removals` in the transaction that
//! deletes (`sqlite::put_removal`, or [`AnchorStore::record_removal`] for a transaction of its own); the anchor gets
//! its entry when that transaction is committed. On SQLite no method has to do so for what a row of `rewrites`
//! explains, nor while a project is forgotten: in such a transaction the store itself adds a removal for each
//! conversation and archive that has another hash or is gone, and for each summary, artifact, memory, record and
//! statement that went with it. From that entry on, what was anchored
//! of the subject before no longer counts, and `verify` names the removal with its reason instead of a loss. Where the
//! process dies between commit and anchor, the table in the database still says it.

mod entry;
mod file;
mod log;

pub use entry::{AcceptedRestore, AnchorEntry, AnchorHead, AnchorPoint, AnchoredState, DataRemoval, RemovedSubject};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) use file::AnchorFile;
pub use log::{AnchorLog, AnchoredHashes, ArchiveKey};

use crate::Result;
use async_trait::async_trait;
use model::Timestamp;

/// Which rows are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedRows {
    /// Conversations, of which there are few.
    Conversations,
    /// Messages too, which takes time in a large store: the whole table is read.
    Messages,
}

/// What is known of the store outside of its database.
#[async_trait]
pub trait AnchorStore: Send + Sync {
    /// What the anchor says now. To compare it with the database, read it first: the database may only be ahead.
    async fn read_anchor(&self) -> Result<AnchorLog>;

    /// Adds points that the anchor lacks, because a writer was stopped between its commit and its entry.
    async fn catch_up_anchor(&self, points: Vec<AnchorPoint>) -> Result<()>;

    /// Everything that was removed or replaced on purpose, oldest first, as the database knows it.
    async fn list_removals(&self) -> Result<Vec<DataRemoval>>;

    /// Writes down that something was removed or replaced on purpose, in the database and then in the anchor.
    async fn record_removal(&self, removal: DataRemoval) -> Result<()>;

    /// Accepts the database as it is, under a name that the user gives it: a backup that was restored on purpose. What
    /// was anchored before no longer counts, and `points` are what there is.
    async fn accept_restored(&self, name: &str, at: Timestamp, points: Vec<AnchorPoint>) -> Result<()>;

    /// `Corrupt` when there are more or fewer conversations or messages than were stored: asked before an answer says
    /// that there is nothing.
    async fn check_counts(&self, which: CountedRows) -> Result<()>;

    /// Takes what can be made again from messages (contexts, facts, jobs) as it is now, after a repair made it anew.
    async fn recount_derived(&self) -> Result<()>;
}
