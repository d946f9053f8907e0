//! Notices commits of any process to the canonical SQLite database, by its data version: SQLite tells nobody of a
//! commit, and asking for the version costs microseconds.

use crate::tool_calls::CallWatch;
use crate::{Error, Result};
use async_trait::async_trait;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// How often to look.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);

pub(super) struct SqliteCallWatch {
    /// `None` only while a look is under way.
    connection: Option<Connection>,
    name: String,
    version: i64,
}

impl SqliteCallWatch {
    pub(super) fn open(path: &Path) -> rusqlite::Result<Self> {
        // A connection of its own: the version says what other connections have committed since this one looked last.
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        let version = data_version(&connection)?;
        Ok(Self { connection: Some(connection), name: path.display().to_string(), version })
    }

    async fn look(&mut self) -> Result<i64> {
        let stopped = |reason: &str| Error::Unavailable { database: self.name.clone(), reason: reason.to_owned() };
        let Some(connection) = self.connection.take() else { return Err(stopped("its watch was interrupted")) };
        let looked = tokio::task::spawn_blocking(move || (data_version(&connection), connection)).await;
        let (version, connection) = looked.map_err(|_| stopped("its watch was interrupted"))?;
        self.connection = Some(connection);
        version.map_err(|error| super::super::failure::error_of(&self.name, &error))
    }
}

fn data_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "data_version", |row| row.get(0))
}

#[async_trait]
impl CallWatch for SqliteCallWatch {
    async fn wait_for_calls(&mut self, patience: Duration) -> Result<()> {
        // Counted in looks, since the store reads no clock.
        let looks = patience.as_millis() / LOOK_INTERVAL.as_millis();
        for _ in 0..=looks {
            let version = self.look().await?;
            if std::mem::replace(&mut self.version, version) != version {
                return Ok(());
            }
            tokio::time::sleep(LOOK_INTERVAL.min(patience)).await;
        }
        Ok(())
    }
}
