//! `WalkScope`, the set of changed files and directories to which the watcher restricts a walk over a project.

use std::collections::HashSet;
use std::path::Path;

/// Places of a project: files, or directories with all they hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct WalkScope {
    places: HashSet<String>,
    above: HashSet<String>,
}

impl WalkScope {
    pub(crate) fn new(places: impl IntoIterator<Item = String>) -> Self {
        let places: HashSet<String> = places.into_iter().collect();
        let above = places.iter().flat_map(|place| path_ancestors(place)).map(str::to_owned).collect();
        Self { places, above }
    }

    /// Whether a path is one of the places or inside of one.
    pub(crate) fn contains(&self, path: &str) -> bool {
        self.places.contains(path) || path_ancestors(path).any(|above| self.places.contains(above))
    }

    /// The places themselves.
    pub(crate) fn scope_paths(&self) -> Vec<String> {
        self.places.iter().cloned().collect()
    }

    /// Whether a walk has to enter or pass a path.
    pub(crate) fn leads_to(&self, path: &Path) -> bool {
        path.to_str().is_some_and(|path| self.above.contains(path) || self.contains(path))
    }
}

/// The directories a path lies in, innermost first; the project itself, which has the empty path, last.
fn path_ancestors(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(parent_path(path), |path| parent_path(path))
}

fn parent_path(path: &str) -> Option<&str> {
    (!path.is_empty()).then(|| path.rsplit_once('/').map_or("", |(outer, _)| outer))
}
