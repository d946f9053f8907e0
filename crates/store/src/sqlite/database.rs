//! `SqliteDatabase`, one SQLite file with group commit: one writer thread for all callers' changes, and a few readers.
//!
//! A durable commit waits for the disk, and the disk does not mind whether one row or a hundred come with it. So the
//! writer takes every change that is waiting, runs each in a savepoint of its own (one that fails takes nothing with
//! it), commits once, and only then answers the callers. No caller gets the answer "stored" before the commit.

use super::anchor::CommitAnchor;
use super::failure::{SqliteFailure, error_of};
use super::schema::{self, MigrationPlan};
use super::sums::SumKeeper;
use crate::failpoints::{self, FailPoint};
use crate::private_folder::make_private;
use crate::{Error, Result};
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::oneshot;

/// When a commit must have reached the disk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CommitDurability {
    /// Before it is acknowledged: what was acknowledged survives a power cut.
    EveryCommit,
    /// Sometime: the content can be rebuilt.
    Rebuildable,
}

/// Bytes of a page of what is durable: three messages and a bit of a fourth would leave an eighth of smaller pages
/// empty.
const PAGE: u32 = 8_192;

/// What connections keep of a database in memory, in KiB, where it is more than SQLite would. A writer of what is
/// durable changes pages all over its indexes, and a reader of an index that can be rebuilt asks for the same words
/// again.
const CACHE: i64 = 16 << 10;

/// How many changes may share one commit.
const GROUP: usize = 128;

/// A write-ahead log of this many bytes is emptied into the database as soon as it can be.
const LONG_LOG: u64 = 32 << 20;

/// How long to wait for another process before saying "busy".
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The answer to a caller once the commit has succeeded or failed.
type CommitReply = Box<dyn FnOnce(Result<()>) + Send>;
/// A change, given the open transaction or the reason why there is none.
type QueuedChange = Box<dyn FnOnce(Result<&Connection>) -> CommitReply + Send>;

pub(super) struct SqliteDatabase {
    path: PathBuf,
    /// `None` only while it is being closed.
    changes: Option<mpsc::Sender<QueuedChange>>,
    writer: Option<JoinHandle<()>>,
    readers: Arc<Mutex<Vec<Connection>>>,
    durability: CommitDurability,
    /// Follows what is committed, where that is anchored.
    anchor: Option<CommitAnchor>,
    access: DatabaseAccess,
    /// The schema that this program knows.
    known: u32,
}

/// What can be done with a database.
#[derive(Clone, PartialEq, Eq)]
enum DatabaseAccess {
    ReadWrite,
    /// Only reading, and why: its place is a medium or a directory that cannot be written.
    ReadOnly {
        reason: String,
        log: LogPresence,
    },
}

/// Whether a write-ahead log stands beside a database that cannot be written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LogPresence {
    /// It is read with the database, by the file of shared memory that stands beside both.
    Beside,
    /// Its last writer was killed, and that file is not there, nor can it be made.
    Alone,
    /// All is in the database, and SQLite cannot make the files that it would look for.
    None,
}

impl SqliteDatabase {
    /// Opens or makes the database at `path` and brings its schema up to date. One that cannot be written is opened for
    /// reading: what was stored can still be read, compared and exported.
    pub(super) fn open(path: &Path, durability: CommitDurability, schema: &MigrationPlan) -> Result<Self> {
        Self::open_anchored(path, durability, schema, |_| Ok(None))
    }

    /// The same, with what follows its commits: made from the writing connection, when the schema is up to date.
    pub(super) fn open_anchored(
        path: &Path,
        durability: CommitDurability,
        schema: &MigrationPlan,
        anchor: impl FnOnce(&Connection) -> Result<Option<CommitAnchor>, SqliteFailure>,
    ) -> Result<Self> {
        match Self::open_writable(path, durability, schema, anchor) {
            Err(Error::ReadOnly { database, reason }) if path.is_file() => {
                Self::open_read_only(path, durability, schema, &reason)?.ok_or(Error::ReadOnly { database, reason })
            }
            opened => opened,
        }
    }

