//! Engines for the other projects that a question names, each with the settings of its own project: what a repository leaves
//! out of its index stays out, whoever asks. They work on the store of the one who asks, whatever those settings say.

use super::engine_settings;
use crate::config::{self, ConfigSources, Environment, LoadedConfig};
use engine::{Engine, Error, Project, ProjectLookup, ProjectReach, SelectedProject};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Each costs memory, and is loaded again in a moment.
const MOST_OPENED: usize = 8;

/// The other projects, as far as callers may name them.
pub(crate) struct OtherProjects {
    environment: Environment,
    reach: ProjectReach,
    /// The one that was asked last at the end.
    opened: Mutex<Vec<OpenedProject>>,
}

struct OpenedProject {
    root: PathBuf,
    /// All settings: an edited file of the project takes effect at once.
    settings: String,
    engine: Arc<Engine>,
}

impl OtherProjects {
    pub(super) fn new(environment: Environment) -> Self {
        Self { environment, reach: ProjectReach::Machine, opened: Mutex::default() }
    }

    /// The same with none opened.
    pub(super) fn emptied(&self) -> Self {
        Self { reach: self.reach.clone(), ..Self::new(self.environment.clone()) }
    }

    /// The same for callers who may name only the projects in these directories.
    pub(super) fn limited_to(&self, roots: Vec<PathBuf>) -> Self {
        Self { reach: ProjectReach::Roots(roots), ..self.emptied() }
    }

    /// Which projects callers may name.
    pub(crate) fn reach(&self) -> &ProjectReach {
        &self.reach
    }

    /// Whether callers are told what is on this machine.
    pub(crate) fn lookup(&self) -> ProjectLookup {
        match self.reach {
            ProjectReach::Machine => ProjectLookup::OnDisk,
            ProjectReach::Roots(_) => ProjectLookup::InStore,
        }
    }

    /// What the file of a project sets, by key; nothing where it cannot be read or nobody may look.
    pub(crate) fn own_settings(&self, root: &Path) -> BTreeMap<String, String> {
        if self.lookup() == ProjectLookup::InStore {
            return BTreeMap::new();
        }
        self.load_settings(root).map(|loaded| config::project_settings(&loaded)).unwrap_or_default()
    }

    /// The engine of another project.
    pub(crate) fn open(&self, own: &Engine, selected: &SelectedProject) -> Result<Arc<Engine>, Error> {
        let root = &selected.project.root;
        let loaded = self.load_settings(root).map_err(|error| Error::Parameter {
            field: "projects",
            reason: format!("names `{}`, whose settings cannot be read: {error}", selected.name),
        })?;
        let settings = format!("{:?}", loaded.config);
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let known = opened.iter().position(|it| it.root == *root).map(|at| opened.remove(at));
        let it = known.filter(|known| known.settings == settings).unwrap_or_else(|| OpenedProject {
            root: root.clone(),
            engine: Arc::new(own.with_settings(engine_settings(&loaded.config, &loaded.directories))),
            settings,
        });
        let engine = Arc::clone(&it.engine);
        opened.push(it);
        if opened.len() > MOST_OPENED {
            opened.remove(0);
        }
        Ok(engine)
    }

    fn load_settings(&self, root: &Path) -> Result<LoadedConfig, config::ConfigError> {
        config::load_config(ConfigSources { environment: &self.environment, project_root: Some(root), flags: &[] })
    }
}

/// A project that a question reaches.
pub(crate) struct ReachedProject {
    /// What it is called, where the question names projects.
    pub(crate) name: Option<String>,
    /// Where it is.
    pub(crate) project: Project,
    /// Its engine, where it is not the one of the project that the question is asked in.
    pub(crate) engine: Option<Arc<Engine>>,
}
