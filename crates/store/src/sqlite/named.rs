//! Databases of one kind by name, each opened when it is first asked for.
//!
//! One that is damaged starts anew, with a warning: there is nothing to mend in what can be made again, and everything
//! else must go on.

use super::database::{Database, Durability};
use super::schema::Schema;
use crate::{Error, Result};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(super) struct Named {
    directory: PathBuf,
    durability: Durability,
    schema: &'static Schema,
    opened: Mutex<HashMap<String, Arc<Database>>>,
}

impl Named {
    /// Databases in a directory. Nothing is made yet.
    pub(super) fn new(directory: PathBuf, durability: Durability, schema: &'static Schema) -> Self {
        Self { directory, durability, schema, opened: Mutex::default() }
    }

    /// The database of a name.
    pub(super) fn of(&self, name: &str) -> Result<Arc<Database>> {
        let mut opened = self.opened();
        if let Some(database) = opened.get(name) {
            return Ok(Arc::clone(database));
        }
        let path = self.path(name);
        let open = || Database::open(&path, self.durability, self.schema);
        let database = Arc::new(match open() {
            Err(Error::Corrupt { database, what }) => {
                tracing::warn!(database, what, "what can be made again starts anew");
                discard(&path)?;
                open()?
            }
            database => database?,
        });
        opened.insert(name.to_owned(), Arc::clone(&database));
        Ok(database)
    }

    /// The database of a name, where there is one: a question does not make it.
    pub(super) fn existing(&self, name: &str) -> Result<Option<Arc<Database>>> {
        if self.path(name).exists() { self.of(name).map(Some) } else { Ok(None) }
    }

    /// Throws a database away that cannot even be emptied; the next use makes a new one.
    pub(super) fn discard(&self, name: &str) -> Result<()> {
        self.opened().remove(name);
        discard(&self.path(name))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{name}.db"))
    }

    fn opened(&self) -> MutexGuard<'_, HashMap<String, Arc<Database>>> {
        // Every entry is whole before it is put in.
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes a database with what SQLite keeps beside it.
fn discard(path: &Path) -> Result<()> {
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
