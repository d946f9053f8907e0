//! A project in a directory of its own, an engine beside it, and a clock that stands still.

use engine::{Clock, Engine, EngineSettings, Project};
use model::Timestamp;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use store::sqlite::SqliteStore;
use tempfile::TempDir;

pub(crate) struct House {
    pub(crate) directory: TempDir,
    pub(crate) engine: Engine,
    pub(crate) project: Project,
}

impl House {
    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        write(&self.project.root, path, bytes);
    }
}

/// A house with some files in its project.
pub(crate) fn house(files: &[(&str, &str)]) -> House {
    let (directory, project) = home(files);
    House { engine: engine_in(directory.path()), directory, project }
}

/// A directory of its own, and a project with some files in it.
pub(crate) fn home(files: &[(&str, &str)]) -> (TempDir, Project) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let root = directory.path().join("project");
    fs_err::create_dir_all(&root).expect("a directory");
    for (path, text) in files {
        write(&root, path, text);
    }
    (directory, Project::from_directory(&root).expect("a project"))
}

pub(crate) fn engine_in(home: &Path) -> Engine {
    Engine::new(Arc::new(store_in(home)), Arc::new(Noon), EngineSettings::default())
}

pub(crate) fn store_in(home: &Path) -> SqliteStore {
    SqliteStore::open(&home.join("data"), &home.join("cache")).expect("a store")
}

pub(crate) fn write(root: &Path, path: &str, bytes: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs_err::create_dir_all(path.parent().expect("a parent")).expect("directories");
    fs_err::write(path, bytes).expect("a file");
}

/// Far in the future of every file of a test: times of change are trusted.
pub(crate) struct Noon;

impl Clock for Noon {
    fn now(&self) -> Timestamp {
        Timestamp(4_000_000_000_000)
    }

    fn monotonic_time(&self) -> Duration {
        Duration::ZERO
    }
}
