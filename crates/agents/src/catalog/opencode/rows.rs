//! SQL queries on the SQLite database in which OpenCode keeps its conversations: lists its sessions, and writes one as
//! JSON lines, the session's row first, then each message with its parts.

use std::io::Result;

use crate::database::{AgentDatabase, RowFormat, StoredConversation};
use crate::format::RowReader;

pub(super) const ROWS: RowReader = RowReader { list: list_sessions, read: read_session };

/// The columns that describe a session; the others are counters, or state of the user interface.
const SESSION: [&str; 8] = ["id", "project_id", "parent_id", "slug", "directory", "title", "version", "time_created"];

/// The sessions of `OpenCode`, oldest first; or the one of an id.
fn list_sessions(database: &AgentDatabase, only: Option<&str>) -> Result<Vec<StoredConversation>> {
    // Older databases keep everything in another table, and an unknown table would fail the whole query.
    let parts = if database.has_table("part")? {
        "SELECT sum(octet_length(data)) FROM part WHERE part.session_id = session.id"
    } else {
        "SELECT 0"
    };
    let query = "FROM session WHERE ?1 IS NULL OR id = ?1 ORDER BY time_created, id";
    database.list_conversations(&format!("SELECT id, directory, ({parts}) {query}"), only)
}

/// The rows of one of them: the session, then each message with its parts.
fn read_session(database: &AgentDatabase, session: &str) -> Result<Vec<u8>> {
    let mut lines = Vec::new();
    let format = RowFormat { table: "session", only: &SESSION, json: &[] };
    database.write_rows(&format, "SELECT * FROM session WHERE id = ?", session, &mut lines)?;
    let before = lines.len();
    if database.has_table("message")? && database.has_table("part")? {
        // One statement, so that a message and its parts are read in the same state while OpenCode writes.
        let format = RowFormat { table: "", only: &[], json: &["data"] };
        let rows = "SELECT 'message' AS \"table\", id, session_id, NULL AS message_id, time_created, data,
                       time_created AS t, id AS m, 0 AS p
                  FROM message WHERE session_id = ?1
                UNION ALL
                SELECT 'part', part.id, part.session_id, part.message_id, part.time_created, part.data,
                       coalesce(message.time_created, part.time_created), part.message_id, 1
                  FROM part LEFT JOIN message ON message.id = part.message_id WHERE part.session_id = ?1
                 ORDER BY t, m, p, id";
        database.write_rows(&format, rows, session, &mut lines)?;
    }
    // Newer versions write the table `session_message`; those in between write both tables with the same words, so
    // only one is read.
    if lines.len() == before && database.has_table("session_message")? {
        let format = RowFormat { table: "session_message", only: &[], json: &["data"] };
        let rows = "SELECT id, session_id, type, time_created, data FROM session_message WHERE session_id = ?
                 ORDER BY time_created, rowid";
        database.write_rows(&format, rows, session, &mut lines)?;
    }
    Ok(lines)
}