    /// The database for reading; `None` where it holds nothing or would have to be brought up to date first.
    fn open_read_only(
        path: &Path,
        durability: CommitDurability,
        schema: &MigrationPlan,
        reason: &str,
    ) -> Result<Option<Self>> {
        let name = path.display().to_string();
        let has_bytes = |end: &str| fs_err::metadata(format!("{name}{end}")).is_ok_and(|file| file.len() > 0);
        let log = match (has_bytes("-wal"), has_bytes("-shm")) {
            (false, _) => LogPresence::None,
            (true, true) => LogPresence::Beside,
            (true, false) => LogPresence::Alone,
        };
        let access = DatabaseAccess::ReadOnly { reason: reason.to_owned(), log };
        let reader = open_reader(path, durability, &access).map_err(|error| error_of(&name, &error))?;
        if !schema::is_current(&reader, &name, schema)? {
            return Ok(None);
        }
        let readers = Arc::new(Mutex::new(vec![reader]));
        let (path, known) = (path.to_owned(), schema.newest_version());
        Ok(Some(Self { path, changes: None, writer: None, readers, durability, anchor: None, access, known }))
    }

    fn open_writable(
        path: &Path,
        durability: CommitDurability,
        schema: &MigrationPlan,
        anchor: impl FnOnce(&Connection) -> Result<Option<CommitAnchor>, SqliteFailure>,
    ) -> Result<Self> {
        let name = path.display().to_string();
        // Conversations are private: the folder and the file get their rights before SQLite writes the first byte.
        if let Some(parent) = path.parent() {
            make_private(parent).map_err(|error| read_only(&name, &error))?;
        }
        make_private_file(path).map_err(|error| read_only(&name, &error))?;
        let mut writer = Connection::open(path).map_err(|error| error_of(&name, &error))?;
        let journal = configure_writer(&writer, durability).map_err(|error| error_of(&name, &error))?;
        // Without a write-ahead log readers and the writer block each other, and two processes could not work at once.
        // Some network file systems do not support it.
        if journal != "wal" {
            let reason = format!("its file system allows no write-ahead log (journal mode `{journal}`)");
            return Err(Error::Unavailable { database: name, reason });
        }
        // Before the writer thread starts, so that no change can run on an old schema.
        schema::migrate_schema(&mut writer, &name, schema)?;
        let anchor = anchor(&writer).map_err(|failure| failure.into_error(&name))?;
        let follower = anchor.clone();
        let known = schema.newest_version();
        let (changes, waiting) = mpsc::channel::<QueuedChange>();
        // One thread owns the writing connection: SQLite allows one writer anyway, and a queue can commit many changes
        // at once.
        let writer = std::thread::Builder::new()
            .name("epitome-writer".to_owned())
            .spawn(move || write_groups(writer, &WrittenDatabase { name, known, anchor: follower }, &waiting))
            .map_err(|error| Error::Unavailable {
                database: path.display().to_string(),
                reason: format!("no writer thread: {error}"),
            })?;
        let path = path.to_owned();
        let access = DatabaseAccess::ReadWrite;
        let (changes, writer) = (Some(changes), Some(writer));
        Ok(Self { path, changes, writer, readers: Arc::default(), durability, anchor, access, known })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether its place cannot be written.
    pub(super) fn is_read_only(&self) -> bool {
        self.access != DatabaseAccess::ReadWrite
    }

    /// What sees every row that a change adds or takes away, where commits are anchored.
    pub(super) fn sums(&self) -> Option<SumKeeper> {
        self.anchor.as_ref().map(|anchor| anchor.sums().clone())
    }

    /// Runs a change and returns when it is committed.
    pub(super) async fn write<T, F>(&self, change: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, SqliteFailure> + Send + 'static,
    {
        let (tell, told) = oneshot::channel();
        let name = self.path.display().to_string();
        let anchor = self.anchor.clone();
        let change: QueuedChange = Box::new(move |connection| {
            // Each change runs in a savepoint, so that one that fails takes nothing of the others with it.
            let outcome = connection.and_then(|connection| {
                let run = || in_savepoint(connection, &name, change);
                match &anchor {
                    Some(anchor) => anchor.sums().follow(run),
                    None => run(),
                }
            });
            Box::new(move |commit| {
                // The caller may have been dropped meanwhile, as a request is whose client went away; its change is
                // committed all the same.
                drop(tell.send(outcome.and_then(|done| commit.map(|()| done))));
            })
        });
        if let DatabaseAccess::ReadOnly { reason, .. } = &self.access {
            return Err(Error::ReadOnly { database: self.path.display().to_string(), reason: reason.clone() });
        }
        let stopped = || Error::Unavailable {
            database: self.path.display().to_string(),
            reason: "its writer has stopped".to_owned(),
        };
        self.changes.as_ref().ok_or_else(stopped)?.send(change).map_err(|_| stopped())?;
        // The reply comes after the commit: a caller never learns "stored" before the disk has it.
        told.await.map_err(|_| stopped())?
    }

    /// Runs a query on one consistent state.
    pub(super) async fn read<T, F>(&self, query: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, SqliteFailure> + Send + 'static,
    {
        let readers = Arc::clone(&self.readers);
        let durability = self.durability;
        let access = self.access.clone();
        let known = self.known;
        let path = self.path.clone();
        let name = path.display().to_string();
        let panicked = Error::Unavailable { database: name.clone(), reason: "a query panicked".to_owned() };
        // SQLite blocks, so a query must not run on a thread that serves other requests.
        let asked = tokio::task::spawn_blocking(move || {
            let fail = |error: rusqlite::Error| error_of(&name, &error);
            // A poisoned lock is harmless: the list holds whole connections or none.
            let idle = readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut connection = match idle {
                Some(connection) => connection,
                None => open_reader(&path, durability, &access).map_err(fail)?,
            };
            // Deferred: a read transaction takes no lock that the writer would wait for.
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Deferred).map_err(fail)?;
            schema::refuse_newer(&transaction, &name, known)?;
            let answer = query(&transaction).map_err(|failure| failure.into_error(&name))?;
            transaction.commit().map_err(fail)?;
            // A connection is given back only after success. One that failed is closed, with whatever state it was left
            // in.
            readers.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
            Ok(answer)
        });
        match asked.await {
            Ok(answer) => answer,
            // The runtime is shutting down, and the caller with it: no reply can reach anyone.
            Err(error) if error.is_cancelled() => std::future::pending().await,
            Err(_) => Err(panicked),
        }
    }
}

impl Drop for SqliteDatabase {
    /// Waits for the writer, which as the last to close moves everything into the one file. Readers could not: they go
    /// before the writer is asked to stop.
    fn drop(&mut self) {
        // SQLite empties the log into the database when the last connection closes, and only a writing connection can
        // do it.
        self.readers.lock().unwrap_or_else(PoisonError::into_inner).clear();
        // Without a sender the thread's `recv` fails after the last change, so changes that wait are still committed.
        self.changes = None;
        if let Some(Err(_)) = self.writer.take().map(JoinHandle::join) {
            tracing::error!(path = %self.path.display(), "the writer panicked");
        }
    }
}

/// What the writer knows of the database it writes.
struct WrittenDatabase {
    name: String,
    known: u32,
    anchor: Option<CommitAnchor>,
}

fn write_groups(mut writer: Connection, database: &WrittenDatabase, waiting: &mpsc::Receiver<QueuedChange>) {
    while let Ok(first) = waiting.recv() {
        // Changes that wait already share one commit; none is waited for, so a lone change is not delayed.
        let group: Vec<QueuedChange> = std::iter::once(first).chain(waiting.try_iter()).take(GROUP).collect();
        commit_group(&mut writer, database, group);
        shorten_log(&writer, &database.name);
    }
}

/// A large change leaves a write-ahead log as large as itself, and SQLite alone never truncates the file.
fn shorten_log(writer: &Connection, name: &str) {
    if fs_err::metadata(format!("{name}-wal")).map_or(0, |log| log.len()) < LONG_LOG {
        return;
    }
    // With a timeout of zero the writer does not wait for readers that still use the log: the next change tries again.
    let emptied = writer
        .busy_timeout(Duration::ZERO)
        .and_then(|()| writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0)));
    if let Err(error) = emptied.and_then(|_| writer.busy_timeout(BUSY_TIMEOUT)) {
        tracing::warn!(database = name, %error, "the write-ahead log stays long");
    }
}

