//! The environment variables as a value, and the one table of variables that Epitome reads. Every configuration key has
//! the variable `EPITOME_<SECTION>_<KEY>`. Names of systems that came before (`LCM_*`, `MEMTRACE_*`) keep working below
//! them, so that moving over needs no new environment; a name that sets nothing is told.

mod lcm;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::diagnostics::{ConfigError, ConfigWarning};
use super::keys::{self, ConfigKey};
use super::layers::{KeyAssignment, SettingOrigin, from_text};
use super::toml_file::printable_line;
use super::value::ConfigValue;
use crate::suggestion::nearest_word;

/// Variables and their values. Only [`Environment::from_process`] looks at the real ones; tests hand in their own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environment(BTreeMap<OsString, OsString>);

/// What says who runs us, in the order in which they are believed.
pub(super) const ACCOUNT_VARIABLES: [&str; 3] = ["USER", "LOGNAME", "USERNAME"];

impl Environment {
    /// The environment of this process.
    #[expect(clippy::disallowed_methods, reason = "the one place where variables are read")]
    pub(crate) fn from_process() -> Self {
        Self(std::env::vars_os().collect())
    }

    /// A variable that is set to something; an empty one counts as unset, as the XDG rules have it.
    pub(crate) fn nonempty_variable(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).filter(|value| !value.is_empty()).map(OsString::as_os_str)
    }
}

impl Environment {
    /// The variables that settings and directories are read from, for a process that is to see them as this one does.
    pub(crate) fn setting_variables(&self) -> Vec<(String, String)> {
        let text =
            |(name, value): (&OsString, &OsString)| Some((name.to_str()?.to_owned(), value.to_str()?.to_owned()));
        let is_read = |name: &str| {
            // Sent to the daemon with every question, so that it decides with the settings of the hook that asks.
            let is_named = name == "HOME" || ACCOUNT_VARIABLES.contains(&name);
            is_named || ["EPITOME_", "LCM_", "MEMTRACE_", "XDG_"].iter().any(|start| name.starts_with(start))
        };
        self.0.iter().filter_map(text).filter(|(name, _)| is_read(name)).collect()
    }
}

impl<N: Into<OsString>, V: Into<OsString>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

/// What the environment sets, other names first so that those after the key win.
///
/// Here an empty variable is a value: `EPITOME_DATABASE_URL=` goes back to the embedded database.
pub(crate) fn read_assignments(
    environment: &Environment,
    warnings: &mut Vec<ConfigWarning>,
) -> Result<Vec<KeyAssignment>, ConfigError> {
    let mut assignments = Vec::new();
    // Names of earlier systems come first: a variable of ours overrides them.
    for (name, key, meaning) in VARIABLE_ALIASES {
        let Some(value) = environment.0.get(OsStr::new(name)) else { continue };
        let key = keys::find_key(key).expect("the table names keys that exist");
        assignments.extend(parse_older(key, name, value, *meaning)?);
    }
    assignments.extend(lcm::summary_assignments(environment, warnings)?);
    for key in keys::all_keys() {
        let name = variable_name(key);
        if let Some(value) = environment.0.get(OsStr::new(&name)) {
            assignments.push(parse_assignment(key, &name, value)?);
        }
    }
    // A misspelt variable would otherwise be silently without effect.
    warnings.extend(unknown_variables(environment));
    Ok(assignments)
}

/// What a name of an earlier system sets; nothing where its value says nothing.
fn parse_older(
    key: &'static ConfigKey,
    name: &str,
    value: &OsStr,
    meaning: VariableMeaning,
) -> Result<Option<KeyAssignment>, ConfigError> {
    match meaning {
        VariableMeaning::Same => parse_assignment(key, name, value).map(Some),
        // Such a variable can only switch on; any other value leaves the setting as it is.
        VariableMeaning::Switch(on) if value == "1" || value == "true" => {
            parse_assignment(key, name, OsStr::new(on)).map(Some)
        }
        VariableMeaning::Switch(_) => Ok(None),
        VariableMeaning::Opposite => {
            let mut assignment = parse_assignment(key, name, value)?;
            if let ConfigValue::Boolean(disabled) = &mut assignment.value {
                *disabled = !*disabled;
            }
            Ok(Some(assignment))
        }
        // The file itself is that of the other system and is never opened; ours lies beside it.
        VariableMeaning::FolderOf if value.is_empty() => Ok(None),
        VariableMeaning::FolderOf => {
            let folder = Path::new(value).parent().unwrap_or(Path::new(""));
            // A bare file name has an empty folder, which would be the data directory; it is refused like any path that
            // depends on where a command is run.
            let folder = if folder.as_os_str().is_empty() { Path::new(value) } else { folder };
            parse_assignment(key, name, folder.as_os_str()).map(Some)
        }
    }
}

