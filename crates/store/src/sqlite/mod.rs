//! The embedded store: one canonical database, and one index database per project beside it.
//!
//! They are separate files because they promise different things: the canonical one is durable at every commit
//! (`synchronous=FULL`), the index may lose its last moments and is rebuilt from the disk.

mod archive;
mod batch;
mod booking;
mod code;
mod database;
mod generations;
mod ledger;
mod memory;
mod passages;
mod resolution;
mod rows;
mod schema;
mod segments;
mod spend;

use crate::{Error, Result, Store};
use database::{Database, Durability};
use model::ProjectId;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// SQLite before this can corrupt a write-ahead log that two processes reset at once.
const OLDEST: (i32, &str) = (3_051_003, "3.51.3");

/// The embedded store.
pub struct SqliteStore {
    canonical: Database,
    cache: PathBuf,
    /// By name: a project's id, or what else has an index.
    indexes: Mutex<HashMap<String, Arc<Database>>>,
}

impl SqliteStore {
    /// Opens the store with its canonical database in `data` and its index databases in `cache`, making both.
    pub fn open(data: &Path, cache: &Path) -> Result<Self> {
        if rusqlite::version_number() < OLDEST.0 {
            return Err(Error::Unavailable {
                database: "SQLite".to_owned(),
                reason: format!("version {} is older than {}, which fixes lost writes", rusqlite::version(), OLDEST.1),
            });
        }
        let canonical = Database::open(&data.join("epitome.db"), Durability::EveryCommit, &schema::CANONICAL)?;
        Ok(Self { canonical, cache: cache.join("index"), indexes: Mutex::default() })
    }

    /// The version of the SQLite inside.
    pub fn version() -> &'static str {
        rusqlite::version()
    }

    fn index(&self, project: &ProjectId) -> Result<Arc<Database>> {
        self.named_index(project.as_str())
    }

    fn named_index(&self, name: &str) -> Result<Arc<Database>> {
        let mut indexes = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = indexes.get(name) {
            return Ok(Arc::clone(index));
        }
        let path = self.cache.join(format!("{name}.db"));
        let open = || Database::open(&path, Durability::Rebuildable, &schema::INDEX);
        let index = Arc::new(match open() {
            // Nothing in it is worth mending: all of it can be made again.
            Err(Error::Corrupt { database, what }) => {
                tracing::warn!(database, what, "the index starts anew");
                discard(&path)?;
                open()?
            }
            opened => opened?,
        });
        indexes.insert(name.to_owned(), Arc::clone(&index));
        Ok(index)
    }
}

impl SqliteStore {
    /// Throws away an index that cannot even be emptied; the next use makes a new one.
    fn discard_index(&self, name: &str) -> Result<()> {
        self.indexes.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
        discard(&self.cache.join(format!("{name}.db")))
    }
}

/// Removes an index database with what SQLite keeps beside it.
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

impl Store for SqliteStore {
    fn describe(&self) -> String {
        format!("SQLite {} at {}", Self::version(), self.canonical.path().display())
    }
}
