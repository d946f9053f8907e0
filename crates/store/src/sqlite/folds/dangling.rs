//! SQL of the SQLite store for items of a context that lead nowhere: finds them, and takes them out.

use super::fold::{conversation_number, move_on, open_context};
use crate::sqlite::failure::SqliteFailure;
use crate::{ContextVersion, DanglingItem, Fence, MissingRow, Result};
use model::ConversationId;
use rusqlite::{Connection, params};

pub(super) fn dangling_items(db: &Connection, conversation: i64) -> Result<Vec<DanglingItem>, SqliteFailure> {
    let sql = "SELECT i.ordinal, s.number IS NULL FROM context_items i LEFT JOIN summaries s ON s.number = i.summary
                 LEFT JOIN contexts x ON x.conversation = i.conversation
               WHERE i.conversation = ?1 AND (s.number IS NULL OR x.conversation IS NULL) ORDER BY i.ordinal";
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map([conversation], |row| {
        let missing = if row.get(1)? { MissingRow::Summary } else { MissingRow::Context };
        Ok(DanglingItem { place: row.get::<_, i64>(0)? as u64, missing })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(super) fn drop_items(
    db: &Connection,
    conversation: &ConversationId,
    held: Fence,
    places: &[u64],
) -> Result<ContextVersion, SqliteFailure> {
    let number = conversation_number(db, conversation)?;
    open_context(db, number)?;
    let sql = "SELECT version, fence FROM contexts WHERE conversation = ?1";
    let (version, fence): (i64, i64) = db.prepare_cached(sql)?.query_row([number], |row| row.try_into())?;
    if fence as u64 != held.0 {
        return Err(SqliteFailure::Moved { what: "the context of", id: conversation.to_string() });
    }
    let sql = "DELETE FROM context_items WHERE conversation = ?1 AND ordinal = ?2";
    let mut statement = db.prepare_cached(sql)?;
    for place in places {
        statement.execute(params![number, *place as i64])?;
    }
    move_on(db, number, ContextVersion(version as u64))
}
