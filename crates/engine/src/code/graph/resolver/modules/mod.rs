//! Resolves the module of an import to a file or directory of the project, with one submodule for each import style
//! (crates, Go directories, dotted names, namespaces, paths, npm specifiers).
//!
//! A module that is not in the project is outside, and resolution ends there: a name of another library must never
//! become an edge to a symbol of the project.

mod crates;
mod directory;
mod dotted_imports;
mod namespace;
mod path;
mod specifier;

pub(super) use crates::CrateTable;
pub(super) use dotted_imports::target_at as below;
pub(super) use namespace::{NamespaceTable, dotted_name, enclosing_names};

use super::ModuleManifest;
use super::language_traits::LanguageTraits;
use super::paths::PathIndex;
use directory::GoModules;
use dotted_imports::SourceRoots;
use path::PathPackages;
use specifier::NodePackages;
use syntax::ModuleStyle;

/// Files that were added and files that were removed: paths and languages.
pub(super) struct FileTurnover<'t> {
    pub(super) came: Vec<(String, &'t LanguageTraits)>,
    pub(super) gone: Vec<(String, &'t LanguageTraits)>,
}

impl<'t> FileTurnover<'t> {
    /// The added and the removed files.
    pub(super) fn all_files(&self) -> impl Iterator<Item = &(String, &'t LanguageTraits)> {
        self.came.iter().chain(&self.gone)
    }
}

/// What the module of an import is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImportTarget {
    File(u32),
    Directory(u32),
    /// The importing file itself.
    Itself,
    /// The module is followed name by name when it is needed.
    ByName,
    Outside,
}

/// What the manifests of a project state about modules.
pub(super) struct ModuleResolver {
    roots: SourceRoots,
    packages: NodePackages,
    directories: GoModules,
    path_packages: PathPackages,
}

impl ModuleResolver {
    pub(super) fn new(manifests: &[ModuleManifest]) -> Self {
        Self {
            roots: SourceRoots::new(manifests),
            packages: NodePackages::new(manifests),
            directories: GoModules::new(manifests),
            path_packages: PathPackages::new(manifests),
        }
    }

    /// Updates source roots for files that were added or removed, once `paths` has them; without a turnover, for all
    /// files.
    pub(super) fn update_files<'f>(
        &mut self,
        paths: &PathIndex,
        turnover: Option<&FileTurnover<'_>>,
        all: impl Iterator<Item = (&'f str, &'f LanguageTraits)>,
    ) {
        self.roots.update_files(paths, turnover, all);
    }

    /// What the module of an import in `file` is.
    pub(super) fn resolve_module(
        &self,
        paths: &PathIndex,
        file: &str,
        traits: &LanguageTraits,
        module: &str,
    ) -> ImportTarget {
        match traits.style {
            ModuleStyle::None => ImportTarget::Outside,
            // `a::b` may be a module, a re-export or a type: only following its names tells.
            ModuleStyle::Crate | ModuleStyle::Namespace => ImportTarget::ByName,
            // `export { name }` without `from` has no module.
            ModuleStyle::Specifier | ModuleStyle::Dotted | ModuleStyle::Path | ModuleStyle::Directory
                if module.is_empty() =>
            {
                ImportTarget::Itself
            }
            ModuleStyle::Specifier => self.packages.resolve_module(paths, file, module),
            ModuleStyle::Dotted => self.roots.resolve_module(paths, file, module, traits),
            ModuleStyle::Directory => self.directories.resolve_module(paths, module),
            ModuleStyle::Path => self.path_packages.resolve_module(paths, file, module, traits),
        }
    }
}
