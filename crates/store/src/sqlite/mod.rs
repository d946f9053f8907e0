//! `SqliteStore`, the embedded SQLite store: a canonical database, and for each project an index and what models made.
//!
//! The databases are separate files because they promise different things: the canonical one is durable at every commit
//! (`synchronous=FULL`), the index may lose its last moments and is rebuilt from the disk. What models made can be made
//! again, but may have been paid for: it is durable too, and no new form of the index throws it away.

mod archive;
mod artifact;
mod code;
mod database;
mod database_set;
mod feedback;
mod files;
mod folds;
mod key;
mod ledger;
mod memory;
mod rows;
mod schema;

use crate::{Error, Result, Store};
use database::{CommitDurability, SqliteDatabase};
use database_set::DatabaseSet;
use files::ArtifactFiles;
use model::ProjectId;
use std::path::Path;
use std::sync::Arc;

/// SQLite before this can corrupt a write-ahead log that two processes reset at once.
const OLDEST: (i32, &str) = (3_051_003, "3.51.3");

/// The embedded store.
pub struct SqliteStore {
    canonical: SqliteDatabase,
    artifacts: ArtifactFiles,
    /// By a project's id, or what else has an index.
    indexes: DatabaseSet,
    /// By a project's id.
    models: DatabaseSet,
}

impl SqliteStore {
    /// Opens the store with its canonical database in `data` and its index databases in `cache`, making both.
    pub fn open(data: &Path, cache: &Path) -> Result<Self> {
        // The build brings its own SQLite; a packager who links an older one in its place must not lose data by it.
        if rusqlite::version_number() < OLDEST.0 {
            return Err(Error::Unavailable {
                database: "SQLite".to_owned(),
                reason: format!("version {} is older than {}, which fixes lost writes", rusqlite::version(), OLDEST.1),
            });
        }
        // Only the canonical database is opened now: a project's databases are opened when the project is used.
        let canonical =
            SqliteDatabase::open(&data.join("epitome.db"), CommitDurability::EveryCommit, &schema::CANONICAL)?;
        let indexes = DatabaseSet::new(cache.join("index"), CommitDurability::Rebuildable, &schema::INDEX);
        let models = DatabaseSet::new(cache.join("models"), CommitDurability::EveryCommit, &schema::MODELS);
        let artifacts = ArtifactFiles::new(data.join("artifacts"));
        Ok(Self { canonical, artifacts, indexes, models })
    }

    /// The version of the SQLite inside.
    pub fn sqlite_version() -> &'static str {
        rusqlite::version()
    }

    fn project_index(&self, project: &ProjectId) -> Result<Arc<SqliteDatabase>> {
        self.indexes.open(project.as_str())
    }
}

impl Store for SqliteStore {
    fn describe(&self) -> String {
        format!("SQLite {} at {}", Self::sqlite_version(), self.canonical.path().display())
    }
}
