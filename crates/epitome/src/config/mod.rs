//! Configuration: from layers that know where each value was written to one validated [`Config`].
//!
//! Two steps. `raw` reads each layer into checked assignments with origins; this file merges them, lowest first, and
//! turns the result into typed fields. Nothing here reads the process environment or the working directory except
//! [`Environment::from_process`]: what decides is handed in, so every rule can be tested with plain values.

pub(crate) mod typed;

mod keys;
mod rule;
mod value;

mod file;
mod raw;

mod env;
mod narrow;

mod credentials;
mod directories;
pub(crate) mod edit;
pub(crate) mod listing;
mod mask;
pub(crate) mod patterns;
mod problem;

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde::de::value::MapDeserializer;

pub(crate) use credentials::Credentials;
pub(crate) use directories::Directories;
pub(crate) use env::Environment;
pub(crate) use problem::{Error, Warning};
pub(crate) use typed::Config;

use keys::Key;
use raw::{Assignment, FileLayer, Origin};
use value::Value;

/// The name of the project file, in the root of a project.
pub(crate) const PROJECT_FILE: &str = ".epitome.toml";

/// Everything that decides the configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sources<'a> {
    pub(crate) environment: &'a Environment,
    /// The root of the project at hand, where there is one.
    pub(crate) project_root: Option<&'a Path>,
    /// Overrides from the command line, each `key=value`.
    pub(crate) flags: &'a [String],
}

/// A configuration, what was ignored on the way to it, and where each value came from (see [`listing`]).
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) config: Config,
    pub(crate) directories: Directories,
    pub(crate) warnings: Vec<Warning>,
    /// The keys of providers that are asked, or why there is none to be had. Printing them shows where they came from.
    pub(crate) credentials: Credentials,
    /// What it was read from, for those who look for other programs' files.
    pub(crate) environment: Environment,
    settings: Vec<Setting>,
}

/// Merges defaults, user file, project file, environment and flags.
pub(crate) fn load(sources: Sources<'_>) -> Result<Loaded, Error> {
    let mut warnings = Vec::new();
    let directories = Directories::resolve(sources.environment, &mut warnings)?;
    let mut settings: Vec<Setting> = keys::all().iter().map(Setting::by_default).collect();

    for assignment in raw::from_file(FileLayer::User, &directories.user_file(), &mut warnings)? {
        slot(&mut settings, assignment.key).replace(assignment);
    }
    if let Some(root) = sources.project_root {
        for assignment in raw::from_file(FileLayer::Project, &root.join(PROJECT_FILE), &mut warnings)? {
            narrow::apply(slot(&mut settings, assignment.key), assignment, &mut warnings);
        }
    }
    let environment = env::assignments(sources.environment, &mut warnings)?;
    for assignment in environment.into_iter().chain(raw::from_flags(sources.flags)?) {
        slot(&mut settings, assignment.key).replace(assignment);
    }
    let mut config = typed_config(&settings);
    let rules = settings.iter().find(|setting| setting.key.name == narrow::RULES).map_or(0, |setting| setting.added);
    config.sensitive.last_are_of_project(rules);
    let credentials = Credentials::find(&config.providers, sources.environment);
    let environment = sources.environment.clone();
    Ok(Loaded { config, directories, warnings, credentials, environment, settings })
}

/// The value in force for one key. Most come from one place; a list that a project file added to has two.
#[derive(Debug)]
struct Setting {
    key: &'static Key,
    value: Value,
    origins: Vec<Origin>,
    /// How many texts at the end of a list a project file added.
    added: usize,
}

impl Setting {
    fn by_default(key: &'static Key) -> Self {
        Self { key, value: key.default.clone(), origins: vec![Origin::Default], added: 0 }
    }

    fn replace(&mut self, assignment: Assignment) {
        self.value = assignment.value;
        self.origins = vec![assignment.origin];
        self.added = 0;
    }

    fn origin(&self) -> String {
        self.origins.iter().map(Origin::to_string).collect::<Vec<_>>().join(", ")
    }
}

fn slot<'s>(settings: &'s mut [Setting], key: &Key) -> &'s mut Setting {
    settings.iter_mut().find(|setting| std::ptr::eq(setting.key, key)).expect("there is a setting for every key")
}

fn typed_config(settings: &[Setting]) -> Config {
    let mut sections: BTreeMap<&str, BTreeMap<&str, &Value>> = BTreeMap::new();
    for setting in settings {
        let (section, name) = setting.key.section_and_name();
        sections.entry(section).or_default().insert(name, &setting.value);
    }
    let sections = sections.into_iter().map(|(section, values)| (section, MapDeserializer::new(values.into_iter())));
    Config::deserialize(MapDeserializer::new(sections)).expect("each value was checked against the rule of its key")
}
