//! All files of a project together, and what the uses of each lead to.

mod belong;
mod build;
mod evaluate;
mod file;
mod find;
mod guess;
mod included;
mod members;
mod modules;
mod names;
mod offer;
mod paths;
mod scope;
#[cfg(test)]
mod tests;
mod traits;
mod value;

use crate::graph::edges::FileEdges;
use crate::graph::uses::Definition;
use file::File;
use guess::Guesses;
use members::Members;
use modules::{Crates, Modules, Namespaces};
use names::Names;
use paths::Paths;
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
const MANIFESTS: &[&str] = &["Cargo.toml", "go.mod", "jsconfig.json", "package.json", "pyproject.toml", "setup.cfg"];

/// Whether resolution wants to see a file.
pub(crate) fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_tsconfig = name.starts_with("tsconfig") && name.strip_suffix(".json").is_some();
    is_tsconfig || MANIFESTS.contains(&name)
}

/// Answers what the uses of each file lead to.
pub(crate) struct Resolver {
    names: Names,
    languages: Vec<Traits>,
    files: Vec<File>,
    paths: Paths,
    modules: Modules,
    crates: Crates,
    namespaces: Namespaces,
    members: Members,
    guesses: Guesses,
}

impl Resolver {
    /// Takes in all files of a project. A file whose bytes are damaged has no uses.
    pub(crate) fn new(files: Vec<SourceFile>, manifests: &[Manifest]) -> Self {
        build::build(files, manifests)
    }

    /// What one file's uses lead to.
    pub(crate) fn edges_of(&self, file: usize) -> FileEdges {
        if file < self.files.len() { find::edges(self, file as u32) } else { FileEdges::default() }
    }

    fn file(&self, file: u32) -> &File {
        &self.files[file as usize]
    }

    /// The language of a file.
    fn traits(&self, file: u32) -> Option<&Traits> {
        self.file(file).language.map(|language| &self.languages[language])
    }

    /// The file of a symbol, and its place in it.
    fn place(&self, symbol: u32) -> (u32, u32) {
        let file = self.files.partition_point(|file| file.first <= symbol) - 1;
        (file as u32, symbol - self.files[file].first)
    }

    /// The number of a file's symbol.
    fn symbol(&self, file: u32, place: u32) -> u32 {
        self.file(file).first + place
    }

    fn definition(&self, symbol: u32) -> &Definition {
        let (file, place) = self.place(symbol);
        &self.file(file).uses.definitions[place as usize]
    }

    /// A symbol as its id has it after the path.
    fn chain(&self, symbol: u32) -> String {
        let (file, place) = self.place(symbol);
        self.file(file).chain(&self.names, place)
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
