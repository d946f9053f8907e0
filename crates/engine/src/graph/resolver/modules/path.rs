//! Imports by path: from the importing file, from a package of the project, or by the end of a path, the nearest first.

use super::Target;
use crate::graph::resolver::Manifest;
use crate::graph::resolver::paths::{self, Paths};
use crate::graph::resolver::traits::Traits;

/// What a path starts with that is one of a package, and where in the package it goes on.
const PACKAGE: &str = "package:";
const INSIDE: &str = "lib";

/// The packages that a project declares.
pub(super) struct PathPackages {
    /// Name and directory.
    packages: Vec<(String, String)>,
}

impl PathPackages {
    pub(super) fn new(manifests: &[Manifest]) -> Self {
        let declared = manifests.iter().filter(|manifest| paths::name(&manifest.path) == "pubspec.yaml");
        let package = |manifest: &Manifest| {
            let text = String::from_utf8_lossy(&manifest.bytes);
            let name = text.lines().find_map(|line| line.strip_prefix("name:"))?;
            let name = name.split('#').next()?.trim().trim_matches(['"', '\'']);
            Some((name.to_owned(), paths::parent(&manifest.path).to_owned()))
        };
        Self { packages: declared.filter_map(package).collect() }
    }

    pub(super) fn target(&self, paths: &Paths, file: &str, module: &str, traits: &Traits) -> Target {
        let Some(inside) = module.strip_prefix(PACKAGE) else { return target(paths, file, module, traits) };
        let found = inside.split_once('/').and_then(|(name, rest)| {
            let called = self.packages.iter().filter(|(package, _)| package == name);
            let at = |(_, directory): &(String, String)| {
                paths::join(directory, &format!("{INSIDE}/{rest}")).and_then(|path| paths.file(&path))
            };
            // Examples are often called alike.
            called.filter_map(at).max_by_key(|at| paths::shared(file, paths.path(*at)))
        });
        found.map_or(Target::Outside, Target::File)
    }
}

fn target(paths: &Paths, file: &str, module: &str, traits: &Traits) -> Target {
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
