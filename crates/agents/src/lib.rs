//! Coding agents as we meet them on disk. Knowledge of their files lives here and nowhere else.
//!
//! One file per agent under `known/`; adding one is that file and a line in [`known::ALL`].

pub mod connectors;
mod cursor_rows;
mod database;
mod find;
mod format;
mod known;
mod open;
mod transcript;
mod tree;

use std::path::{Path, PathBuf};

pub use find::{Kept, Others, Search, Surroundings, Transcript, kept, transcripts, transcripts_at};
pub use format::{FORMATS, Format, Recognised, recognise};
pub use known::ALL;

/// A coding agent.
#[derive(Debug)]
pub struct Agent {
    /// Its name in commands and configuration.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Directories below the home directory that exist when it is installed; one is enough.
    pub homes: &'static [&'static str],
    /// Where it keeps its transcripts: files, or folders with them below.
    transcripts: fn(&Surroundings<'_>) -> Vec<PathBuf>,
}

/// The agents that have left traces in a home directory, in the order of [`ALL`].
pub fn installed(home: &Path) -> Vec<&'static Agent> {
    let present = |agent: &&&'static Agent| agent.homes.iter().any(|directory| home.join(directory).is_dir());
    ALL.iter().filter(present).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_found_by_its_directory_and_only_then() {
        let home = tempfile::tempdir().expect("a temporary directory");
        assert!(installed(home.path()).is_empty());
        fs_err::create_dir_all(home.path().join(".codex")).expect("a directory");
        fs_err::write(home.path().join(".cursor"), "a file is not an installation").expect("a file");
        let names: Vec<&str> = installed(home.path()).iter().map(|agent| agent.name).collect();
        assert_eq!(names, ["codex"]);
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> = ALL.iter().map(|agent| agent.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
    }
}
