//! One database file: a writer thread that commits many callers' changes at once, and a few readers beside it.
//!
//! A durable commit waits for the disk, and the disk does not mind whether one row or a hundred come with it. So the
//! writer takes every change that is waiting, runs each in a savepoint of its own (one that fails takes nothing with
//! it), commits once, and only then tells the callers. Nobody is told "stored" before it is.

use super::schema;
use crate::{Error, Result};
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;
use tokio::sync::oneshot;

/// When a commit must have reached the disk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Durability {
    /// Before it is acknowledged: what was acknowledged survives a power cut.
    EveryCommit,
    /// Sometime: the content can be rebuilt.
    Rebuildable,
}

/// How many changes may share one commit.
const GROUP: usize = 128;

/// How long to wait for another process before saying "busy".
const PATIENCE: Duration = Duration::from_secs(5);

/// What to tell a caller once the fate of the commit is known.
type Reply = Box<dyn FnOnce(Result<()>) + Send>;
/// A change, given the open transaction or the reason why there is none.
type Change = Box<dyn FnOnce(Result<&Connection>) -> Reply + Send>;

/// Why a query or a change failed, before the database's name is put to it.
pub(super) enum Failure {
    /// The driver refused.
    Driver(rusqlite::Error),
    /// A row is not one we could have written.
    Damaged(String),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Driver(error)
    }
}

impl Failure {
    fn named(self, database: &str) -> Error {
        match self {
            Self::Driver(error) => error_of(database, &error),
            Self::Damaged(what) => Error::Corrupt { database: database.to_owned(), what },
        }
    }
}

pub(super) struct Database {
    path: PathBuf,
    changes: mpsc::Sender<Change>,
    readers: Arc<Mutex<Vec<Connection>>>,
}

impl Database {
    /// Opens or makes the database at `path` and brings its schema up to date.
    pub(super) fn open(path: &Path, durability: Durability, migrations: &[&str]) -> Result<Self> {
        let name = path.display().to_string();
        if let Some(parent) = path.parent() {
            make_private(parent).map_err(|error| read_only(&name, &error))?;
        }
        let mut writer = Connection::open(path).map_err(|error| error_of(&name, &error))?;
        configure(&writer, durability).map_err(|error| error_of(&name, &error))?;
        schema::migrate(&mut writer, &name, migrations)?;
        let (changes, waiting) = mpsc::channel::<Change>();
        std::thread::Builder::new()
            .name("epitome-writer".to_owned())
            .spawn(move || write_groups(writer, &name, &waiting))
            .map_err(|error| Error::Unavailable {
                database: path.display().to_string(),
                reason: format!("no writer thread: {error}"),
            })?;
        Ok(Self { path: path.to_owned(), changes, readers: Arc::default() })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs a change and returns when it is committed.
    pub(super) async fn write<T, F>(&self, change: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    {
        let (tell, told) = oneshot::channel();
        let name = self.path.display().to_string();
        let change: Change = Box::new(move |connection| {
            let outcome = connection.and_then(|connection| in_savepoint(connection, &name, change));
            Box::new(move |commit| {
                // The caller may have gone away; its change is committed all the same.
                drop(tell.send(commit.and(outcome)));
            })
        });
        let stopped = || Error::Unavailable {
            database: self.path.display().to_string(),
            reason: "its writer has stopped".to_owned(),
        };
        self.changes.send(change).map_err(|_| stopped())?;
        told.await.map_err(|_| stopped())?
    }

    /// Runs a query on one consistent state.
    pub(super) async fn read<T, F>(&self, query: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    {
        let readers = Arc::clone(&self.readers);
        let path = self.path.clone();
        let name = path.display().to_string();
        let panicked = Error::Unavailable { database: name.clone(), reason: "a query panicked".to_owned() };
        tokio::task::spawn_blocking(move || {
            let fail = |error: rusqlite::Error| error_of(&name, &error);
            let idle = readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut connection = match idle {
                Some(connection) => connection,
                None => open_reader(&path).map_err(fail)?,
            };
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Deferred).map_err(fail)?;
            let answer = query(&transaction).map_err(|failure| failure.named(&name))?;
            transaction.commit().map_err(fail)?;
            readers.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
            Ok(answer)
        })
        .await
        .map_err(|_| panicked)?
    }
}

fn write_groups(mut writer: Connection, name: &str, waiting: &mpsc::Receiver<Change>) {
    while let Ok(first) = waiting.recv() {
        let group: Vec<Change> = std::iter::once(first).chain(waiting.try_iter()).take(GROUP).collect();
        commit_group(&mut writer, name, group);
    }
}

fn commit_group(writer: &mut Connection, name: &str, group: Vec<Change>) {
    match writer.transaction_with_behavior(TransactionBehavior::Immediate) {
        Ok(transaction) => {
            let replies: Vec<Reply> = group.into_iter().map(|change| change(Ok(&transaction))).collect();
            let commit = transaction.commit();
            for reply in replies {
                reply(commit.as_ref().map(|()| ()).map_err(|error| error_of(name, error)));
            }
        }
        Err(error) => group.into_iter().for_each(|change| change(Err(error_of(name, &error)))(Ok(()))),
    }
}

fn in_savepoint<T>(
    connection: &Connection,
    name: &str,
    change: impl FnOnce(&Connection) -> Result<T, Failure>,
) -> Result<T> {
    let fail = |error: rusqlite::Error| error_of(name, &error);
    connection.execute_batch("SAVEPOINT change").map_err(fail)?;
    let outcome = change(connection).map_err(|failure| failure.named(name));
    let end = if outcome.is_ok() { "RELEASE change" } else { "ROLLBACK TO change; RELEASE change" };
    connection.execute_batch(end).map_err(fail)?;
    outcome
}

fn configure(connection: &Connection, durability: Durability) -> rusqlite::Result<()> {
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(
        None,
        "synchronous",
        if durability == Durability::EveryCommit { "full" } else { "normal" },
    )?;
    connection.pragma_update(None, "fullfsync", durability == Durability::EveryCommit)?;
    connection.pragma_update(None, "checkpoint_fullfsync", durability == Durability::EveryCommit)?;
    common(connection)
}

fn open_reader(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    common(&connection)?;
    Ok(connection)
}

fn common(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(64);
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "temp_store", "memory")
}

/// Makes a directory nobody else may look into: it holds conversations.
fn make_private(directory: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

fn read_only(database: &str, error: &std::io::Error) -> Error {
    Error::ReadOnly { database: database.to_owned(), reason: error.to_string() }
}

/// Maps a driver error to ours, naming the database.
pub(super) fn error_of(database: &str, error: &rusqlite::Error) -> Error {
    let database = database.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::Busy { database },
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::DiskFull) => {
            Error::ReadOnly { database, reason: error.to_string() }
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            Error::Corrupt { database, what: error.to_string() }
        }
        _ => Error::Unavailable { database, reason: error.to_string() },
    }
}
