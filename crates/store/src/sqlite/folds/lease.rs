//! SQL of the SQLite store for the lease of a conversation's context: the fence in its row. Who holds the lease is said
//! by a locked file (`LeaseFiles`), not by a time.

use super::fold::{conversation_number, open_context};
use crate::failpoints::{self, FailPoint};
use crate::sqlite::failure::SqliteFailure;
use crate::{Fence, Result};
use model::ConversationId;
use rusqlite::{Connection, OptionalExtension, params};

/// In `leased_until`: it is taken. No time is said, because none ends it.
pub(super) const TAKEN_MARK: i64 = 0;

/// Makes the caller, who has the lock, the holder of the lease.
pub(super) fn lease_context(db: &Connection, conversation: &ConversationId) -> Result<Fence, SqliteFailure> {
    let number = conversation_number(db, conversation)?;
    open_context(db, number)?;
    // A new holder counts the fence up, so that a fold of the holder before, should it still live, is refused.
    let sql = "UPDATE contexts SET fence = fence + 1, leased_until = ?2 WHERE conversation = ?1 RETURNING fence";
    let fence: i64 = db.prepare_cached(sql)?.query_row(params![number, TAKEN_MARK], |row| row.get(0))?;
    failpoints::pass(FailPoint::LeaseWritten);
    Ok(Fence(fence as u64))
}

/// Fails where the lease has another holder by now, or was given back.
pub(super) fn renew_context(db: &Connection, conversation: &ConversationId, held: Fence) -> Result<(), SqliteFailure> {
    let number = conversation_number(db, conversation)?;
    let sql = "SELECT 1 FROM contexts WHERE conversation = ?1 AND fence = ?2 AND leased_until IS NOT NULL";
    let found = db.prepare_cached(sql)?.query_row(params![number, held.0 as i64], |_| Ok(())).optional()?;
    found.ok_or_else(|| SqliteFailure::Moved { what: "the lease of", id: conversation.to_string() })
}