#[derive(Clone, Copy)]
enum VariableMeaning {
    Same,
    Opposite,
    /// Switched on, it sets this value; switched off, it says nothing.
    Switch(&'static str),
    /// It names a file; the setting is the folder of it.
    FolderOf,
}

const VARIABLE_ALIASES: &[(&str, &str, VariableMeaning)] = &[
    ("MEMTRACE_ADAPTIVE_MODES", "read.adaptive", VariableMeaning::Switch("true")),
    ("MEMTRACE_DEFAULT_MODE", "read.mode", VariableMeaning::Same),
    ("EPITOME_DEFAULT_MODE", "read.mode", VariableMeaning::Same),
    ("LCM_ENABLED", "memory.enabled", VariableMeaning::Same),
    ("LCM_CONTEXT_THRESHOLD", "memory.context_threshold", VariableMeaning::Same),
    ("LCM_FRESH_TAIL_COUNT", "memory.fresh_tail", VariableMeaning::Same),
    ("LCM_LEAF_TARGET_TOKENS", "memory.leaf_target_tokens", VariableMeaning::Same),
    ("LCM_CONDENSED_TARGET_TOKENS", "memory.condensed_target_tokens", VariableMeaning::Same),
    ("LCM_MAX_EXPAND_TOKENS", "memory.expand_tokens", VariableMeaning::Same),
    ("LCM_LEAF_CHUNK_TOKENS", "memory.leaf_chunk_tokens", VariableMeaning::Same),
    ("LCM_LEAF_MIN_FANOUT", "memory.leaf_fanout", VariableMeaning::Same),
    ("LCM_CONDENSED_MIN_FANOUT", "memory.condensed_fanout", VariableMeaning::Same),
    ("LCM_LARGE_FILE_TOKEN_THRESHOLD", "memory.artifact_tokens", VariableMeaning::Same),
    ("LCM_AUTOCOMPACT_DISABLED", "memory.autocompact", VariableMeaning::Opposite),
    ("LCM_INCREMENTAL_MAX_DEPTH", "memory.incremental_depth", VariableMeaning::Same),
    ("LCM_DATABASE_URL", "database.url", VariableMeaning::Same),
    ("LCM_DATABASE_PATH", "database.folder", VariableMeaning::FolderOf),
    ("MEMTRACE_BANDIT_WINDOW_TURNS", "ledger.window_turns", VariableMeaning::Same),
    ("MEMTRACE_LEDGER_RETENTION_DAYS", "ledger.retention_days", VariableMeaning::Same),
];

/// Variables that are read elsewhere and set no key: the directory for everything, and for tests the database to use
/// and the point at which a debug build is held.
const NOT_KEYS: &[&str] = &["EPITOME_HOME", "EPITOME_HOLD", "EPITOME_TEST_POSTGRES_URL"];

/// What variables of ours and of systems that came before begin with.
const VARIABLE_PREFIXES: [&str; 3] = ["EPITOME_", "LCM_", "MEMTRACE_"];

/// The variables that set a key, the strongest first.
pub(crate) fn variable_names(key: &ConfigKey) -> Vec<String> {
    let older =
        VARIABLE_ALIASES.iter().filter(|(_, name, _)| *name == key.name).map(|(variable, ..)| (*variable).to_owned());
    std::iter::once(variable_name(key)).chain(older).collect()
}

fn variable_name(key: &ConfigKey) -> String {
    format!("EPITOME_{}", key.name.replace('.', "_").to_ascii_uppercase())
}

fn parse_assignment(key: &'static ConfigKey, name: &str, value: &OsStr) -> Result<KeyAssignment, ConfigError> {
    let origin = SettingOrigin::Environment { name: name.to_owned() };
    match value.to_str() {
        Some(text) => from_text(key, text, origin),
        None => Err(ConfigError::Invalid {
            key: key.name.clone(),
            found: "bytes that are not UTF-8".to_owned(),
            origin,
            expected: "UTF-8 text".to_owned(),
        }),
    }
}

/// Names that look like ours or like those of an earlier system and set nothing: the user expects an effect of them.
fn unknown_variables(environment: &Environment) -> Vec<ConfigWarning> {
    let is_ours = |name: &str| VARIABLE_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    let ours = || environment.0.keys().map(|name| name.to_string_lossy()).filter(|name| is_ours(name));
    // The common case has no variable of ours, and the list of names need not be built.
    if ours().next().is_none() {
        return Vec::new();
    }
    let variables: Vec<String> = keys::all_keys().iter().map(variable_name).collect();
    let others = || VARIABLE_ALIASES.iter().map(|(name, ..)| *name).chain(lcm::SUMMARY_VARIABLES);
    let known = || variables.iter().map(String::as_str).chain(others()).chain(NOT_KEYS.iter().copied());
    ours()
        .filter(|name| !known().any(|known| known == name))
        .map(|name| {
            let nearest = nearest_word(&name, known()).map(str::to_owned);
            ConfigWarning::UnknownVariable { name: printable_line(&name), nearest }
        })
        .collect()
}

#[cfg(test)]
mod tests;
