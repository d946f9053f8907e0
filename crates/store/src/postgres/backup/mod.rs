//! Backups of one tenant of a PostgreSQL database: one compressed file that holds the tenant's canonical rows, as one
//! state of the database had them, while others go on writing.
//!
//! A tenant is the unit: it is what a team owns, what one key opens, and what can be put back without touching others.
//! The rows of a table are lines of JSON, which the database itself writes and reads. What can be made again is left out:
//! the index of code, the full text of conversations, jobs, reservations. Loading gives every row a new number, because
//! the numbers of the file may be taken in the database that it is loaded into.

mod backup_file;
mod load;
mod tables;

use super::PostgresStore;
use super::database::AccessMode;
use super::failure::PostgresFailure;
use crate::{BackupRecord, Error, Result};
use backup_file::{TenantFileReader, TenantFileWriter};
use futures::TryStreamExt as _;
use model::Timestamp;
use std::path::Path;
use tables::BACKUP_TABLES;

impl PostgresStore {
    /// Writes a backup of the tenant into a new file; refused where there is one.
    pub async fn write_backup(&self, file: &Path, program: &str, now: Timestamp) -> Result<BackupRecord> {
        let mut writer = TenantFileWriter::create(file, program, now).map_err(|error| file_error(file, &error))?;
        let mut client = self.acquire_connection().await.map_err(|failure| self.named(failure))?;
        let copied = async {
            // One transaction that sees one state: rows of every table fit together.
            let transaction = self.begin_transaction(&mut client, AccessMode::Read).await?;
            // A large tenant takes longer than a question may.
            transaction.execute("SELECT set_config('statement_timeout', '0', true)", &[]).await?;
            for table in BACKUP_TABLES {
                writer.begin_table(table.name)?;
                let rows = transaction.query_stream(&table.select_rows()).await?;
                let mut rows = std::pin::pin!(rows);
                while let Some(row) = rows.try_next().await? {
                    writer.add_row(row.try_get(0)?)?;
                }
            }
            Ok::<_, CopyFailure>(())
        };
        match copied.await {
            Ok(()) => writer.finish().map_err(|error| file_error(file, &error)),
            Err(CopyFailure::Database(failure)) => Err(self.named(failure)),
            Err(CopyFailure::File(error)) => Err(file_error(file, &error)),
        }
    }

    /// What a file says that it is; an error where it is no backup of a tenant, or not whole.
    pub fn check_backup(file: &Path) -> Result<BackupRecord> {
        TenantFileReader::check(file).map_err(|error| file_error(file, &error))
    }

    fn named(&self, failure: PostgresFailure) -> Error {
        failure.into_error(self.database.name())
    }
}

/// Why a copy was not made.
enum CopyFailure {
    Database(PostgresFailure),
    File(std::io::Error),
}

impl<F: Into<PostgresFailure>> From<F> for CopyFailure {
    fn from(failure: F) -> Self {
        Self::Database(failure.into())
    }
}

impl From<std::io::Error> for CopyFailure {
    fn from(error: std::io::Error) -> Self {
        Self::File(error)
    }
}

fn file_error(file: &Path, error: &std::io::Error) -> Error {
    let database = file.display().to_string();
    if error.kind() == std::io::ErrorKind::InvalidData {
        Error::Corrupt { database, what: error.to_string() }
    } else {
        Error::Unavailable { database, reason: error.to_string() }
    }
}
