//! The name resolver: holds the definitions and uses of all files of a project, and resolves the uses of each to
//! symbols. A file can be taken out of the tables and put in again: after a change of one file they describe the new
//! project without the other files being read again (`updates.rs`). Every list is in the order of paths, whatever the
//! order in which files arrived, so that the answers are the same.

mod edge_search;
mod evaluator;
mod exports;
mod file_tables;
mod includes;
mod infer_types;
mod invalidation;
mod language_traits;
mod member_lookup;
mod members;
mod modules;
mod names;
mod overloads;
mod passed_types;
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
    /// The bytes that [`encode_uses`](super::encode_uses) gave for the file.
    pub(crate) uses: Vec<u8>,
}

/// A file that states how names of modules map to files, wherever in the project it lies.
pub(crate) struct ModuleManifest {
    /// Project-relative path.
    pub(crate) path: String,
    /// Its content.
    pub(crate) bytes: Vec<u8>,
}

/// Files whose content the resolver reads.
const MANIFESTS: &[&str] =
    &["Cargo.toml", "go.mod", "jsconfig.json", "package.json", "pubspec.yaml", "pyproject.toml", "setup.cfg"];

/// Whether the resolver reads a file.
pub(crate) fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    // `tsconfig.base.json` and `tsconfig.build.json` are configurations that others extend.
    let is_tsconfig = name.starts_with("tsconfig") && name.strip_suffix(".json").is_some();
    is_tsconfig || MANIFESTS.contains(&name)
}

/// A symbol: the number of its file, and its place among the definitions of that file.
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

/// Stages of type inference: each sees only what the stages before it found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum InferenceStage {
    /// Members that are written in their type.
    Own,
    /// Also members that extensions add to a type, and fields.
    Given,
    /// Also bases.
    All,
}

/// Resolves the uses of each file.
pub(crate) struct Resolver {
    names: NameInterner,
    languages: Vec<LanguageTraits>,
    files: Vec<FileTables>,
    /// Numbers of removed files.
    free: Vec<u32>,
    paths: PathIndex,
    modules: ModuleResolver,
    crates: CrateTable,
    namespaces: NamespaceTable,
    members: MemberTable,
    guesses: SymbolsByName,
}

impl Resolver {
    /// A project without files yet, with its manifests.
    pub(crate) fn new(manifests: &[ModuleManifest]) -> Self {
        let mut names = NameInterner::default();
        let languages = LanguageTraits::all_languages(&mut names);
        // `default` is looked up in every project, also in one that mentions it nowhere.
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
        // A removed file has an empty path until its number is used again.
        (0..self.files.len() as u32).filter(|file| !self.paths.file_path(*file).is_empty())
    }

    /// The path of a file.
    pub(crate) fn file_path(&self, file: u32) -> &str {
        self.paths.file_path(file)
    }

    /// What the uses of one file refer to.
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

    /// The qualified name of a symbol: its id without the path.
    fn qualified_name(&self, symbol: SymbolAt) -> String {
        self.file_tables(symbol.file).qualified_name(&self.names, symbol.place)
    }

    /// The symbols of a name in a family of languages that are at the top of their files.
    fn top_symbols(&self, family: u32, name: u32) -> Vec<SymbolAt> {
        let is_top = |symbol: &SymbolAt| {
            let definition = self.definition(*symbol);
            definition.parent.is_none() && definition.container.is_none()
        };
        self.guesses.symbols_named(family, name).iter().copied().filter(is_top).collect()
    }

    /// The file that represents a directory: the one named like it, or else the first. Edges to every file of a package
    /// would say nothing more, a hundred times.
    fn main_file(&self, directory: u32) -> Option<u32> {
        let inside = self.paths.directory_files(directory);
        let name = paths::file_name(self.paths.directory_path(directory));
        // A README or a data file is not what an import of a package means.
        let has_language = |file: &&u32| self.file_tables(**file).language.is_some();
        let is_main = |file: &&u32| paths::file_stem(self.paths.file_path(**file)) == name;
        inside.iter().filter(has_language).find(is_main).or_else(|| inside.iter().find(has_language)).copied()
    }
}
