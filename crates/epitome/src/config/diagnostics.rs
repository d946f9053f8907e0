//! Error and warning types of configuration loading: errors stop the command, warnings are reported and the command
//! goes on.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::layers::SettingOrigin;
use super::project_policy::MOST_RULES;

/// A configuration that cannot be used. Causes from the operating system are in `source`, so print the whole chain.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error("cannot read the configuration")]
    Unreadable(#[source] io::Error),
    #[error("cannot read the configuration file {}: not a regular file", .0.display())]
    NotAFile(PathBuf),
    #[error("cannot read the configuration file {}: {bytes} bytes, more than {limit}", .path.display())]
    TooLarge { path: PathBuf, bytes: u64, limit: u64 },
    #[error(
        "cannot read the configuration file {}: byte 0x{byte:02x} at line {line}, column {column} is not UTF-8\n\
         hint: save the file as UTF-8", .path.display()
    )]
    NotUtf8 { path: PathBuf, line: usize, column: usize, byte: u8 },
    #[error("cannot parse {} at line {line}, column {column}: {message}\n{line:>5} | {snippet}", .path.display())]
    Malformed { path: PathBuf, line: usize, column: usize, message: String, snippet: String },
    #[error("cannot set {key} to {found} ({origin}): expected {expected}")]
    Invalid { key: String, found: String, origin: SettingOrigin, expected: String },
    #[error("unknown configuration key {key}{}", hint(*.nearest, "`epitome config list` shows every key"))]
    UnknownKey { key: String, nearest: Option<&'static str> },
    #[error("cannot read the override {0}: expected key=value")]
    MalformedOverride(String),
    #[error(
        "cannot tell where configuration and data belong: HOME is not set\n\
         hint: set HOME, or set EPITOME_HOME to a directory that may hold all of it"
    )]
    NoHome,
    #[error("cannot use {name}={}: not an absolute path", .path.display())]
    RelativeHome { name: &'static str, path: PathBuf },
    #[error("cannot write {}", .path.display())]
    Unwritable { path: PathBuf, source: io::Error },
}

/// Something that was ignored, and why.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ConfigWarning {
    UnknownKey {
        key: String,
        origin: SettingOrigin,
        nearest: Option<&'static str>,
    },
    UnknownVariable {
        name: String,
        nearest: Option<String>,
    },
    /// A variable that would set something if another one did.
    WithoutEffect {
        name: &'static str,
        why: &'static str,
    },
    /// A project file named a key that only the user decides.
    Forbidden {
        key: &'static str,
        origin: SettingOrigin,
    },
    /// A project file asked for more than `limit`, which is in force without it.
    Wider {
        key: &'static str,
        found: String,
        origin: SettingOrigin,
        limit: String,
    },
    /// A project file has more rules for secrets than are followed.
    TooManyRules {
        written: usize,
        origin: SettingOrigin,
    },
    RelativeDirectory {
        name: &'static str,
        path: PathBuf,
    },
}

impl fmt::Display for ConfigWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownKey { key, origin, nearest } => {
                write!(f, "unknown key {key} ({origin}) was ignored{}", did_you_mean(*nearest))
            }
            Self::UnknownVariable { name, nearest } => {
                write!(f, "unknown variable {name} (environment) was ignored{}", did_you_mean(nearest.as_deref()))
            }
            Self::WithoutEffect { name, why } => write!(f, "{name} (environment) was ignored: {why}"),
            Self::Forbidden { key, origin } => {
                write!(f, "{key} ({origin}) was ignored because a project file may only narrow: it cannot set {key}")
            }
            Self::Wider { key, found, origin, limit } => {
                write!(
                    f,
                    "{key} = {found} ({origin}) was ignored because a project file may only narrow what is in force: {limit}"
                )
            }
            Self::TooManyRules { written, origin } => {
                write!(
                    f,
                    "only the first {MOST_RULES} of {written} rules ({origin}) are followed: a project may have no more"
                )
            }
            Self::RelativeDirectory { name, path } => {
                write!(f, "{name}={} was ignored because it is not an absolute path", path.display())
            }
        }
    }
}

fn hint(nearest: Option<&str>, otherwise: &str) -> String {
    let meant = did_you_mean(nearest);
    if meant.is_empty() { format!("\nhint: {otherwise}") } else { meant }
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("\nhint: did you mean {name}?")).unwrap_or_default()
}
