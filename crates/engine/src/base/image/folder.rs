//! The folder in which images lie, one file for each kind and worktree.

use super::writer::TEMPORARY_ENDING;
use model::ProjectId;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::WorktreeId;
use tokio::task::JoinHandle;

/// No image takes this long to write.
const BEGUN_LIMIT: Duration = Duration::from_hours(1);

/// An image is written again whenever much changed, so one as old as this belongs to a worktree at rest, or to none.
const UNUSED_LIMIT: Duration = Duration::from_hours(60 * 24);

/// A folder of images. What is in it can be made again.
#[derive(Clone)]
pub(crate) struct ImageFolder {
    folder: Arc<PathBuf>,
    /// Images that are being written.
    running: Arc<Mutex<Vec<JoinHandle<()>>>>,
}

impl ImageFolder {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder: Arc::new(folder), running: Arc::default() }
    }

    /// The image of a kind of a worktree.
    pub(crate) fn path_of(&self, worktree: &WorktreeId, kind: &str) -> PathBuf {
        self.folder.join(format!("{}-{}.{kind}", worktree.project.as_str(), worktree.number))
    }

    /// Writes an image on a thread of its own, because the answer does not wait for it. Where that fails, the next process
    /// reads the store, as this one did.
    pub(crate) fn write_behind(&self, write: impl FnOnce() -> io::Result<()> + Send + 'static) {
        let folder = Arc::clone(&self.folder);
        let writing = tokio::task::spawn_blocking(move || {
            remove_outdated(&folder);
            let written = create_folder(&folder).and_then(|()| write());
            if let Err(error) = written {
                tracing::debug!(%error, "an image could not be written");
            }
        });
        let mut running = self.lock_running();
        running.retain(|writing| !writing.is_finished());
        running.push(writing);
    }

    /// Removes all images of a project: they hold its paths and names.
    pub(crate) fn remove_project(&self, project: &ProjectId) -> io::Result<()> {
        let start = format!("{}-", project.as_str());
        let is_gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        let entries = match fs_err::read_dir(self.folder.as_path()) {
            Err(error) if is_gone(&error) => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(&start) {
                fs_err::remove_file(entry.path()).or_else(|error| if is_gone(&error) { Ok(()) } else { Err(error) })?;
            }
        }
        Ok(())
    }

    /// Waits for the images that are being written: a process that ends would leave them half done.
    pub(crate) async fn finish_writes(&self) {
        let running = std::mem::take(&mut *self.lock_running());
        for writing in running {
            // A writer that panicked has written nothing that has the name of an image.
            let _ = writing.await;
        }
    }

    fn lock_running(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes what writers that were killed left behind, and images of worktrees that nobody works on any more.
fn remove_outdated(folder: &Path) {
    // Other processes write and remove here, too: an entry that cannot be looked at is gone already.
    for entry in fs_err::read_dir(folder).into_iter().flatten().flatten() {
        let modified = entry.metadata().and_then(|metadata| metadata.modified()).ok();
        let age = modified.and_then(|modified| modified.elapsed().ok()).unwrap_or_default();
        let is_begun = entry.path().extension().is_some_and(|ending| ending == TEMPORARY_ENDING);
        let limit = if is_begun { BEGUN_LIMIT } else { UNUSED_LIMIT };
        if age > limit {
            // A process that has the image mapped keeps it; the others make it anew.
            let _ = fs_err::remove_file(entry.path());
        }
    }
}

/// Makes a folder that no other user of the machine can look into.
fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(builder.recursive(true), 0o700);
    builder.create(folder)
}
