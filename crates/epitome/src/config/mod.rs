//! Loads the configuration: merges layers (defaults, files, environment, flags) that know where each value was written
//! into one validated [`Config`]. `layers` reads each layer into checked assignments with origins; this file merges
//! them, lowest first, into typed fields. Nothing here reads the process environment or the working directory except
//! [`Environment::from_process`]: what decides is passed in, so every rule can be tested with plain values.

pub(crate) mod schema;

mod keys;
mod value;
mod value_rule;

mod layers;
mod toml_file;

mod env;
mod project_policy;

mod credentials;
mod diagnostics;
mod directories;
pub(crate) mod edit;
pub(crate) mod listing;
mod mask;
pub(crate) mod patterns;

#[cfg(test)]
mod sample_tests;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde::de::value::MapDeserializer;

pub(crate) use credentials::Credentials;
pub(crate) use diagnostics::{ConfigError, ConfigWarning};
pub(crate) use directories::AppDirectories;
pub(crate) use env::Environment;
pub(crate) use listing::project_settings;
pub(crate) use schema::Config;

use env::ACCOUNT_VARIABLES;
use keys::ConfigKey;
use layers::{FileLayer, KeyAssignment, SettingOrigin};
use value::ConfigValue;

/// The name of the project file, in the root of a project.
pub(crate) const PROJECT_FILE: &str = ".epitome.toml";

/// Everything that decides the configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConfigSources<'a> {
    pub(crate) environment: &'a Environment,
    /// The root of the project at hand, where there is one.
    pub(crate) project_root: Option<&'a Path>,
    /// Overrides from the command line, each `key=value`.
    pub(crate) flags: &'a [String],
}

/// A configuration, what was ignored on the way to it, and where each value came from (see [`listing`]).
#[derive(Debug)]
pub(crate) struct LoadedConfig {
    pub(crate) config: Config,
    pub(crate) directories: AppDirectories,
    pub(crate) warnings: Vec<ConfigWarning>,
    /// The keys of configured providers, or why a key could not be read. Printing them shows where they came from.
    pub(crate) credentials: Credentials,
    /// The environment it was read from, for code that looks for files of other programs.
    pub(crate) environment: Environment,
    settings: Vec<EffectiveSetting>,
}

/// Merges defaults, user file, project file, environment and flags.
pub(crate) fn load_config(sources: ConfigSources<'_>) -> Result<LoadedConfig, ConfigError> {
    let mut warnings = Vec::new();
    let directories = AppDirectories::from_environment(sources.environment, &mut warnings)?;
    let mut settings: Vec<EffectiveSetting> = keys::all_keys().iter().map(EffectiveSetting::by_default).collect();

    // The order is that of precedence: each layer overrides those before it.
    for assignment in layers::from_file(FileLayer::User, &directories.user_file(), &mut warnings)? {
        find_setting(&mut settings, assignment.key).apply_assignment(assignment);
    }
    if let Some(root) = sources.project_root {
        for assignment in layers::from_file(FileLayer::Project, &root.join(PROJECT_FILE), &mut warnings)? {
            // Narrowed against what the user file says; the environment and flags are the user's own and come after.
            project_policy::narrow_setting(find_setting(&mut settings, assignment.key), assignment, &mut warnings);
        }
    }
    // After the project file, so that the user can always override what a repository narrows.
    let environment = env::read_assignments(sources.environment, &mut warnings)?;
    for assignment in environment.into_iter().chain(layers::from_flags(sources.flags)?) {
        find_setting(&mut settings, assignment.key).apply_assignment(assignment);
    }
    let mut config = typed_config(&settings);
    let rules =
        settings.iter().find(|setting| setting.key.name == project_policy::RULES).map_or(0, |setting| setting.added);
    // The rules of the project are last in the list, and are followed only within limits.
    config.sensitive.last_are_of_project(rules);
    if config.memory.author.is_empty() {
        config.memory.author = account_name(sources.environment);
    }
    let credentials = Credentials::read_keys(&config.providers, sources.environment);
    let environment = sources.environment.clone();
    Ok(LoadedConfig { config, directories, warnings, credentials, environment, settings })
}

/// The name of the account that runs us, as far as the environment says it.
fn account_name(environment: &Environment) -> String {
    let named = ACCOUNT_VARIABLES.iter().find_map(|name| environment.nonempty_variable(name));
    named.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The value in force for one key. Most come from one place; a list that a project file added to has two.
#[derive(Debug)]
struct EffectiveSetting {
    key: &'static ConfigKey,
    value: ConfigValue,
    origins: Vec<SettingOrigin>,
    /// How many texts at the end of a list a project file added.
    added: usize,
}

impl EffectiveSetting {
    fn by_default(key: &'static ConfigKey) -> Self {
        Self { key, value: key.default.clone(), origins: vec![SettingOrigin::Default], added: 0 }
    }

    fn apply_assignment(&mut self, assignment: KeyAssignment) {
        self.value = assignment.value;
        self.origins = vec![assignment.origin];
        self.added = 0;
    }

    fn origin_text(&self) -> String {
        self.origins.iter().map(SettingOrigin::to_string).collect::<Vec<_>>().join(", ")
    }
}

fn find_setting<'s>(settings: &'s mut [EffectiveSetting], key: &ConfigKey) -> &'s mut EffectiveSetting {
    settings.iter_mut().find(|setting| std::ptr::eq(setting.key, key)).expect("there is a setting for every key")
}

fn typed_config(settings: &[EffectiveSetting]) -> Config {
    let mut sections: BTreeMap<&str, BTreeMap<&str, &ConfigValue>> = BTreeMap::new();
    for setting in settings {
        let (section, name) = setting.key.section_and_name();
        sections.entry(section).or_default().insert(name, &setting.value);
    }
    let sections = sections.into_iter().map(|(section, values)| (section, MapDeserializer::new(values.into_iter())));
    Config::deserialize(MapDeserializer::new(sections)).expect("each value was checked against the rule of its key")
}
