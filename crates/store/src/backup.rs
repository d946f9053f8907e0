//! `BackupRecord`: what a backup says that it is, whichever store wrote it.

use model::Timestamp;

/// What a backup is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupRecord {
    /// When it was made.
    pub created: Timestamp,
    /// The version of the program that made it.
    pub program: String,
    /// Files that it holds besides the database.
    pub files: u64,
    /// Its bytes.
    pub bytes: u64,
}
