//! Looking at the disk: everywhere, or where a watch says that something happened.

use super::walk::{Walked, walk};
use super::{Within, blocking};
use crate::watch::Watched;
use crate::{Project, Result, Settings};
use std::sync::Arc;

/// What the disk shows.
pub(super) struct Look {
    pub(super) walked: Walked,
    /// The places looked at; nothing means everywhere.
    pub(super) within: Option<Within>,
}

pub(super) async fn look(project: &Project, settings: &Settings, watched: Option<Arc<Watched>>) -> Result<Look> {
    let within = watched.as_ref().and_then(|watched| watched.take());
    loop {
        let (root, settings, places) = (project.root.clone(), settings.clone(), within.clone());
        let walked = blocking("the file walk", move || walk(&root, &settings, places.as_ref())).await??;
        // What happened in a directory before it was followed is seen by looking once more.
        let again = match &watched {
            Some(watched) => watched.follow(&walked.directories)?,
            None => false,
        };
        if !again {
            return Ok(Look { walked, within });
        }
    }
}