fn commit_group(writer: &mut Connection, database: &WrittenDatabase, group: Vec<QueuedChange>) {
    let (name, anchor) = (database.name.as_str(), database.anchor.as_ref());
    let mut group = group.into_iter().peekable();
    while group.peek().is_some() {
        if let Some(Err(error)) = anchor.map(|anchor| anchor.sums().watch(writer)) {
            return group.for_each(|change| change(Err(error_of(name, &error)))(Ok(())));
        }
        // Immediate: a deferred transaction that becomes a writer later can fail with "busy" in the middle of a change.
        let transaction = match writer.transaction_with_behavior(TransactionBehavior::Immediate) {
            Ok(transaction) => transaction,
            Err(error) => return group.for_each(|change| change(Err(error_of(name, &error)))(Ok(()))),
        };
        // Asked under the write lock: nobody can change it before the commit.
        if let Err(error) = schema::refuse_newer(&transaction, name, database.known) {
            return group.for_each(|change| change(Err(error.clone()))(Ok(())));
        }
        let mut replies: Vec<CommitReply> = Vec::new();
        // SQLite rolls the whole transaction back when the disk is full. What ran in it is gone; what comes after it
        // needs a new one.
        while !transaction.is_autocommit()
            && let Some(change) = group.next()
        {
            replies.push(change(Ok(&transaction)));
        }
        let commit = if transaction.is_autocommit() {
            anchor.inspect(|anchor| anchor.sums().forget());
            // The changes before the failed one succeeded and were rolled back with it, so their callers must get a
            // failure.
            Err(Error::Unavailable {
                database: name.to_owned(),
                reason: "rolled back together with a change that failed".to_owned(),
            })
        } else {
            commit_transaction(transaction, name, anchor)
        };
        // Only now, after the commit: this is the promise that `write` makes.
        for reply in replies {
            reply(commit.clone());
        }
    }
}

