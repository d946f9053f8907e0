//! `SqliteStore`, the embedded SQLite store: a canonical database, and for each project an index and what models made.
//!
//! The databases are separate files because they promise different things: the canonical one is durable at every commit
//! (`synchronous=FULL`), the index may lose its last moments and is rebuilt from the disk. What models made can be made
//! again, but may have been paid for: it is durable too, and no new form of the index throws it away.

mod anchor;
mod archive;
mod artifact;
mod backup;
mod code;
mod database;
mod database_set;
mod durable;
mod entities;
mod failure;
mod feedback;
mod files;
mod folds;
mod key;
mod lease_files;
mod ledger;
mod memory;
mod proof;
mod records;
mod rewrite;
mod rows;
mod salvage;
mod schema;
mod sessions;
mod side_texts;
mod sums;
mod tool_calls;

#[cfg(all(test, feature = "postgres"))]
pub(crate) use schema::text_columns_of_schema;

pub use salvage::{SalvageSink, SalvagedItem, UnreadableItem, salvage_files};

use crate::anchor::AnchorFile;
use crate::private_folder::make_private;
use crate::{Error, Result, Store};
use anchor::{CommitAnchor, begin_anchor};
use database::{CommitDurability, SqliteDatabase};
use database_set::DatabaseSet;
use files::ArtifactFiles;
use lease_files::LeaseFiles;
use model::{DigestBuilder, ProjectId};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use sums::SumKeeper;

/// SQLite before this can corrupt a write-ahead log that two processes reset at once.
const MIN_SQLITE_VERSION: (i32, &str) = (3_051_003, "3.51.3");

/// The embedded store.
pub struct SqliteStore {
    canonical: SqliteDatabase,
    anchor: Arc<AnchorFile>,
    artifacts: ArtifactFiles,
    leases: LeaseFiles,
    /// By a project's id, or what else has an index.
    indexes: DatabaseSet,
    /// By a project's id.
    models: DatabaseSet,
}

impl SqliteStore {
    /// Opens the store with its canonical database in `data` and its index databases in `cache`, making both. Its
    /// anchor lies in `data` too; [`SqliteStore::open_anchored`] puts it where a copy of `data` does not reach.
    pub fn open(data: &Path, cache: &Path) -> Result<Self> {
        Self::open_anchored(data, cache, data)
    }

    /// The same, with its anchor below `state`.
    pub fn open_anchored(data: &Path, cache: &Path, state: &Path) -> Result<Self> {
        // The build brings its own SQLite; a packager who links an older one in its place must not lose data by it.
        if rusqlite::version_number() < MIN_SQLITE_VERSION.0 {
            return Err(Error::Unavailable {
                database: "SQLite".to_owned(),
                reason: format!(
                    "version {} is older than {}, which fixes lost writes",
                    rusqlite::version(),
                    MIN_SQLITE_VERSION.1
                ),
            });
        }
        // Only the canonical database is opened now: a project's databases are opened when the project is used.
        // Made first: a directory that is not there has no canonical path to name the anchor by.
        let unwritable = |error: std::io::Error| Error::ReadOnly {
            database: data.join("epitome.db").display().to_string(),
            reason: error.to_string(),
        };
        make_private(data).map_err(unwritable)?;
        let anchor = Arc::new(AnchorFile::new(anchor_path(data, state).map_err(unwritable)?));
        let follow = |writer: &rusqlite::Connection| {
            begin_anchor(writer, &anchor)?;
            Ok(Some(CommitAnchor::new(SumKeeper::default(), Arc::clone(&anchor))))
        };
        let canonical = SqliteDatabase::open_anchored(
            &data.join("epitome.db"),
            CommitDurability::EveryCommit,
            &schema::CANONICAL_MIGRATIONS,
            follow,
        )?;
        let indexes = DatabaseSet::new(cache.join("index"), CommitDurability::Rebuildable, &schema::INDEX_MIGRATIONS);
        let models = DatabaseSet::new(cache.join("models"), CommitDurability::EveryCommit, &schema::MODEL_MIGRATIONS);
        let artifacts = ArtifactFiles::new(data.join(artifact::ARTIFACT_FILES));
        let leases = LeaseFiles::new(data.join("leases"));
        Ok(Self { canonical, anchor, artifacts, leases, indexes, models })
    }

    /// The version of the SQLite inside.
    pub fn sqlite_version() -> &'static str {
        rusqlite::version()
    }

    /// Where the canonical database lies.
    fn directory(&self) -> &Path {
        let file = self.canonical.path();
        file.parent().unwrap_or(file)
    }

    fn project_index(&self, project: &ProjectId) -> Result<Arc<SqliteDatabase>> {
        self.indexes.open(project.as_str())
    }
}

/// The anchor of the database in a directory. Several databases may share one state, so the name says which directory
/// it is, seen from the state: both can be moved together.
fn anchor_path(data: &Path, state: &Path) -> std::io::Result<PathBuf> {
    make_private(state)?;
    let (data, near) = (fs_err::canonicalize(data)?, fs_err::canonicalize(state)?);
    let common = data.components().zip(near.components()).take_while(|(one, other)| one == other).count();
    let up = near.components().count() - common;
    let down: PathBuf = data.components().skip(common).collect();
    let place = DigestBuilder::new("anchor").add_field(&up.to_le_bytes());
    let digest = place.add_field(down.as_os_str().as_encoded_bytes()).finish().to_string();
    Ok(state.join("anchors").join(format!("{}.log", &digest[..16])))
}

impl Store for SqliteStore {
    fn describe(&self) -> String {
        format!("SQLite {} at {}", Self::sqlite_version(), self.canonical.path().display())
    }
}
