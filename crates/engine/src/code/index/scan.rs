//! Scans the project's directory for files: all of it, or only the paths where the file watcher reported events; newly
//! found directories are watched before the scan ends.

use super::kept_walk::WalkKeeper;
use super::settings::IndexSettings;
use super::walk::{WalkResult, walk_project};

use crate::base::{Clock, Project, Result, run_blocking};
use crate::code::watch::{WalkScope, WatchedProject};
use std::sync::Arc;

/// The result of a scan.
pub(super) struct DiskScan {
    pub(super) walked: WalkResult,
    /// The scanned places; `None` means everywhere.
    pub(super) within: Option<WalkScope>,
}

pub(super) async fn scan_changed(
    project: &Project,
    settings: &IndexSettings,
    watched: Option<Arc<WatchedProject>>,
    keeper: Option<WalkKeeper>,
    clock: &dyn Clock,
) -> Result<DiskScan> {
    let keeper = keeper.map(Arc::new);
    // Taken before the walk: a save during the walk is recorded again, and the next scan sees it.
    let within = watched.as_ref().and_then(|watched| watched.take_dirty());
    loop {
        let root = project.root.clone();
        let settings = settings.clone();
        let places = within.clone();
        let (keeper, now) = (keeper.clone(), clock.now());
        let walk = move || match (places, keeper) {
            (None, Some(keeper)) => keeper.walk(&root, &settings, now),
            (places, _) => walk_project(&root, &settings, places.as_ref()),
        };
        let walked = run_blocking("the file walk", walk).await??;
        // A change in a directory before it was watched is seen only by scanning once more.
        let again = match &watched {
            Some(watched) => watched.watch_directories(&walked.directories)?,
            None => false,
        };
        if !again {
            return Ok(DiskScan { walked, within });
        }
    }
}