/// Commits, and lets the anchor follow: never before the commit, so that it never knows more than there is.
fn commit_transaction(transaction: Transaction<'_>, name: &str, anchor: Option<&CommitAnchor>) -> Result<()> {
    let state = match anchor.map(|anchor| anchor.sums().flush(&transaction)).transpose() {
        Ok(state) => state.flatten(),
        // Dropping the transaction takes it back, and the callers hear why.
        Err(failure) => return Err(failure.into_error(name)),
    };
    failpoints::pass(FailPoint::Committing);
    transaction.commit().map_err(|error| error_of(name, &error))?;
    failpoints::pass(FailPoint::Committed);
    if let Some((anchor, state)) = anchor.zip(state) {
        anchor.follow_commit(state);
    }
    Ok(())
}

fn in_savepoint<T>(
    connection: &Connection,
    name: &str,
    change: impl FnOnce(&Connection) -> Result<T, SqliteFailure>,
) -> Result<T> {
    let fail = |error: rusqlite::Error| error_of(name, &error);
    connection.execute_batch("SAVEPOINT change").map_err(fail)?;
    let outcome = change(connection).map_err(|failure| failure.into_error(name));
    let end = if outcome.is_ok() { "RELEASE change" } else { "ROLLBACK TO change; RELEASE change" };
    let ended = connection.execute_batch(end).map_err(fail);
    // SQLite could not undo the change alone. If the transaction still lives, all of it has to go.
    if ended.is_err() && !connection.is_autocommit() {
        // Half a change must not be committed together with the changes of others.
        connection.execute_batch("ROLLBACK").map_err(fail)?;
    }
    outcome.and_then(|done| ended.map(|()| done))
}

