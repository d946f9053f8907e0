//! `PostgresFailure`, the internal error type of the PostgreSQL store: classifies errors of driver, server and pool by
//! what can be done (retry, refuse, report damage) and converts them to the store's `Error`.

use crate::rows::DamagedRow;
use crate::{DamagedMessage, Error};
use deadpool_postgres::{PoolError, TimeoutType};
use std::error::Error as _;

/// Why a query or a change failed, before the database's name is put to it.
#[derive(Debug)]
pub(super) enum PostgresFailure {
    /// The driver or the server refused.
    Driver(tokio_postgres::Error),
    /// No connection could be had.
    NoConnection(String),
    /// A row is not one we could have written.
    Damaged(String),
    /// A message is not the one that was acknowledged.
    DamagedMessage(DamagedMessage),
    /// The caller names something that is not there.
    Missing { what: &'static str, id: String },
    /// Another caller changed the state that this change was based on.
    Moved { what: &'static str, id: String },
    /// The schema is one that this build does not know.
    Newer { found: u32, known: u32 },
}

impl From<tokio_postgres::Error> for PostgresFailure {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Driver(error)
    }
}

impl From<DamagedMessage> for PostgresFailure {
    fn from(damaged: DamagedMessage) -> Self {
        Self::DamagedMessage(damaged)
    }
}

impl From<DamagedRow> for PostgresFailure {
    fn from(DamagedRow(what): DamagedRow) -> Self {
        Self::Damaged(what)
    }
}

impl From<PoolError> for PostgresFailure {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Backend(error) => Self::Driver(error),
            PoolError::Timeout(TimeoutType::Wait) => Self::NoConnection("no connection became free in time".to_owned()),
            PoolError::Timeout(_) => Self::NoConnection("the server did not answer in time".to_owned()),
            error @ (PoolError::Closed | PoolError::NoRuntimeSpecified | PoolError::PostCreateHook(_)) => {
                Self::NoConnection(error.to_string())
            }
        }
    }
}

impl PostgresFailure {
    /// Whether the same transaction may succeed when it is tried again: it lost a race, or its connection.
    pub(super) fn is_passing(&self) -> bool {
        match self {
            Self::Driver(error) => match error.code() {
                Some(code) => {
                    // In order: serialization failure, deadlock, shutdown by the administrator, crash of the server,
                    // starting up, idle session ended; class 08 is a lost connection.
                    let code = code.code();
                    ["40001", "40P01", "57P01", "57P02", "57P03", "57P05"].contains(&code) || code.starts_with("08")
                }
                // Without a code the server did not speak: the socket broke, which passes when the server is back.
                None => error.is_closed() || error.source().is_some_and(<dyn std::error::Error>::is::<std::io::Error>),
            },
            // A pool without a free connection was waited for already, for as long as [`super::database`] allows.
            Self::NoConnection(_)
            | Self::Damaged(_)
            | Self::DamagedMessage(_)
            | Self::Missing { .. }
            | Self::Moved { .. }
            | Self::Newer { .. } => false,
        }
    }

    /// Whether the server itself refused and will go on refusing: nothing was stored.
    pub(super) fn is_refusal(&self) -> bool {
        matches!(self, Self::Driver(error) if error.as_db_error().is_some()) && !self.is_passing()
    }

    pub(super) fn into_error(self, database: &str) -> Error {
        let database = database.to_owned();
        match self {
            Self::Driver(error) => error_of(database, &error),
            Self::NoConnection(reason) => Error::Unavailable { database, reason },
            Self::Damaged(what) => Error::Corrupt { database, what },
            Self::DamagedMessage(damaged) => Error::DamagedMessage(damaged),
            Self::Missing { what, id } => Error::NotFound { what, id },
            Self::Moved { what, id } => Error::Conflict { what, id },
            Self::Newer { found, known } => Error::Newer { database, found, known },
        }
    }
}

/// Maps a driver error to ours, naming the database.
pub(super) fn error_of(database: String, error: &tokio_postgres::Error) -> Error {
    let reason = error_text(error);
    match error.code().map(tokio_postgres::error::SqlState::code) {
        // In order: serialization failure, deadlock, lock timeout: another writer was in the way.
        Some("40001" | "40P01" | "55P03") => Error::Busy { database },
        // In order: read-only transaction, missing right, full disk: the user has to act before anything can be
        // written.
        Some("25006" | "42501" | "53100") => Error::ReadOnly { database, reason },
        // In order: corrupt data and corrupt index, as the server itself reports them.
        Some("XX001" | "XX002") => Error::Corrupt { database, what: reason },
        _ => Error::Unavailable { database, reason },
    }
}

/// What a user can do about a connection that TLS kept from being made.
const TLS_HINTS: [(&str, &str); 2] = [
    (
        "server does not support TLS",
        "hint: messages would cross the network in clear; switch TLS on in the server, or add `sslmode=disable` to the \
         URL where the network is trusted",
    ),
    ("invalid peer certificate", "hint: `sslrootcert=FILE` in the URL names the authority that signed it"),
];

/// The server's own words where it spoke, else the driver's with every cause below.
fn error_text(error: &tokio_postgres::Error) -> String {
    if let Some(said) = error.as_db_error() {
        return said.message().to_owned();
    }
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        words = format!("{words}: {error}");
        cause = error.source();
    }
    match TLS_HINTS.iter().find(|(what, _)| words.contains(what)) {
        Some((_, hint)) => format!("{words}\n{hint}"),
        None => words,
    }
}
