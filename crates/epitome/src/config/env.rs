//! The environment as a value, and the one table of variables Epitome reads.
//!
//! Every key has the variable `EPITOME_<SECTION>_<KEY>`. Names of systems that came before (`LCM_*`, `MEMTRACE_*`) keep working below
//! them, so that moving over needs no new environment.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use super::file::printable;
use super::keys::{self, Key};
use super::problem::{Error, Warning};
use super::raw::{Assignment, Origin, from_text};
use super::value::Value;
use crate::nearest::nearest;

/// Variables and their values. Only [`Environment::from_process`] looks at the real ones; tests hand in their own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// What this process was started with.
    #[expect(clippy::disallowed_methods, reason = "the one place where variables are read")]
    pub(crate) fn from_process() -> Self {
        Self(std::env::vars_os().collect())
    }

    /// A variable that is set to something; an empty one counts as unset, as the XDG rules have it.
    pub(crate) fn filled(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).filter(|value| !value.is_empty()).map(OsString::as_os_str)
    }
}

impl Environment {
    /// The variables that settings and directories are read from, for a process that is to see them as this one does.
    pub(crate) fn settings(&self) -> Vec<(String, String)> {
        let text =
            |(name, value): (&OsString, &OsString)| Some((name.to_str()?.to_owned(), value.to_str()?.to_owned()));
        let is_read = |name: &str| {
            name == "HOME" || ["EPITOME_", "LCM_", "MEMTRACE_", "XDG_"].iter().any(|start| name.starts_with(start))
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
pub(crate) fn assignments(environment: &Environment, warnings: &mut Vec<Warning>) -> Result<Vec<Assignment>, Error> {
    let mut assignments = Vec::new();
    for (name, key, meaning) in OTHERS {
        let Some(value) = environment.0.get(OsStr::new(name)) else { continue };
        let key = keys::find(key).expect("the table names keys that exist");
        if let Meaning::Switch(on) = meaning {
            if value == "1" || value == "true" {
                assignments.push(assignment(key, name, OsStr::new(on))?);
            }
            continue;
        }
        let mut assignment = assignment(key, name, value)?;
        if let (Meaning::Opposite, Value::Boolean(disabled)) = (meaning, &mut assignment.value) {
            *disabled = !*disabled;
        }
        assignments.push(assignment);
    }
    for key in keys::all() {
        let name = variable(key);
        if let Some(value) = environment.0.get(OsStr::new(&name)) {
            assignments.push(assignment(key, &name, value)?);
        }
    }
    warnings.extend(unknown(environment));
    Ok(assignments)
}

#[derive(Clone, Copy)]
enum Meaning {
    Same,
    Opposite,
    /// Switched on, it sets this value; switched off, it says nothing.
    Switch(&'static str),
}

const OTHERS: &[(&str, &str, Meaning)] = &[
    ("MEMTRACE_ADAPTIVE_MODES", "read.mode", Meaning::Switch("auto")),
    ("MEMTRACE_DEFAULT_MODE", "read.mode", Meaning::Same),
    ("EPITOME_DEFAULT_MODE", "read.mode", Meaning::Same),
    ("LCM_ENABLED", "memory.enabled", Meaning::Same),
    ("LCM_CONTEXT_THRESHOLD", "memory.context_threshold", Meaning::Same),
    ("LCM_FRESH_TAIL_COUNT", "memory.fresh_tail", Meaning::Same),
    ("LCM_LEAF_TARGET_TOKENS", "memory.leaf_target_tokens", Meaning::Same),
    ("LCM_CONDENSED_TARGET_TOKENS", "memory.condensed_target_tokens", Meaning::Same),
    ("LCM_MAX_EXPAND_TOKENS", "memory.expand_tokens", Meaning::Same),
    ("LCM_LEAF_CHUNK_TOKENS", "memory.leaf_chunk_tokens", Meaning::Same),
    ("LCM_LEAF_MIN_FANOUT", "memory.leaf_fanout", Meaning::Same),
    ("LCM_CONDENSED_MIN_FANOUT", "memory.condensed_fanout", Meaning::Same),
    ("LCM_LARGE_FILE_TOKEN_THRESHOLD", "memory.artifact_tokens", Meaning::Same),
    ("LCM_AUTOCOMPACT_DISABLED", "memory.autocompact", Meaning::Opposite),
    ("LCM_DATABASE_URL", "database.url", Meaning::Same),
    ("MEMTRACE_LEDGER_RETENTION_DAYS", "ledger.retention_days", Meaning::Same),
];

/// Variables that are read elsewhere and set no key: the directory for everything, and for tests the database to use and
/// the point at which a debug build is held.
const NOT_KEYS: &[&str] = &["EPITOME_HOME", "EPITOME_HOLD", "EPITOME_TEST_POSTGRES_URL"];

/// The variables that set a key, the strongest first.
pub(crate) fn variables(key: &Key) -> Vec<String> {
    let older = OTHERS.iter().filter(|(_, name, _)| *name == key.name).map(|(variable, ..)| (*variable).to_owned());
    std::iter::once(variable(key)).chain(older).collect()
}

fn variable(key: &Key) -> String {
    format!("EPITOME_{}", key.name.replace('.', "_").to_ascii_uppercase())
}

fn assignment(key: &'static Key, name: &str, value: &OsStr) -> Result<Assignment, Error> {
    let origin = Origin::Environment { name: name.to_owned() };
    match value.to_str() {
        Some(text) => from_text(key, text, origin),
        None => Err(Error::Invalid {
            key: key.name.clone(),
            found: "bytes that are not UTF-8".to_owned(),
            origin,
            expected: "UTF-8 text".to_owned(),
        }),
    }
}

// Unknown names of older tools are not told: those had more of them, and they mean nothing wrong here.
fn unknown(environment: &Environment) -> Vec<Warning> {
    let ours = || environment.0.keys().map(|name| name.to_string_lossy()).filter(|name| name.starts_with("EPITOME_"));
    if ours().next().is_none() {
        return Vec::new();
    }
    let variables: Vec<String> = keys::all().iter().map(variable).collect();
    let others = || OTHERS.iter().map(|(name, ..)| *name);
    let known = || variables.iter().map(String::as_str).chain(others()).chain(NOT_KEYS.iter().copied());
    ours()
        .filter(|name| !known().any(|known| known == name))
        .map(|name| {
            let nearest = nearest(&name, known()).map(str::to_owned);
            Warning::UnknownVariable { name: printable(&name), nearest }
        })
        .collect()
}

#[cfg(test)]
mod tests;
