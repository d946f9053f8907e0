//! Reads the SQLite databases in which agents keep conversations, as JSON lines, one for each row; the queries are in
//! `rows.rs` of each agent. Databases may be in use: one that no agent has open is read as immutable, without locks or
//! new files; one in use is opened read-only, a conversation in one go, so that the agent does not wait. Counters and
//! screen state are left out: they change all the time, and a changed line makes the whole transcript a new one.

use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row, ToSql};
use serde_json::value::RawValue;

pub(crate) struct AgentDatabase {
    connection: Connection,
    path: PathBuf,
}

/// One conversation of a database, or of a folder in which a file is a row.
pub(crate) struct StoredConversation {
    pub(crate) id: String,
    pub(crate) project: Option<String>,
    pub(crate) bytes: u64,
}

/// A row to be read: its id, and its columns with their names.
pub(crate) struct RowFormat<'a> {
    pub(crate) table: &'a str,
    /// The columns that matter; all, when there are none.
    pub(crate) only: &'a [&'a str],
    /// Columns that hold JSON, which stays as it is.
    pub(crate) json: &'a [&'a str],
}

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

    /// The text that a statement gives for a key; none where it gives no row.
    pub(crate) fn text_value(&self, query: &str, key: &str) -> Result<Option<String>> {
        let mut statement = self.connection.prepare_cached(query).map_err(|error| cannot_read(&self.path, &error))?;
        let mut rows = statement.query([key]).map_err(|error| cannot_read(&self.path, &error))?;
        let row = rows.next().map_err(|error| cannot_read(&self.path, &error))?;
        Ok(row.and_then(|row| {
            row.get_ref(0).ok()?.as_bytes().ok().map(|text| String::from_utf8_lossy(text).into_owned())
        }))
    }

    pub(crate) fn has_table(&self, table: &str) -> Result<bool> {
        let found = self.connection.table_exists(None, table);
        found.map_err(|error| cannot_read(&self.path, &error))
    }

    pub(crate) fn list_conversations(&self, query: &str, only: Option<&str>) -> Result<Vec<StoredConversation>> {
        let read = || {
            let mut statement = self.connection.prepare(query)?;
            let rows = statement.query_map([only], |row| {
                let bytes = row.get::<_, Option<i64>>(2)?.unwrap_or(0);
                // SQLite's sum over no rows is NULL.
                Ok(StoredConversation { id: row.get(0)?, project: row.get(1)?, bytes: bytes.max(0) as u64 })
            })?;
            rows.collect::<rusqlite::Result<Vec<StoredConversation>>>()
        };
        read().map_err(|error| cannot_read(&self.path, &error))
    }

    pub(crate) fn write_rows(&self, format: &RowFormat<'_>, query: &str, id: &str, lines: &mut Vec<u8>) -> Result<()> {
        let read = |lines: &mut Vec<u8>| {
            let mut statement = self.connection.prepare(query)?;
            let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
            let mut rows = statement.query([&id as &dyn ToSql])?;
            while let Some(row) = rows.next()? {
                format.write_row(&names, row, lines)?;
            }
            rusqlite::Result::Ok(())
        };
        read(lines).map_err(|error| cannot_read(&self.path, &error))
    }
}

impl RowFormat<'_> {
    /// Columns of one letter only order the rows.
    fn includes_column(&self, column: &str) -> bool {
        column.len() > 1 && (self.only.is_empty() || self.only.contains(&column))
    }

    /// Writes a row: `{"table":…,"column":…}`.
    fn write_row(&self, names: &[String], row: &Row<'_>, lines: &mut Vec<u8>) -> rusqlite::Result<()> {
        lines.push(b'{');
        if !self.table.is_empty() {
            lines.extend(format!("\"table\":{},", quote_json(self.table)).bytes());
        }
        for (index, name) in names.iter().enumerate().filter(|(_, name)| self.includes_column(name)) {
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
