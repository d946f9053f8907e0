//! `Error`, the error type of all store methods, with variants sorted by what the caller can do about them, and
//! `DamagedMessage` for a stored message that does not match its hash.

use std::fmt;

/// The result of a store method.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A message that does not have the hash it was stored with, or that cannot be read at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedMessage {
    /// Its id, as stored.
    pub id: String,
    /// The id of its conversation.
    pub conversation: String,
    /// Its place in the conversation.
    pub seq: u64,
    /// What was found.
    pub what: String,
}

impl fmt::Display for DamagedMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, conversation, seq, what } = self;
        write!(f, "message {id} (number {seq} of conversation {conversation}) is damaged: {what}")
    }
}

/// Why a store method did not do what it was asked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The thing named does not exist.
    #[error("{what} `{id}` does not exist")]
    NotFound {
        /// The kind of thing, in words.
        what: &'static str,
        /// What was asked for.
        id: String,
    },
    /// Another caller changed the thing since this one looked at it. Looking again and making the change anew is safe.
    #[error("{what} `{id}` was changed meanwhile")]
    Conflict {
        /// The kind of thing, in words.
        what: &'static str,
        /// Which one.
        id: String,
    },
    /// Another process holds the database for longer than we wait. Trying again is safe.
    #[error("{database} is busy: another process is writing")]
    Busy {
        /// Which database.
        database: String,
    },
    /// Stored data contradicts itself.
    #[error("{database} is damaged: {what}")]
    Corrupt {
        /// Which database.
        database: String,
        /// What was found.
        what: String,
    },
    /// A stored message is not the one that was acknowledged.
    #[error("{0}")]
    DamagedMessage(DamagedMessage),
    /// A vector that does not fit where it is to be kept. Nothing was written.
    #[error("cannot keep a vector of {found} numbers: it is for {space}")]
    WrongDimensions {
        /// What made the vector, and how many numbers it gives.
        space: String,
        /// How many it has.
        found: usize,
    },
    /// The database was written by a later release.
    #[error("cannot open {database}: written by a newer version (schema {found}, this one knows {known})")]
    Newer {
        /// Which database.
        database: String,
        /// Its schema version.
        found: u32,
        /// The newest schema version this build knows.
        known: u32,
    },
    /// The database cannot be written where it is.
    #[error("cannot write {database}: {reason}")]
    ReadOnly {
        /// Which database.
        database: String,
        /// What the system said.
        reason: String,
    },
    /// The database cannot be reached or does not answer as it should.
    #[error("cannot use {database}: {reason}")]
    Unavailable {
        /// Which database.
        database: String,
        /// What the system said.
        reason: String,
    },
}

impl Error {
    /// Whether stored data is damaged: reading it again fails the same way, and reading other data may not.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Corrupt { .. } | Self::DamagedMessage(_))
    }
}
