//! `DatabaseSet`, a cache of open SQLite databases of one kind by name (mostly a project's id), each opened when it is
//! first asked for.
//!
//! A damaged database starts anew, with a warning: there is nothing to mend in data that can be made again, and
//! everything else must go on.

use super::database::{CommitDurability, SqliteDatabase};
use super::schema::MigrationPlan;
use crate::{Error, Result};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(super) struct DatabaseSet {
    directory: PathBuf,
    durability: CommitDurability,
    schema: &'static MigrationPlan,
    opened: Mutex<HashMap<String, Arc<SqliteDatabase>>>,
}

impl DatabaseSet {
    /// Databases in a directory. Nothing is made yet.
    pub(super) fn new(directory: PathBuf, durability: CommitDurability, schema: &'static MigrationPlan) -> Self {
        Self { directory, durability, schema, opened: Mutex::default() }
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
        let database = Arc::new(match open() {
            // Everything here can be made again, so a damaged file is replaced at once, and the user is not asked to
            // delete it.
            Err(Error::Corrupt { database, what }) => {
                tracing::warn!(database, what, "what can be made again starts anew");
                remove_database(&path)?;
                open()?
            }
            database => database?,
        });
        opened.insert(name.to_owned(), Arc::clone(&database));
        Ok(database)
    }

    /// The database of a name, where there is one: a question does not make it.
    pub(super) fn open_existing(&self, name: &str) -> Result<Option<Arc<SqliteDatabase>>> {
        if self.database_path(name).exists() { self.open(name).map(Some) } else { Ok(None) }
    }

    /// Throws a database away that cannot even be emptied; the next use makes a new one.
    pub(super) fn discard_database(&self, name: &str) -> Result<()> {
        self.lock_opened().remove(name);
        remove_database(&self.database_path(name))
    }

    fn database_path(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{name}.db"))
    }

    fn lock_opened(&self) -> MutexGuard<'_, HashMap<String, Arc<SqliteDatabase>>> {
        // An entry is inserted only when it is complete, so a panic of another thread leaves nothing half done.
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
