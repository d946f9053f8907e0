//! Databases that agents keep their conversations in, read as lines: one row, one JSON object.
//!
//! The databases belong to the agents and may be in use. A database that no agent has open is read as a file that does
//! not change, which takes no locks and leaves no files beside it; one that is in use is opened read-only, and each
//! conversation is read in one go, so that the agent does not wait for us. Rows that only count or remember what is
//! shown on a screen are left out: they change all the time, and a line that changes makes the whole transcript a new
//! one.

use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row, ToSql};
use serde_json::value::RawValue;

use crate::transcript::goose;

pub(crate) struct AgentDatabase {
    connection: Connection,
    path: PathBuf,
}

/// One conversation of a database.
pub(crate) struct DatabaseConversation {
    pub(crate) id: String,
    pub(crate) project: Option<String>,
    pub(crate) bytes: u64,
}

/// A row to be read: its id, and its columns with their names.
struct RowFormat<'a> {
    table: &'a str,
    /// The columns that matter; all, when there are none.
    only: &'a [&'a str],
    /// Columns that hold JSON, which stays as it is.
    json: &'a [&'a str],
}

/// The columns that describe a session; the others are counters, or state of the user interface.
const SESSION: [&str; 8] = ["id", "project_id", "parent_id", "slug", "directory", "title", "version", "time_created"];

/// The same for Goose, where a table of another version may lack some.
const GOOSE_SESSION: [&str; 6] = ["id", "name", "session_type", "working_dir", "created_at", "parent_session_id"];

impl AgentDatabase {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        // SQLite would create an empty database where no file is.
        fs_err::metadata(path)?;
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        // A log with content means that a process has the database open: read as immutable, it would miss what is in
        // the log.
        let in_use = fs_err::metadata(PathBuf::from(log)).is_ok_and(|log| log.len() > 0);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = if in_use {
            Connection::open_with_flags(path, flags)
        } else {
            Connection::open_with_flags(immutable_uri(path), flags | OpenFlags::SQLITE_OPEN_URI)
        };
        let database =
            Self { connection: connection.map_err(|error| cannot_read(path, &error))?, path: path.to_owned() };
        database.connection.busy_timeout(Duration::from_secs(2)).map_err(|error| cannot_read(path, &error))?;
        Ok(database)
    }

    /// The sessions of `OpenCode`, oldest first; or the one of an id.
    pub(crate) fn opencode_sessions(&self, only: Option<&str>) -> Result<Vec<DatabaseConversation>> {
        // Older databases keep everything in another table, and an unknown table would fail the whole query.
        let parts = if self.has_table("part")? {
            "SELECT sum(octet_length(data)) FROM part WHERE part.session_id = session.id"
        } else {
            "SELECT 0"
        };
        let query = "FROM session WHERE ?1 IS NULL OR id = ?1 ORDER BY time_created, id";
        self.list_conversations(&format!("SELECT id, directory, ({parts}) {query}"), only)
    }

    /// The rows of one of them: the session, then each message with its parts.
    pub(crate) fn opencode_lines(&self, session: &str) -> Result<Vec<u8>> {
        let mut lines = Vec::new();
        let told = RowFormat { table: "session", only: &SESSION, json: &[] };
        self.write_rows(&told, "SELECT * FROM session WHERE id = ?", session, &mut lines)?;
        let before = lines.len();
        if self.has_table("message")? && self.has_table("part")? {
            // One statement, so that a message and its parts are read in the same state while OpenCode writes.
            let told = RowFormat { table: "", only: &[], json: &["data"] };
            let rows = "SELECT 'message' AS \"table\", id, session_id, NULL AS message_id, time_created, data,
                               time_created AS t, id AS m, 0 AS p
                          FROM message WHERE session_id = ?1
                        UNION ALL
                        SELECT 'part', part.id, part.session_id, part.message_id, part.time_created, part.data,
                               coalesce(message.time_created, part.time_created), part.message_id, 1
                          FROM part LEFT JOIN message ON message.id = part.message_id WHERE part.session_id = ?1
                         ORDER BY t, m, p, id";
            self.write_rows(&told, rows, session, &mut lines)?;
        }
        // Newer versions write the table `session_message`; those in between write both tables with the same words, so
        // only one is read.
        if lines.len() == before && self.has_table("session_message")? {
            let told = RowFormat { table: "session_message", only: &[], json: &["data"] };
            let rows = "SELECT id, session_id, type, time_created, data FROM session_message WHERE session_id = ?
                         ORDER BY time_created, rowid";
            self.write_rows(&told, rows, session, &mut lines)?;
        }
        Ok(lines)
    }

    /// The sessions of Goose in which something was said, oldest first; or the one of an id.
    pub(crate) fn goose_sessions(&self, only: Option<&str>) -> Result<Vec<DatabaseConversation>> {
        self.list_conversations(
            "SELECT id, working_dir,
                    (SELECT sum(octet_length(content_json)) FROM messages WHERE session_id = sessions.id) AS size
               FROM sessions WHERE (?1 IS NULL OR id = ?1) AND size > 0 ORDER BY created_at, id",
            only,
        )
    }

    /// The rows of one of them: the session, then its messages. Their numbers are left out, because all rows are written
    /// anew when a conversation is compacted, and so is whether the model still sees them.
    pub(crate) fn goose_lines(&self, session: &str) -> Result<Vec<u8>> {
        let mut lines = Vec::new();
        let told = RowFormat { table: goose::SESSION, only: &GOOSE_SESSION, json: &[] };
        self.write_rows(&told, "SELECT * FROM sessions WHERE id = ?", session, &mut lines)?;
        let told = RowFormat { table: goose::MESSAGE, only: &[], json: &["content_json"] };
        // The row number and the flag for what the model sees are left out: compaction rewrites both, and a line that
        // changes makes the whole transcript a new one.
        let rows = "SELECT message_id, role, content_json, created_timestamp,
                           json_extract(metadata_json, '$.userVisible') AS user_visible,
                           json_extract(metadata_json, '$.turnContext') AS turn_context
                      FROM messages WHERE session_id = ? ORDER BY id";
        self.write_rows(&told, rows, session, &mut lines)?;
        Ok(lines)
    }

    /// The conversations of Cursor that have a record; or the one of an id.
    pub(crate) fn cursor_composers(&self, only: Option<&str>) -> Result<Vec<DatabaseConversation>> {
        if !self.has_table("cursorDiskKV")? {
            return Ok(Vec::new());
        }
        // The prefix `composerData:` has thirteen characters; the range ends with the character after the colon.
        self.list_conversations(
            "SELECT substr(key, 14), NULL, octet_length(value) FROM cursorDiskKV
              WHERE key >= 'composerData:' AND key < 'composerData;' AND value IS NOT NULL
                AND (?1 IS NULL OR key = 'composerData:' || ?1) ORDER BY key",
            only,
        )
    }

    /// The value that Cursor keeps under a key.
    pub(crate) fn cursor_value(&self, key: &str) -> Result<Option<String>> {
        let mut statement = self
            .connection
            // Cursor declares the column as a blob; the cast reads it as the JSON text it holds.
            .prepare_cached("SELECT CAST(value AS TEXT) FROM cursorDiskKV WHERE key = ?")
            .map_err(|error| cannot_read(&self.path, &error))?;
        let mut rows = statement.query([key]).map_err(|error| cannot_read(&self.path, &error))?;
        let row = rows.next().map_err(|error| cannot_read(&self.path, &error))?;
        Ok(row.and_then(|row| {
            row.get_ref(0).ok()?.as_bytes().ok().map(|text| String::from_utf8_lossy(text).into_owned())
        }))
    }

    fn has_table(&self, table: &str) -> Result<bool> {
        let found = self.connection.table_exists(None, table);
        found.map_err(|error| cannot_read(&self.path, &error))
    }

    fn list_conversations(&self, query: &str, only: Option<&str>) -> Result<Vec<DatabaseConversation>> {
        let read = || {
            let mut statement = self.connection.prepare(query)?;
            let rows = statement.query_map([only], |row| {
                let bytes = row.get::<_, Option<i64>>(2)?.unwrap_or(0);
                // SQLite's sum over no rows is NULL.
                Ok(DatabaseConversation { id: row.get(0)?, project: row.get(1)?, bytes: bytes.max(0) as u64 })
            })?;
            rows.collect::<rusqlite::Result<Vec<DatabaseConversation>>>()
        };
        read().map_err(|error| cannot_read(&self.path, &error))
    }

    fn write_rows(&self, told: &RowFormat<'_>, query: &str, id: &str, lines: &mut Vec<u8>) -> Result<()> {
        let read = |lines: &mut Vec<u8>| {
            let mut statement = self.connection.prepare(query)?;
            let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
            let mut rows = statement.query([&id as &dyn ToSql])?;
            while let Some(row) = rows.next()? {
                told.write_row(&names, row, lines)?;
            }
            rusqlite::Result::Ok(())
        };
        read(lines).map_err(|error| cannot_read(&self.path, &error))
    }
}

