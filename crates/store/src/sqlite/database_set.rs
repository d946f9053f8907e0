//! `DatabaseSet`, a cache of open SQLite databases of one kind by name (mostly a project's id), each opened when it is
//! first asked for.
//!
//! A damaged database starts anew, with a warning: there is nothing to mend in data that can be made again, and
//! everything else must go on. For the same reason one whose place cannot be written is copied to a temporary one: an
//! answer must not lack what changed since, only because that cannot be noted.

use super::database::{CommitDurability, SqliteDatabase};
use super::schema::MigrationPlan;
use crate::{Error, Result};
use rusqlite::{Connection, OpenFlags};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tempfile::TempDir;

pub(super) struct DatabaseSet {
    directory: PathBuf,
    durability: CommitDurability,
    schema: &'static MigrationPlan,
    opened: Mutex<HashMap<String, Arc<SqliteDatabase>>>,
    /// Where copies lie, once there is one; gone with the process.
    copies: OnceLock<TempDir>,
}

impl DatabaseSet {
    /// Databases in a directory. Nothing is made yet.
    pub(super) fn new(directory: PathBuf, durability: CommitDurability, schema: &'static MigrationPlan) -> Self {
        Self { directory, durability, schema, opened: Mutex::default(), copies: OnceLock::new() }
    }

    /// The database of a name.
    pub(super) fn open(&self, name: &str) -> Result<Arc<SqliteDatabase>> {
        // The lock is held while the database opens: two connections that migrate one file at once would be a race.
        let mut opened = self.lock_opened();
        if let Some(database) = opened.get(name) {
            return Ok(Arc::clone(database));
        }
        let path = self.database_path(name);
        let open = || SqliteDatabase::open(&path, self.durability, self.schema);
        let database = match open() {
            // Everything here can be made again, so a damaged file is replaced at once, and the user is not asked to
            // delete it.
            Err(Error::Corrupt { database, what }) => {
                tracing::warn!(database, what, "what can be made again starts anew");
                remove_database(&path)?;
                open()?
            }
            // What was paid for is not written to where it would be lost.
            Ok(database) if database.is_read_only() && self.durability == CommitDurability::Rebuildable => {
                self.open_copy(name, &path).unwrap_or(database)
            }
            Err(Error::ReadOnly { database, reason }) if self.durability == CommitDurability::Rebuildable => {
                self.open_copy(name, &path).ok_or(Error::ReadOnly { database, reason })?
            }
            database => database?,
        };
        let database = Arc::new(database);
        opened.insert(name.to_owned(), Arc::clone(&database));
        Ok(database)
    }

    /// A copy of a database that can be written, or an empty one where there is none; `None` where there is no place for
    /// it.
    fn open_copy(&self, name: &str, path: &Path) -> Option<SqliteDatabase> {
        if self.copies.get().is_none() {
            // Set by nobody else: the lock on what is open is held.
            let _ = self.copies.set(TempDir::with_prefix("epitome-index-").ok()?);
        }
        let folder = self.copies.get()?;
        let copy = folder.path().join(format!("{name}.db"));
        for end in ["", "-wal"] {
            let from = format!("{}{end}", path.display());
            // A file that cannot be read is none: an index that lacks anything is filled again.
            let _ = fs_err::copy(from, format!("{}{end}", copy.display()));
            // The copy has the rights of its source, which may not be written.
            let _ = make_writable(Path::new(&format!("{}{end}", copy.display())));
        }
        // A copy goes its own way from here on, so what is kept outside of the original is not its own. A database without
        // worktrees, or one that is damaged, has nothing to be told apart.
        let _ = Connection::open_with_flags(&copy, OpenFlags::SQLITE_OPEN_READ_WRITE)
            .and_then(|copy| copy.execute("UPDATE worktrees SET identity = random()", []));
        let open = || SqliteDatabase::open(&copy, self.durability, self.schema);
        match open() {
            Err(Error::Corrupt { .. }) => {
                remove_database(&copy).ok()?;
                open().ok()
            }
            database => database.ok(),
        }
    }

    /// The database of a name, where there is one: a question does not make it.
    pub(super) fn open_existing(&self, name: &str) -> Result<Option<Arc<SqliteDatabase>>> {
        if self.database_path(name).exists() { self.open(name).map(Some) } else { Ok(None) }
    }

    /// The names of the databases that are there, in order.
    pub(super) fn list_names(&self) -> Result<Vec<String>> {
        let entries = match fs_err::read_dir(&self.directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(self.unreadable(&error)),
        };
        let mut names = Vec::new();
        for entry in entries {
            let file = entry.map_err(|error| self.unreadable(&error))?.file_name();
            // What SQLite keeps beside a database has other endings.
            names.extend(file.to_str().and_then(|file| file.strip_suffix(".db")).map(str::to_owned));
        }
        names.sort();
        Ok(names)
    }

    /// Throws a database away that cannot even be emptied; the next use makes a new one.
    pub(super) fn discard_database(&self, name: &str) -> Result<()> {
        self.lock_opened().remove(name);
        remove_database(&self.database_path(name))
    }

    fn unreadable(&self, error: &std::io::Error) -> Error {
        Error::Unavailable { database: self.directory.display().to_string(), reason: error.to_string() }
    }

    fn database_path(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{name}.db"))
    }

    fn lock_opened(&self) -> MutexGuard<'_, HashMap<String, Arc<SqliteDatabase>>> {
        // An entry is inserted only when it is complete, so a panic of another thread leaves nothing half done.
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn make_writable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o600))
}

/// Removes a database with what SQLite keeps beside it.
fn remove_database(path: &Path) -> Result<()> {
    // A log that stayed behind would be replayed into the new database of the same name.
    for suffix in ["", "-wal", "-shm"] {
        let file = PathBuf::from(format!("{}{suffix}", path.display()));
        match fs_err::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::ReadOnly { database: path.display().to_string(), reason: error.to_string() });
            }
            _ => {}
        }
    }
    Ok(())
}
