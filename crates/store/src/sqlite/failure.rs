//! `SqliteFailure`, the error of a query or a change on SQLite before the database's name is put to it, and how errors of
//! the driver become ours.

use crate::rows::DamagedRow;
use crate::{DamagedMessage, Error};
use rusqlite::ErrorCode;

/// Why a query or a change failed, before the database's name is put to it.
pub(super) enum SqliteFailure {
    /// The driver refused.
    Driver(rusqlite::Error),
    /// A row is not one we could have written.
    Damaged(String),
    /// A message is not the one that was acknowledged.
    DamagedMessage(DamagedMessage),
    /// The caller names something that is not there.
    Missing { what: &'static str, id: String },
    /// Another caller changed the state that this change was based on.
    Moved { what: &'static str, id: String },
}

impl From<rusqlite::Error> for SqliteFailure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Driver(error)
    }
}

impl From<DamagedMessage> for SqliteFailure {
    fn from(damaged: DamagedMessage) -> Self {
        Self::DamagedMessage(damaged)
    }
}

impl From<DamagedRow> for SqliteFailure {
    fn from(DamagedRow(what): DamagedRow) -> Self {
        Self::Damaged(what)
    }
}

impl SqliteFailure {
    pub(super) fn into_error(self, database: &str) -> Error {
        match self {
            Self::Driver(error) => error_of(database, &error),
            Self::Damaged(what) => Error::Corrupt { database: database.to_owned(), what },
            Self::DamagedMessage(damaged) => Error::DamagedMessage(damaged),
            Self::Missing { what, id } => Error::NotFound { what, id },
            Self::Moved { what, id } => Error::Conflict { what, id },
        }
    }
}

/// Maps a driver error to ours, naming the database.
pub(super) fn error_of(database: &str, error: &rusqlite::Error) -> Error {
    let database = database.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::Busy { database },
        // A full disk counts as read-only, because the user has to do the same about both: make the place writable.
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::DiskFull) => {
            Error::ReadOnly { database, reason: error.to_string() }
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            Error::Corrupt { database, what: error.to_string() }
        }
        // A value of the wrong type is no error of SQLite, which has no column types; in our tables it can only be
        // damage.
        None if is_wrong_value(error) => Error::Corrupt { database, what: error.to_string() },
        // What the driver adds is the text of our own statement, which tells a user nothing.
        _ => {
            let input = if let rusqlite::Error::SqlInputError { msg, .. } = error { Some(msg.clone()) } else { None };
            Error::Unavailable { database, reason: input.unwrap_or_else(|| error.to_string()) }
        }
    }
}

/// Whether a column holds what its type never had: every value we wrote can be read as we wrote it.
pub(super) fn is_wrong_value(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};
    matches!(error, FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) | Utf8Error(..))
}
