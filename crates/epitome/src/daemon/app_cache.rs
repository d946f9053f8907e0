//! The daemon's LRU cache of open stores and engines, one for each project and settings used lately.

use crate::background::hold_watch;
use crate::compose::App;
use crate::config::{self, ConfigSources, Environment};
use crate::errors::AppError;
use crate::hook::find_event_project;
use agents::HookEvent;
use std::path::PathBuf;
use std::sync::Arc;
use tokio_util::task::AbortOnDropHandle;

/// Agents seldom work on more projects at once, and each costs memory.
const MAX_CACHED_APPS: usize = 4;

/// Engines by project and settings, the one used last at the end.
pub(super) struct AppCache {
    first: Arc<App>,
    others: Vec<CachedApp>,
}

struct CachedApp {
    key: AppCacheKey,
    app: Arc<App>,
    /// Ends with the entry.
    _watch: AbortOnDropHandle<()>,
}

#[derive(PartialEq, Eq)]
struct AppCacheKey {
    root: PathBuf,
    /// All settings, as `config list` shows them.
    settings: String,
}

impl AppCache {
    pub(super) fn new(first: Arc<App>) -> Self {
        Self { first, others: Vec::new() }
    }

    /// Lets go of what engines keep in memory about worktrees that no hook asked about in a while.
    pub(super) fn release_idle(&self) {
        for app in self.others.iter().map(|opened| &opened.app).chain([&self.first]) {
            app.engine.release_idle();
        }
    }

    /// The app that answers an event with the settings of its hook. `None` for an event of another store or without a
    /// project.
    pub(super) fn find_or_open(
        &mut self,
        event: &HookEvent,
        environment: &Environment,
    ) -> Result<Option<Arc<App>>, AppError> {
        let Some(project) = find_event_project(event) else { return Ok(None) };
        let sources = ConfigSources { environment, project_root: Some(&project.root), flags: &[] };
        // If the file of the project cannot be read, the hook went on without it, and the daemon must not answer with
        // other settings: it declines, and the hook answers itself.
        let Ok(loaded) = config::load_config(sources) else { return Ok(None) };
        // Another home or another database: the answer would come from a store that the hook does not mean.
        if loaded.directories != self.first.directories || !self.first.uses_database(&loaded.config.database) {
            return Ok(None);
        }
        // The settings are part of the key, so that an edited `.epitome.toml` takes effect at once.
        let key = AppCacheKey { root: project.root.clone(), settings: format!("{:?}", loaded.config) };
        let opened = if let Some(at) = self.others.iter().position(|opened| opened.key == key) {
            self.others.remove(at)
        } else {
            let app = Arc::new(self.first.for_project(loaded, project)?);
            CachedApp { key, _watch: hold_watch(Arc::clone(&app)), app }
        };
        let app = Arc::clone(&opened.app);
        // The newest is last, so that the one that was not asked for longest is first and goes.
        self.others.push(opened);
        if self.others.len() > MAX_CACHED_APPS {
            self.others.remove(0);
        }
        Ok(Some(app))
    }
}
