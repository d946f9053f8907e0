//! SQL queries on the SQLite database in which Goose keeps all conversations: lists its sessions, and writes one as
//! JSON lines, the session's row first, then its messages. Row numbers are left out, because a compaction rewrites all
//! rows.

use std::io::Result;

use super::transcripts;
use crate::database::{AgentDatabase, RowFormat, StoredConversation};
use crate::format::RowReader;

pub(super) const ROWS: RowReader = RowReader { list: list_sessions, read: read_session };

/// What a session is; the rest of its columns counts, or remembers what is shown. A table of another version may lack some.
const SESSION: [&str; 6] = ["id", "name", "session_type", "working_dir", "created_at", "parent_session_id"];

/// The sessions of Goose in which something was said, oldest first; or the one of an id.
fn list_sessions(database: &AgentDatabase, only: Option<&str>) -> Result<Vec<StoredConversation>> {
    database.list_conversations(
        "SELECT id, working_dir,
                (SELECT sum(octet_length(content_json)) FROM messages WHERE session_id = sessions.id) AS size
           FROM sessions WHERE (?1 IS NULL OR id = ?1) AND size > 0 ORDER BY created_at, id",
        only,
    )
}

/// The rows of one of them: the session, then its messages. Their numbers are left out, because all rows are written
/// anew when a conversation is compacted, and so is whether the model still sees them.
fn read_session(database: &AgentDatabase, session: &str) -> Result<Vec<u8>> {
    let mut lines = Vec::new();
    let format = RowFormat { table: transcripts::SESSION, only: &SESSION, json: &[] };
    database.write_rows(&format, "SELECT * FROM sessions WHERE id = ?", session, &mut lines)?;
    let format = RowFormat { table: transcripts::MESSAGE, only: &[], json: &["content_json"] };
    // The row number and the flag for what the model sees are left out: compaction rewrites both, and a line that
    // changes makes the whole transcript a new one.
    let rows = "SELECT message_id, role, content_json, created_timestamp,
                       json_extract(metadata_json, '$.userVisible') AS user_visible,
                       json_extract(metadata_json, '$.turnContext') AS turn_context
                  FROM messages WHERE session_id = ? ORDER BY id";
    database.write_rows(&format, rows, session, &mut lines)?;
    Ok(lines)
}
