//! All files of a project together, and what the uses of each lead to.
//!
//! The tables are made of what each file says, and a file can be taken out of them and put in again: after a change of
//! one file they are those of the new project without the others being read again (`change.rs`). Whatever the order
//! files came in, everything that has an order is in the order of paths, so that the answers are the same.

mod edge_search;
mod evaluator;
mod exports;
mod file_tables;
mod includes;
mod infer_types;
mod invalidation;
mod kinds;
mod language_traits;
mod member_lookup;
mod members;
mod modules;
mod names;
mod paths;
mod prototype;
mod public_api;
mod scope;
mod symbols_by_name;
#[cfg(test)]
mod tests;
mod updates;
mod value;

use crate::code::graph::edges::ResolvedEdges;
use crate::code::graph::uses::InternedDefinition;
use file_tables::FileTables;
use language_traits::LanguageTraits;
use members::MemberTable;
use modules::{CrateTable, ModuleResolver, NamespaceTable};
use names::NameInterner;
use paths::PathIndex;
use symbols_by_name::SymbolsByName;
use syntax::ModuleStyle;
pub(crate) use updates::InvalidatedFiles;

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
pub(crate) struct ModuleManifest {
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
enum InferenceStage {
    /// Members that stand in their type.
    Own,
    /// And those that are given to it elsewhere, and fields.
    Given,
    /// And what it is made from.
    All,
}

/// Answers what the uses of each file lead to.
pub(crate) struct Resolver {
    names: NameInterner,
    languages: Vec<LanguageTraits>,
    files: Vec<FileTables>,
    /// Numbers of files that are gone.
    free: Vec<u32>,
    paths: PathIndex,
    modules: ModuleResolver,
    crates: CrateTable,
    namespaces: NamespaceTable,
    members: MemberTable,
    guesses: SymbolsByName,
}

impl Resolver {
    /// A project without files yet, of which manifests are known.
    pub(crate) fn new(manifests: &[ModuleManifest]) -> Self {
        let mut names = NameInterner::default();
        let languages = LanguageTraits::all_languages(&mut names);
        exports::number_fixed(&mut names);
        Self {
            names,
            languages,
            files: Vec::new(),
            free: Vec::new(),
            paths: PathIndex::default(),
            modules: ModuleResolver::new(manifests),
            crates: CrateTable::new(manifests),
            namespaces: NamespaceTable::default(),
            members: MemberTable::default(),
            guesses: SymbolsByName::default(),
        }
    }

    /// The numbers of all files.
    pub(crate) fn file_numbers(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.files.len() as u32).filter(|file| !self.paths.file_path(*file).is_empty())
    }

    /// The path of a file.
    pub(crate) fn file_path(&self, file: u32) -> &str {
        self.paths.file_path(file)
    }

    /// What one file's uses lead to.
    pub(crate) fn edges_of(&self, file: u32) -> ResolvedEdges {
        edge_search::resolve_edges(self, file)
    }

    fn file_tables(&self, file: u32) -> &FileTables {
        &self.files[file as usize]
    }

    /// The language of a file.
    fn language_traits(&self, file: u32) -> Option<&LanguageTraits> {
        self.file_tables(file).language.map(|language| &self.languages[language])
    }

    fn module_style(&self, file: u32) -> ModuleStyle {
        self.language_traits(file).map_or(ModuleStyle::None, |traits| traits.style)
    }

    fn definition(&self, symbol: SymbolAt) -> &InternedDefinition {
        &self.file_tables(symbol.file).uses.definitions[symbol.place as usize]
    }

    /// A symbol as its id has it after the path.
    fn symbol_chain(&self, symbol: SymbolAt) -> String {
        self.file_tables(symbol.file).symbol_chain(&self.names, symbol.place)
    }

    /// What is called so in a family of languages and stands at the top of its file.
    fn top_symbols(&self, family: u32, name: u32) -> Vec<SymbolAt> {
        let is_top = |symbol: &SymbolAt| {
            let definition = self.definition(*symbol);
            definition.parent.is_none() && definition.container.is_none()
        };
        self.guesses.symbols_named(family, name).iter().copied().filter(is_top).collect()
    }

    /// The file that stands for a directory: the one called like it, or else the first. An edge to every file of a
    /// package would tell nothing more, a hundred times.
    fn main_file(&self, directory: u32) -> Option<u32> {
        let inside = self.paths.directory_files(directory);
        let name = paths::file_name(self.paths.directory_path(directory));
        let has_language = |file: &&u32| self.file_tables(**file).language.is_some();
        let is_main = |file: &&u32| paths::file_stem(self.paths.file_path(**file)) == name;
        inside.iter().filter(has_language).find(is_main).or_else(|| inside.iter().find(has_language)).copied()
    }
}