/// Sets how the database works, and says which journal it really keeps.
fn configure_writer(connection: &Connection, durability: CommitDurability) -> rusqlite::Result<String> {
    // Set first, because the pragmas below may already meet another process that holds a lock.
    connection.busy_timeout(BUSY_TIMEOUT)?;
    if durability == CommitDurability::EveryCommit {
        // SQLite ignores this for a database that exists already.
        connection.pragma_update(None, "page_size", PAGE)?;
        connection.pragma_update(None, "cache_size", -CACHE)?;
        // A page that changes often is written to the database once for many commits, not once for each.
        connection.pragma_update(None, "wal_autocheckpoint", LONG_LOG as i64 / i64::from(PAGE))?;
    }
    // Switching to the write-ahead log needs the file alone, and SQLite does not apply the busy timeout to it.
    let journal = retry_busy(|| connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0)))?;
    connection.pragma_update(
        None,
        "synchronous",
        if durability == CommitDurability::EveryCommit { "full" } else { "normal" },
    )?;
    // On macOS a plain `fsync` leaves the bytes in the drive's cache; elsewhere the setting changes nothing.
    connection.pragma_update(None, "fullfsync", durability == CommitDurability::EveryCommit)?;
    connection.pragma_update(None, "checkpoint_fullfsync", durability == CommitDurability::EveryCommit)?;
    apply_pragmas(connection)?;
    Ok(journal)
}

/// What SQLite does not wait for by itself: several processes that open a new database at once.
fn retry_busy<T>(mut attempt: impl FnMut() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    let pause = Duration::from_millis(5);
    let is_busy = |error: &rusqlite::Error| error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy);
    for _ in 0..BUSY_TIMEOUT.as_millis() / pause.as_millis() {
        match attempt() {
            Err(error) if is_busy(&error) => std::thread::sleep(pause),
            outcome => return outcome,
        }
    }
    attempt()
}

fn open_reader(path: &Path, durability: CommitDurability, access: &DatabaseAccess) -> rusqlite::Result<Connection> {
    // Read-only readers cannot change anything by mistake. Each is used by one thread at a time, so no mutex is needed.
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = match access {
        // No process can write there, and without a log all of it is in the one file.
        DatabaseAccess::ReadOnly { log: LogPresence::None, .. } => {
            Connection::open_with_flags(file_address(path, "immutable=1"), flags | OpenFlags::SQLITE_OPEN_URI)?
        }
        DatabaseAccess::ReadOnly { log: LogPresence::Alone, .. } => {
            let alone =
                Connection::open_with_flags(file_address(path, "vfs=unix-none"), flags | OpenFlags::SQLITE_OPEN_URI)?;
            // As the only user of the file, SQLite keeps in its own memory what it would share: what is in the log is
            // read without writing. Nobody else can use the file, as its place cannot be written.
            alone.pragma_update(None, "locking_mode", "exclusive")?;
            alone
        }
        DatabaseAccess::ReadOnly { log: LogPresence::Beside, .. } | DatabaseAccess::ReadWrite => {
            Connection::open_with_flags(path, flags)?
        }
    };
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // Readers of an index look up the same words again and again.
    if durability == CommitDurability::Rebuildable {
        connection.pragma_update(None, "cache_size", -CACHE)?;
    }
    apply_pragmas(&connection)?;
    Ok(connection)
}

/// The address of a file with an option: `immutable` has SQLite look for nothing beside it, `vfs` use no locks.
fn file_address(path: &Path, option: &str) -> String {
    let path = path.display().to_string().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{path}?{option}")
}

fn apply_pragmas(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(64);
    // SQLite leaves foreign keys off unless every connection asks for them.
    connection.pragma_update(None, "foreign_keys", true)?;
    // A database file may come from elsewhere: functions in its schema must not run with our rights.
    connection.pragma_update(None, "trusted_schema", false)?;
    // Damage is found when a page is read, before a wrong length makes SQLite read beyond it.
    connection.pragma_update(None, "cell_size_check", true)?;
    // Temporary files would hold pieces of conversations in a folder that is not private.
    connection.pragma_update(None, "temp_store", "memory")
}

