//! Which file or directory the module of an import is.
//!
//! One file for each style a language may have. What is not in the project is outside of it, and nothing more is said
//! about it: a name of another library must never become an edge to something of ours.

mod crates;
mod directory;
mod dotted;
mod namespace;
mod path;
mod specifier;

pub(super) use crates::Crates;
pub(super) use dotted::at as below;
pub(super) use namespace::{Namespaces, outward, plain};

use super::Manifest;
use super::paths::Paths;
use super::traits::Traits;
use directory::GoModules;
use dotted::SourceRoots;
use path::PathPackages;
use specifier::Packages;
use syntax::ModuleStyle;

/// Files that came and files that are gone: paths and languages.
pub(super) struct Turnover<'t> {
    pub(super) came: Vec<(String, &'t Traits)>,
    pub(super) gone: Vec<(String, &'t Traits)>,
}

impl<'t> Turnover<'t> {
    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = &(String, &'t Traits)> {
        self.came.iter().chain(&self.gone)
    }
}

/// What an import's module is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    File(u32),
    Directory(u32),
    /// The importing file itself.
    Itself,
    /// To be followed name by name when it is asked for.
    ByName,
    Outside,
}

/// What the manifests of a project say about modules.
pub(super) struct Modules {
    roots: SourceRoots,
    packages: Packages,
    directories: GoModules,
    path_packages: PathPackages,
}

impl Modules {
    pub(super) fn new(manifests: &[Manifest]) -> Self {
        Self {
            roots: SourceRoots::new(manifests),
            packages: Packages::new(manifests),
            directories: GoModules::new(manifests),
            path_packages: PathPackages::new(manifests),
        }
    }

    /// Takes in files that came or are gone, once paths know them; where it is not said which, all of them.
    pub(super) fn follow<'f>(
        &mut self,
        paths: &Paths,
        turnover: Option<&Turnover<'_>>,
        all: impl Iterator<Item = (&'f str, &'f Traits)>,
    ) {
        self.roots.follow(paths, turnover, all);
    }

    /// What the module of an import in `file` is.
    pub(super) fn target(&self, paths: &Paths, file: &str, traits: &Traits, module: &str) -> Target {
        match traits.style {
            ModuleStyle::None => Target::Outside,
            ModuleStyle::Crate | ModuleStyle::Namespace => Target::ByName,
            ModuleStyle::Specifier | ModuleStyle::Dotted | ModuleStyle::Path | ModuleStyle::Directory
                if module.is_empty() =>
            {
                Target::Itself
            }
            ModuleStyle::Specifier => self.packages.target(paths, file, module),
            ModuleStyle::Dotted => self.roots.target(paths, file, module, traits),
            ModuleStyle::Directory => self.directories.target(paths, module),
            ModuleStyle::Path => self.path_packages.target(paths, file, module, traits),
        }
    }
}
