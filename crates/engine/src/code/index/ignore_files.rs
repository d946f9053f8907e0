//! Reads `.epitomeignore` and the ignore files of earlier tools, so that a project need not repeat itself: patterns
//! like those of `.gitignore`, which can only leave out more than git does.
//!
//! A project may narrow what is indexed, never widen it: a `!` takes back an earlier line of these files or one of our
//! defaults, not one of `.gitignore`, or a cloned repository could have its user's secrets indexed.

use crate::base::IGNORE_FILES;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The decision of the ignore files about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IgnoreDecision {
    /// The path is left out.
    Out,
    /// The path is not left out, also not by one of our defaults.
    In,
    /// No file mentions the path.
    None,
}

pub(super) struct IgnoreFiles {
    root: PathBuf,
    /// By directory; `None` for a directory without such a file.
    read: Mutex<HashMap<PathBuf, Option<Arc<Gitignore>>>>,
}

impl IgnoreFiles {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), read: Mutex::new(HashMap::new()) }
    }

    /// The decision about a path; the file nearest to it decides, as in git.
    pub(super) fn decide_path(&self, path: &Path, is_directory: bool) -> IgnoreDecision {
        for directory in path.ancestors().skip(1) {
            let Some(rules) = self.rules_of(directory) else { continue };
            match rules.matched(self.root.join(path), is_directory) {
                Match::Ignore(_) => return IgnoreDecision::Out,
                Match::Whitelist(_) => return IgnoreDecision::In,
                Match::None => {}
            }
        }
        IgnoreDecision::None
    }

    fn rules_of(&self, directory: &Path) -> Option<Arc<Gitignore>> {
        // The walk asks for every entry of a directory, so its files are read once.
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rules) = read.get(directory) {
            return rules.clone();
        }
        let full = self.root.join(directory);
        let files: Vec<PathBuf> =
            IGNORE_FILES.iter().map(|name| full.join(name)).filter(|file| file.is_file()).collect();
        let rules = (!files.is_empty()).then(|| {
            let mut builder = GitignoreBuilder::new(&full);
            for file in files {
                // A line that cannot be read leaves nothing out; the other lines count, as in git.
                let _ = builder.add(file);
            }
            Arc::new(builder.build().unwrap_or_else(|_| Gitignore::empty()))
        });
        read.insert(directory.to_owned(), rules.clone());
        rules
    }
}