impl RowFormat<'_> {
    /// Columns of one letter only order the rows.
    fn is_told(&self, column: &str) -> bool {
        column.len() > 1 && (self.only.is_empty() || self.only.contains(&column))
    }

    /// Writes a row: `{"table":…,"column":…}`.
    fn write_row(&self, names: &[String], row: &Row<'_>, lines: &mut Vec<u8>) -> rusqlite::Result<()> {
        lines.push(b'{');
        if !self.table.is_empty() {
            lines.extend(format!("\"table\":{},", quote_json(self.table)).bytes());
        }
        for (index, name) in names.iter().enumerate().filter(|(_, name)| self.is_told(name)) {
            let value = match row.get_ref(index)? {
                // A column that is NULL says nothing, and leaving it out keeps lines equal when a version adds a
                // column.
                ValueRef::Null => continue,
                ValueRef::Integer(number) => number.to_string(),
                ValueRef::Real(number) => serde_json::Value::from(number).to_string(),
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                    self.render_text(name, &String::from_utf8_lossy(bytes))
                }
            };
            lines.extend(format!("{}:{value},", quote_json(name)).bytes());
        }
        if lines.last() == Some(&b',') {
            lines.pop();
        }
        lines.extend(b"}\n");
        Ok(())
    }

    fn render_text(&self, name: &str, text: &str) -> String {
        let is_line = self.json.contains(&name) && !text.contains(['\n', '\r']);
        if is_line && serde_json::from_str::<&RawValue>(text).is_ok() { text.to_owned() } else { quote_json(text) }
    }
}

pub(crate) fn quote_json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// An address that promises SQLite that no process writes to the file.
fn immutable_uri(path: &Path) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    let encoded: String = path
        .as_os_str()
        .as_encoded_bytes()
        .iter()
        .map(|&byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    format!("file:{encoded}?immutable=1")
}

fn cannot_read(path: &Path, error: &rusqlite::Error) -> Error {
    Error::other(format!("cannot read the database {}: {error}", path.display()))
}
