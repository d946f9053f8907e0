//! Resolves Go imports, which name a package directory: the module path that some `go.mod` declares, and the path of
//! the directory below it.

use super::ImportTarget;
use crate::code::graph::resolver::ModuleManifest;
use crate::code::graph::resolver::paths::{self, PathIndex};

/// The modules that a project declares, longest path first.
pub(super) struct GoModules {
    /// Module path and directory.
    modules: Vec<(String, String)>,
}

impl GoModules {
    pub(super) fn new(manifests: &[ModuleManifest]) -> Self {
        let mut modules = Vec::new();
        for manifest in manifests.iter().filter(|manifest| paths::file_name(&manifest.path) == "go.mod") {
            let directory = paths::parent_directory(&manifest.path);
            let text = String::from_utf8_lossy(&manifest.bytes);
            let mut block = None;
            for line in text.lines() {
                let line = line.split("//").next().unwrap_or_default().trim();
                match line {
                    // `replace (` opens a block, whose lines leave the verb out.
                    ")" => block = None,
                    _ if line.ends_with('(') => block = line.split_whitespace().next(),
                    _ => {
                        let mut words = line.split_whitespace().map(|word| word.trim_matches('"'));
                        let verb = block.or_else(|| words.next());
                        let rest: Vec<&str> = words.collect();
                        match (verb, rest.as_slice()) {
                            (Some("module"), [path, ..]) => modules.push(((*path).to_owned(), directory.to_owned())),
                            // `replace a => ../b` with a local path leads into the project; another version of a remote
                            // module does not.
                            (Some("replace"), [path, .., "=>", local]) if local.starts_with('.') => {
                                let local = paths::join_path(directory, local);
                                modules.extend(local.map(|local| ((*path).to_owned(), local)));
                            }
                            _ => {}
                        }
                    }
                }
            }
        }
        // A module in a directory below another has the longer path and must be tried first.
        modules.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
        Self { modules }
    }

    pub(super) fn resolve_module(&self, paths: &PathIndex, module: &str) -> ImportTarget {
        let inside = |(path, directory): &(String, String)| {
            let rest = module.strip_prefix(path.as_str())?;
            // `example.com/ab` is not inside of `example.com/a`.
            let is_whole = rest.is_empty() || rest.starts_with('/');
            is_whole.then(|| paths::join_path(directory, rest)).flatten()
        };
        let found = self.modules.iter().find_map(inside).and_then(|path| paths.find_directory(&path));
        found.map_or(ImportTarget::Outside, ImportTarget::Directory)
    }
}
