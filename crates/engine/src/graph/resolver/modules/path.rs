//! Imports by path: from the importing file, or by the end of a path, the nearest first.

use super::Target;
use crate::graph::resolver::paths::{self, Paths};
use crate::graph::resolver::traits::Traits;

pub(super) fn target(paths: &Paths, file: &str, module: &str, traits: &Traits) -> Target {
    let directory = paths::parent(file);
    let dotted = module.replace('.', "/");
    let spelled = [module, dotted.as_str()];
    let mut found = spelled.iter().find_map(|path| beside(paths, directory, path, traits));
    if found.is_none() && !module.starts_with("./") && !module.starts_with("../") {
        found = spelled.iter().find_map(|path| by_end(paths, file, path, traits));
    }
    found.map_or(Target::Outside, Target::File)
}

/// A file at a path, with the extension or the index that may be left away.
fn beside(paths: &Paths, directory: &str, path: &str, traits: &Traits) -> Option<u32> {
    let path = paths::join(directory, path)?;
    let with_extension = |path: &str| traits.extensions.iter().find_map(|ext| paths.file(&format!("{path}.{ext}")));
    let index = || traits.indexes.iter().find_map(|index| with_extension(&format!("{path}/{index}")));
    paths.file(&path).or_else(|| with_extension(&path)).or_else(index)
}

/// The file whose path ends so and that shares most directories with the importing one.
fn by_end(paths: &Paths, file: &str, path: &str, traits: &Traits) -> Option<u32> {
    let name = paths::name(path);
    let mut names = std::iter::once(name.to_owned()).chain(traits.extensions.iter().map(|ext| format!("{name}.{ext}")));
    let end = format!("/{}", paths::parent(path));
    let end = end.trim_end_matches('/');
    let fits = |at: &&u32| {
        let directory = format!("/{}", paths::parent(paths.path(**at)));
        directory.ends_with(end)
    };
    let nearest = |at: &&u32| (paths::shared(file, paths.path(**at)), usize::MAX - paths.path(**at).len());
    names.find_map(|name| paths.called(&name).iter().filter(fits).max_by_key(nearest).copied())
}
