//! What the daemon has open: the store, and an engine for each project that was asked about lately.

use crate::background::hold_watch;
use crate::compose::App;
use crate::config::{self, Environment, Sources};
use crate::errors::Problem;
use crate::hook::Event;
use std::path::PathBuf;
use std::sync::Arc;
use tokio_util::task::AbortOnDropHandle;

/// Agents seldom work on more projects at once, and each costs memory.
const MOST: usize = 4;

/// Engines by project and settings, the one used last at the end.
pub(super) struct Open {
    first: Arc<App>,
    others: Vec<Opened>,
}

struct Opened {
    key: Key,
    app: Arc<App>,
    /// Ends with the entry.
    _watch: AbortOnDropHandle<()>,
}

#[derive(PartialEq, Eq)]
struct Key {
    root: PathBuf,
    /// All of them, as they are shown.
    settings: String,
}

impl Open {
    pub(super) fn new(first: Arc<App>) -> Self {
        Self { first, others: Vec::new() }
    }

    /// What answers an event with the settings of its hook. None for one that is about another store, or about nothing.
    pub(super) fn of(&mut self, event: &Event, environment: &Environment) -> Result<Option<Arc<App>>, Problem> {
        let Some(project) = event.project() else { return Ok(None) };
        let sources = Sources { environment, project_root: Some(&project.root), flags: &[] };
        // Where the file of a project cannot be read, the hook has read the settings without it, and answers itself.
        let Ok(loaded) = config::load(sources) else { return Ok(None) };
        if loaded.directories != self.first.directories || !self.first.is_of(&loaded.config.database) {
            return Ok(None);
        }
        let key = Key { root: project.root.clone(), settings: format!("{:?}", loaded.config) };
        let opened = if let Some(at) = self.others.iter().position(|opened| opened.key == key) {
            self.others.remove(at)
        } else {
            let app = Arc::new(self.first.for_project(loaded, project)?);
            Opened { key, _watch: hold_watch(Arc::clone(&app)), app }
        };
        let app = Arc::clone(&opened.app);
        self.others.push(opened);
        if self.others.len() > MOST {
            self.others.remove(0);
        }
        Ok(Some(app))
    }
}