/// Makes the file before SQLite does, so that only its owner may read it even where its directory is open to all.
/// What SQLite puts beside it gets the same rights.
fn make_private_file(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    std::fs::OpenOptions::new().append(true).create(true).mode(0o600).open(path).map(drop)
}

fn read_only(database: &str, error: &std::io::Error) -> Error {
    Error::ReadOnly { database: database.to_owned(), reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn database(durability: CommitDurability) -> (TempDir, SqliteDatabase) {
        let home = TempDir::new().expect("the temporary directory is writable");
        let database = SqliteDatabase::open(
            &home.path().join("x.db"),
            durability,
            &MigrationPlan::Steps(&["CREATE TABLE t (n, bytes)"]),
        );
        (home, database.expect("opens"))
    }

    #[tokio::test]
    async fn a_commit_waits_for_the_disk_where_it_must() {
        for (durability, wanted) in [(CommitDurability::EveryCommit, 2), (CommitDurability::Rebuildable, 1)] {
            let (_home, database) = database(durability);
            let pragma = |name: &'static str| {
                database.write(move |db| Ok(db.pragma_query_value(None, name, |row| row.get::<_, i64>(0))?))
            };
            assert_eq!(pragma("synchronous").await.expect("asks"), wanted);
            assert_eq!(pragma("foreign_keys").await.expect("asks"), 1);
            let mode =
                database.write(|db| Ok(db.pragma_query_value(None, "journal_mode", |row| row.get::<_, String>(0))?));
            assert_eq!(mode.await.expect("asks"), "wal");
        }
    }

    #[tokio::test]
    async fn a_large_change_leaves_no_log_as_large_as_itself() {
        let (_home, database) = database(CommitDurability::Rebuildable);
        let log = || fs_err::metadata(format!("{}-wal", database.path().display())).map_or(0, |log| log.len());
        let write = async |bytes: u32| {
            let change =
                move |db: &Connection| Ok(db.execute("INSERT INTO t VALUES (1, zeroblob(?1))", [bytes]).map(drop)?);
            database.write(change).await.expect("writes");
        };
        write(10).await;
        let short = log();
        assert!(short > 0);
        write(40 << 20).await;
        // What follows is done when the change before it, and the log of that, are.
        write(10).await;
        assert!(log() < 10 * short, "{} after {short}", log());
    }

    /// A full disk ends the whole transaction, not only the savepoint of the change that met it. Rows that were
    /// acknowledged as stored must be there afterwards, and refused rows must not.
    #[tokio::test]
    async fn a_full_disk_fails_changes_and_tears_none() {
        let (_home, database) = database(CommitDurability::EveryCommit);
        let pages = database.write(|db| {
            let pages: i64 = db.pragma_query_value(None, "page_count", |row| row.get(0))?;
            db.pragma_update(None, "max_page_count", pages + 4)?;
            Ok(())
        });
        pages.await.expect("limits itself");
        let changes = (0..43_i64).map(|number| {
            let bytes = vec![7_u8; if number % 4 == 3 { 60_000 } else { 10 }];
            database.write(move |db| Ok(db.execute("INSERT INTO t VALUES (?1, ?2)", (number, bytes))?))
        });
        let told = futures::future::join_all(changes).await;
        let stored = database.read(|db| {
            let mut statement = db.prepare("SELECT n FROM t ORDER BY n")?;
            Ok(statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<i64>>>()?)
        });
        let acknowledged: Vec<i64> =
            (0..).zip(&told).filter(|(_, told)| told.is_ok()).map(|(number, _)| number).collect();
        assert_eq!(stored.await.expect("reads"), acknowledged);
        assert!(!acknowledged.is_empty(), "those after the last large one fit");
        assert!(matches!(told[3], Err(Error::ReadOnly { .. })), "{:?}", told[3]);
    }
}
