//! The home folder and environment variables that searching for agents' files depends on (`AgentEnvironment`); the
//! caller reads them from the system.

use std::path::{Path, PathBuf};

/// What finding depends on, read from the system by the caller.
pub struct AgentEnvironment<'a> {
    /// The home directory.
    pub home: &'a Path,
    /// The value of an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

impl AgentEnvironment<'_> {
    /// A folder that a variable names, or else one below the home directory.
    pub(crate) fn resolve_folder(&self, variable: &str, below_home: &str) -> PathBuf {
        let named = (self.variable)(variable).filter(|folder| !folder.is_empty());
        named.map_or_else(|| self.home.join(below_home), PathBuf::from)
    }
}
