//! Looking at the disk: everywhere, or where a watch says that something happened.

use super::WalkScope;
use super::walk::{WalkResult, walk_project};
use crate::EngineSettings;
use crate::base::{Project, Result, run_blocking};
use crate::code::watch::WatchedProject;
use std::sync::Arc;

/// What the disk shows.
pub(super) struct DiskScan {
    pub(super) walked: WalkResult,
    /// The places looked at; nothing means everywhere.
    pub(super) within: Option<WalkScope>,
}

pub(super) async fn scan_changed(
    project: &Project,
    settings: &EngineSettings,
    watched: Option<Arc<WatchedProject>>,
) -> Result<DiskScan> {
    let within = watched.as_ref().and_then(|watched| watched.take_dirty());
    loop {
        let (root, settings, places) = (project.root.clone(), settings.clone(), within.clone());
        let walked = run_blocking("the file walk", move || walk_project(&root, &settings, places.as_ref())).await??;
        // What happened in a directory before it was followed is seen by looking once more.
        let again = match &watched {
            Some(watched) => watched.watch_directories(&walked.directories)?,
            None => false,
        };
        if !again {
            return Ok(DiskScan { walked, within });
        }
    }
}
