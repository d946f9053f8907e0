//! All files of a project together, and what the uses of each lead to.
//!
//! The tables are made of what each file says, and a file can be taken out of them and put in again: after a change of
//! one file they are those of the new project without the others being read again (`change.rs`). Whatever the order
//! files came in, everything that has an order is in the order of paths, so that the answers are the same.

mod belong;
mod change;
mod evaluate;
mod file;
mod find;
mod guess;
mod included;
mod kinds;
mod members;
mod modules;
mod names;
mod offer;
mod paths;
mod prototype;
mod scope;
mod settle;
mod surface;
#[cfg(test)]
mod tests;
mod touch;
mod traits;
mod value;

use crate::graph::edges::FileEdges;
use crate::graph::uses::Definition;
pub(crate) use change::Touched;
use file::File;
use guess::Guesses;
use members::Members;
use modules::{Crates, Modules, Namespaces};
use names::Names;
use paths::Paths;
use syntax::ModuleStyle;
use traits::Traits;

/// One file of the project.
pub(crate) struct SourceFile {
    /// Project-relative path, with `/` between its parts.
    pub(crate) path: String,
    /// The language's name, where it has one.
    pub(crate) language: Option<String>,
    /// What [`encode_uses`](super::encode_uses) gave for it.
    pub(crate) uses: Vec<u8>,
}

/// A file that says how names of modules map to files, wherever in the project it lies.
pub(crate) struct Manifest {
    /// Project-relative path.
    pub(crate) path: String,
    /// Its content.
    pub(crate) bytes: Vec<u8>,
}

/// Files whose content resolution asks for.
const MANIFESTS: &[&str] =
    &["Cargo.toml", "go.mod", "jsconfig.json", "package.json", "pubspec.yaml", "pyproject.toml", "setup.cfg"];

/// Whether resolution wants to see a file.
pub(crate) fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_tsconfig = name.starts_with("tsconfig") && name.strip_suffix(".json").is_some();
    is_tsconfig || MANIFESTS.contains(&name)
}

/// A symbol: the number of its file, and its place among what that defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct SymbolAt {
    file: u32,
    place: u32,
}

impl SymbolAt {
    fn new(file: u32, place: u32) -> Self {
        Self { file, place }
    }
}

/// What types have is found out in steps, each of which sees only what the ones before it found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sees {
    /// Members that stand in their type.
    Own,
    /// And those that are given to it elsewhere, and fields.
    Given,
    /// And what it is made from.
    All,
}

/// Answers what the uses of each file lead to.
pub(crate) struct Resolver {
    names: Names,
    languages: Vec<Traits>,
    files: Vec<File>,
    /// Numbers of files that are gone.
    free: Vec<u32>,
    paths: Paths,
    modules: Modules,
    crates: Crates,
    namespaces: Namespaces,
    members: Members,
    guesses: Guesses,
}

impl Resolver {
    /// A project without files yet, of which manifests are known.
    pub(crate) fn new(manifests: &[Manifest]) -> Self {
        let mut names = Names::default();
        let languages = Traits::all(&mut names);
        offer::number_fixed(&mut names);
        Self {
            names,
            languages,
            files: Vec::new(),
            free: Vec::new(),
            paths: Paths::default(),
            modules: Modules::new(manifests),
            crates: Crates::new(manifests),
            namespaces: Namespaces::default(),
            members: Members::default(),
            guesses: Guesses::default(),
        }
    }

    /// The numbers of all files.
    pub(crate) fn files(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.files.len() as u32).filter(|file| !self.paths.path(*file).is_empty())
    }

    /// The path of a file.
    pub(crate) fn path(&self, file: u32) -> &str {
        self.paths.path(file)
    }

    /// What one file's uses lead to.
    pub(crate) fn edges_of(&self, file: u32) -> FileEdges {
        find::edges(self, file)
    }

    fn file(&self, file: u32) -> &File {
        &self.files[file as usize]
    }

    /// The language of a file.
    fn traits(&self, file: u32) -> Option<&Traits> {
        self.file(file).language.map(|language| &self.languages[language])
    }

    fn style(&self, file: u32) -> ModuleStyle {
        self.traits(file).map_or(ModuleStyle::None, |traits| traits.style)
    }

    fn definition(&self, symbol: SymbolAt) -> &Definition {
        &self.file(symbol.file).uses.definitions[symbol.place as usize]
    }

    /// A symbol as its id has it after the path.
    fn chain(&self, symbol: SymbolAt) -> String {
        self.file(symbol.file).chain(&self.names, symbol.place)
    }

    /// What is called so in a family of languages and stands at the top of its file.
    fn tops(&self, family: u32, name: u32) -> Vec<SymbolAt> {
        let is_top = |symbol: &SymbolAt| {
            let definition = self.definition(*symbol);
            definition.parent.is_none() && definition.container.is_none()
        };
        self.guesses.called(family, name).iter().copied().filter(is_top).collect()
    }

    /// The file that stands for a directory: the one called like it, or else the first. An edge to every file of a
    /// package would tell nothing more, a hundred times.
    fn main_file(&self, directory: u32) -> Option<u32> {
        let inside = self.paths.inside(directory);
        let name = paths::name(self.paths.directory_path(directory));
        let has_language = |file: &&u32| self.file(**file).language.is_some();
        let is_main = |file: &&u32| paths::stem(self.paths.path(**file)) == name;
        inside.iter().filter(has_language).find(is_main).or_else(|| inside.iter().find(has_language)).copied()
    }
}
