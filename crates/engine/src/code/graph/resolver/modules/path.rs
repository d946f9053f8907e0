//! Resolves imports that name a file by its path, as `#include "a/b.h"`, `require "a/b"` or Dart's `package:`: from the
//! importing file, from a package of the project, or by the end of a path, the nearest first.

use super::ImportTarget;
use crate::code::graph::resolver::ModuleManifest;
use crate::code::graph::resolver::language_traits::LanguageTraits;
use crate::code::graph::resolver::paths::{self, PathIndex};

/// The prefix of a path into a package, and the directory of the package that such a path starts from.
const PACKAGE: &str = "package:";
const PACKAGE_LIB_DIRECTORY: &str = "lib";

/// The packages that a project declares.
pub(super) struct PathPackages {
    /// Name and directory.
    packages: Vec<(String, String)>,
}

impl PathPackages {
    pub(super) fn new(manifests: &[ModuleManifest]) -> Self {
        let declared = manifests.iter().filter(|manifest| paths::file_name(&manifest.path) == "pubspec.yaml");
        let package = |manifest: &ModuleManifest| {
            let text = String::from_utf8_lossy(&manifest.bytes);
            let name = text.lines().find_map(|line| line.strip_prefix("name:"))?;
            let name = name.split('#').next()?.trim().trim_matches(['"', '\'']);
            Some((name.to_owned(), paths::parent_directory(&manifest.path).to_owned()))
        };
        Self { packages: declared.filter_map(package).collect() }
    }

    pub(super) fn resolve_module(
        &self,
        paths: &PathIndex,
        file: &str,
        module: &str,
        traits: &LanguageTraits,
    ) -> ImportTarget {
        let Some(inside) = module.strip_prefix(PACKAGE) else { return resolve_path(paths, file, module, traits) };
        let found = inside.split_once('/').and_then(|(name, rest)| {
            let called = self.packages.iter().filter(|(package, _)| package == name);
            let at = |(_, directory): &(String, String)| {
                paths::join_path(directory, &format!("{PACKAGE_LIB_DIRECTORY}/{rest}"))
                    .and_then(|path| paths.find_file(&path))
            };
            // Example packages of one repository often share a name, so the nearest counts.
            called.filter_map(at).max_by_key(|at| paths::shared_depth(file, paths.file_path(*at)))
        });
        found.map_or(ImportTarget::Outside, ImportTarget::File)
    }
}

fn resolve_path(paths: &PathIndex, file: &str, module: &str, traits: &LanguageTraits) -> ImportTarget {
    let directory = paths::parent_directory(file);
    let dotted = module.replace('.', "/");
    let spelled = [module, dotted.as_str()];
    let mut found = spelled.iter().find_map(|path| file_beside(paths, directory, path, traits));
    // `./a` names one place. Other paths may start from an include directory that only the build knows (`-I src`), so
    // they are matched by their end.
    if found.is_none() && !module.starts_with("./") && !module.starts_with("../") {
        found = spelled.iter().find_map(|path| by_end(paths, file, path, traits));
    }
    found.map_or(ImportTarget::Outside, ImportTarget::File)
}

/// A file at a path, whose extension or index may be left out.
fn file_beside(paths: &PathIndex, directory: &str, path: &str, traits: &LanguageTraits) -> Option<u32> {
    let path = paths::join_path(directory, path)?;
    let with_extension =
        |path: &str| traits.extensions.iter().find_map(|ext| paths.find_file(&format!("{path}.{ext}")));
    let index = || traits.indexes.iter().find_map(|index| with_extension(&format!("{path}/{index}")));
    paths.find_file(&path).or_else(|| with_extension(&path)).or_else(index)
}

/// The file whose path has this end and that shares most directories with the importing file.
fn by_end(paths: &PathIndex, file: &str, path: &str, traits: &LanguageTraits) -> Option<u32> {
    let name = paths::file_name(path);
    let mut names = std::iter::once(name.to_owned()).chain(traits.extensions.iter().map(|ext| format!("{name}.{ext}")));
    let end = format!("/{}", paths::parent_directory(path));
    let end = end.trim_end_matches('/');
    let fits = |at: &&u32| {
        let directory = format!("/{}", paths::parent_directory(paths.file_path(**at)));
        directory.ends_with(end)
    };
    let nearest =
        |at: &&u32| (paths::shared_depth(file, paths.file_path(**at)), usize::MAX - paths.file_path(**at).len());
    names.find_map(|name| paths.files_named(&name).iter().filter(fits).max_by_key(nearest).copied())
}
