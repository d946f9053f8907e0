//! Computes which files must be resolved again after some files changed, because their edges may differ now: the files
//! that changed, those whose imports lead elsewhere now, and those that mention a name which looks different, because
//! its definition changed or because it rests on a name that does. A glob re-export has no name; files that import
//! through one are invalidated, and so are their importers in turn.

use super::evaluator::ExpressionEvaluator;
use super::exports;
use super::file_tables::FileTables;
use super::modules::{ImportTarget, enclosing_names};
use super::names::split_words;
use super::paths;
use super::public_api::PublicApi;
use super::updates::InvalidatedFiles;
use super::value::{AbstractValue, ValueSet};
use super::{InferenceStage, Resolver, SymbolAt};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use syntax::ModuleStyle;

/// Once more than one file in this many is touched, resolving all of them costs less than following names further.
const TOUCHED_SHARE_DIVISOR: usize = 8;

/// Up to this many touched files, following is worth it however small the project is.
const MIN_TOUCHED_LIMIT: usize = 50;

/// The state of files before a change, and its effect on other files so far.
#[derive(Default)]
pub(super) struct ResolverSnapshot {
    /// By path; `None` for a file that is new.
    before: BTreeMap<String, Option<FileSnapshot>>,
    /// Directories around files that were added or removed.
    directories: BTreeMap<String, DirectorySnapshot>,
    /// Names that look different.
    names: BTreeSet<u32>,
    /// Files whose imports lead elsewhere, or have other local names.
    files: BTreeSet<u32>,
    /// Files that export other things as a whole.
    wholes: BTreeSet<u32>,
}

/// A file before the change.
struct FileSnapshot {
    file: u32,
    language: Option<usize>,
    surface: PublicApi,
    /// What those functions returned before whose return expressions changed.
    given_back: BTreeMap<u32, GivenBack>,
    /// The key of each definition, in order of place.
    places: Vec<DefinitionKey>,
    /// The namespaces it declared.
    namespaces: Vec<u32>,
}

/// A definition as its qualified name tells it from others: name, container and what is written.
type DefinitionKey = (u32, Option<u32>, Option<u32>);

/// What the functions of a name return, by qualified name, at each stage of inference; `None` where it cannot be compared.
type GivenBack = Option<BTreeMap<String, [String; 3]>>;

/// How other files see a directory.
#[derive(PartialEq, Eq)]
struct DirectorySnapshot {
    main: Option<u32>,
    is_package: bool,
    is_there: bool,
}

impl ResolverSnapshot {
    /// Whether the path holds a file of another language now, or lost its file, or got one.
    fn is_other(&self, resolver: &Resolver, path: &str) -> bool {
        // A file whose language changed is treated as removed and added: the tables are kept by language.
        let now = resolver.paths.find_file(path).map(|file| resolver.file_tables(file).language);
        self.before.get(path).and_then(Option::as_ref).map(|before| before.language) != now
    }

    /// Whether files were added or removed.
    pub(super) fn has_other_files(&self, resolver: &Resolver) -> bool {
        self.before.keys().any(|path| self.is_other(resolver, path))
    }

    /// The files that were added, and those that were removed: path and language.
    pub(super) fn came_and_gone(&self, resolver: &Resolver) -> [Vec<(String, Option<usize>)>; 2] {
        let mut came = Vec::new();
        let mut gone = Vec::new();
        for (path, before) in self.before.iter().filter(|(path, _)| self.is_other(resolver, path)) {
            came.extend(resolver.paths.find_file(path).map(|file| (path.clone(), resolver.file_tables(file).language)));
            gone.extend(before.as_ref().map(|before| (path.clone(), before.language)));
        }
        [came, gone]
    }

    /// Records that imports of a file lead elsewhere than before.
    pub(super) fn leads_elsewhere(&mut self, file: u32, tables: &FileTables, before: [&[ImportTarget]; 2]) {
        self.files.insert(file);
        let now = [&tables.targets, &tables.firsts];
        for (now, before) in now.into_iter().zip(before) {
            let others = now.iter().zip(before).zip(0..).filter(|((now, before), _)| now != before);
            for (_, import) in others {
                self.names.extend(tables.import_names().filter(|(_, at)| *at == import).map(|(name, _)| name));
                if tables.globs.contains(&import) {
                    self.wholes.insert(file);
                }
            }
        }
    }

    /// Records that imports of a file have other local names than before.
    pub(super) fn is_called_otherwise(&mut self, file: u32, names: impl Iterator<Item = u32>) {
        self.files.insert(file);
        self.names.extend(names);
    }

    /// The directories whose files say that they are in another package than before.
    pub(super) fn repackaged_directories(&self, resolver: &Resolver) -> BTreeSet<u32> {
        let package = |path: &str| Some(resolver.file_tables(resolver.paths.find_file(path)?).uses.package);
        let others = self.before.iter().filter(|(path, before)| {
            let before = before.as_ref().map(|before| before.surface.package_name());
            before != package(path)
        });
        others.filter_map(|(path, _)| resolver.paths.find_directory(paths::parent_directory(path))).collect()
    }
}

impl Resolver {
    /// The state of some files before they change.
    pub(super) fn take_snapshot(
        &self,
        incoming: &[FileTables],
        changed: &[&str],
        gone: &HashSet<&str>,
    ) -> ResolverSnapshot {
        let mut seen = ResolverSnapshot::default();
        let incoming: BTreeMap<&str, &FileTables> = incoming.iter().map(|file| (file.path.as_str(), file)).collect();
        for path in changed {
            let file = self.paths.find_file(path);
            // The main file of a directory, and whether it is a package, can change only where files come or go.
            if file.is_none() || gone.contains(path) {
                for directory in paths::ancestor_directories(path) {
                    seen.directories.insert(directory.to_owned(), self.snapshot_directory(directory));
                }
            }
            seen.before
                .insert((*path).to_owned(), file.map(|file| self.snapshot_file(file, incoming.get(path).copied())));
        }
        seen
    }

    fn snapshot_file(&self, file: u32, incoming: Option<&FileTables>) -> FileSnapshot {
        let tables = self.file_tables(file);
        let surface = PublicApi::from_uses(&tables.uses, &self.names);
        let after = incoming.map(|incoming| PublicApi::from_uses(&incoming.uses, &self.names));
        // Old return types can be evaluated only now, before the new tables replace the old ones; functions with the
        // same return expressions are left out, since evaluation costs more than the comparison.
        let hinted = after.iter().flat_map(|after| surface.changed_hints(after));
        FileSnapshot {
            file,
            language: tables.language,
            given_back: hinted.map(|name| (name, self.given_back(file, name))).collect(),
            surface,
            places: definition_keys(tables),
            namespaces: self.namespaces.declared_namespaces(file, tables),
        }
    }

    fn snapshot_directory(&self, directory: &str) -> DirectorySnapshot {
        let at = self.paths.find_directory(directory);
        let inside = at.map(|at| self.paths.directory_files(at)).unwrap_or_default();
        DirectorySnapshot {
            main: at.and_then(|at| self.main_file(at)),
            is_package: inside.iter().any(|file| self.module_style(*file) == ModuleStyle::Directory),
            is_there: at.is_some(),
        }
    }

    /// The files that may get other edges after a change of `files` and the removal of others.
    pub(super) fn invalidated_files(&self, seen: &ResolverSnapshot, files: &BTreeSet<u32>) -> InvalidatedFiles {
        let names = seen.names.clone();
        let files_elsewhere = seen.files.clone();
        let most = self.worth_following();
        let mut spread =
            ChangePropagation { on: self, names, files: files_elsewhere, passed: BTreeSet::new(), most, is_all: false };
        spread.files.extend(files);
        for (path, before) in &seen.before {
            spread.invalidate_file(path, before.as_ref(), seen.is_other(self, path));
        }
        // Compared only now, with the added files in place and the removed ones gone.
        for (directory, before) in &seen.directories {
            if self.snapshot_directory(directory) != *before {
                spread.invalidate_directory(directory);
            }
        }
        for file in &seen.wholes {
            spread.invalidate_exports(*file);
        }
        spread.propagate_names()
    }

    /// How many files may be touched so that following the change is worth it.
    pub(super) fn worth_following(&self) -> usize {
        let code = self.files.iter().filter(|file| file.language.is_some()).count();
        (code / TOUCHED_SHARE_DIVISOR).max(MIN_TOUCHED_LIMIT)
    }

    /// Files that refer to a symbol of a changed file by a place that has shifted.
    pub(super) fn dependent_files(&self, seen: &ResolverSnapshot) -> Vec<u32> {
        let has_moved = |before: &&FileSnapshot| {
            let now = definition_keys(self.file_tables(before.file));
            // Definitions that were added at the end shift no place.
            !now.starts_with(&before.places)
        };
        let moved: BTreeSet<u32> = seen.before.values().flatten().filter(has_moved).map(|before| before.file).collect();
        let is_in = |symbol: &SymbolAt| moved.contains(&symbol.file);
        // Owners and bases refer to symbols by place, so after a shift they would name other definitions.
        let leans = |file: &u32| {
            let tables = self.file_tables(*file);
            tables.owners.iter().flatten().any(is_in)
                || tables.bases.iter().any(|(of, base)| is_in(of) || base.as_ref().is_some_and(is_in))
        };
        if moved.is_empty() { Vec::new() } else { self.file_numbers().filter(leans).collect() }
    }
}

impl Resolver {
    /// What the functions of a name in a file return, for a comparison after the change.
    fn given_back(&self, file: u32, name: u32) -> GivenBack {
        let definitions = self.file_tables(file).uses.definitions.iter().zip(0..);
        let named = definitions.filter(|(definition, _)| definition.name == name);
        let told = named.map(|(_, place)| {
            let symbol = SymbolAt { file, place };
            // Each stage sees other tables, and type inference has used the results of all three.
            let at = |sees| self.describe_values(&ExpressionEvaluator::new(self, sees).return_type(symbol, None));
            Some((
                self.qualified_name(symbol),
                [at(InferenceStage::Own)?, at(InferenceStage::Given)?, at(InferenceStage::All)?],
            ))
        });
        told.collect()
    }

    /// A value as text; `None` for a binding, which is known by its place only and cannot be compared between versions.
    fn describe_values(&self, known: &ValueSet) -> Option<String> {
        let mut told = format!("{}", known.sure);
        for value in &known.values {
            told += &match value {
                AbstractValue::Symbol(of) => format!(" symbol {} {}", of.file, self.qualified_name(*of)),
                AbstractValue::Type(of) => format!(" type {} {}", of.file, self.qualified_name(*of)),
                AbstractValue::Instance(of) => format!(" instance {} {}", of.file, self.qualified_name(*of)),
                AbstractValue::Holder(inner) => {
                    format!(" ({})", self.describe_values(&ValueSet { values: inner.clone(), sure: known.sure })?)
                }
                AbstractValue::Bound(..) => return None,
                AbstractValue::File(_)
                | AbstractValue::Directory(_)
                | AbstractValue::Namespace(..)
                | AbstractValue::Outside
                | AbstractValue::Unknown => {
                    format!(" {value:?}")
                }
            };
        }
        Some(told)
    }
}

fn definition_keys(file: &FileTables) -> Vec<DefinitionKey> {
    file.uses.definitions.iter().map(|it| (it.name, it.container, it.qualified_name)).collect()
}

/// The spread of a change through the project.
struct ChangePropagation<'r> {
    on: &'r Resolver,
    names: BTreeSet<u32>,
    files: BTreeSet<u32>,
    /// Files whose changed exports were followed already.
    passed: BTreeSet<u32>,
    most: usize,
    is_all: bool,
}

impl ChangePropagation<'_> {
    /// Records what changed about one file.
    fn invalidate_file(&mut self, path: &str, before: Option<&FileSnapshot>, is_other: bool) {
        let now = self.on.paths.find_file(path);
        let after = now.map(|file| PublicApi::from_uses(&self.on.file_tables(file).uses, &self.on.names));
        if let (false, Some(FileSnapshot { surface, given_back, .. }), Some(after)) = (is_other, before, &after)
            && !surface.is_elsewhere(after)
        {
            // A return expression may change while its type stays the same, so an edit inside of a function body
            // reaches no other file.
            let is_other = |(name, before): (&u32, &GivenBack)| {
                let is_same = before.is_some() && now.is_some_and(|now| self.on.given_back(now, *name) == *before);
                (!is_same).then_some(*name)
            };
            let names: Vec<u32> =
                surface.changed_names(after).into_iter().chain(given_back.iter().filter_map(is_other)).collect();
            if let Some(file) = now.filter(|_| surface.passes_on_other(after) || self.is_whole(&names)) {
                self.invalidate_exports(file);
            }
            self.names.extend(names);
        } else {
            // The file was added, removed or moved to another package: each name that it has or had may be resolved
            // otherwise.
            let all = before.map(|before| &before.surface).into_iter().chain(&after);
            self.names.extend(all.flat_map(PublicApi::entry_names));
            self.invalidate_module(path);
            for file in now.into_iter().chain(self.submodule_files(path)) {
                self.invalidate_exports(file);
            }
        }
        let declared =
            now.map(|file| self.on.namespaces.declared_namespaces(file, self.on.file_tables(file))).unwrap_or_default();
        let known = before.map(|before| before.namespaces.as_slice()).unwrap_or_default();
        // A namespace that appears or disappears changes what qualified names lead to, also in files that mention no
        // other name of this file.
        if known != declared {
            let languages =
                [before.and_then(|before| before.language), now.and_then(|file| self.on.file_tables(file).language)];
            let families: BTreeSet<u32> =
                languages.into_iter().flatten().map(|language| self.on.languages[language].family).collect();
            for family in families {
                for namespace in known.iter().chain(&declared) {
                    self.invalidate_namespace(family, *namespace, path);
                }
            }
        }
    }

    /// A file is declared in a namespace, or was: resolution uses the first declaration of a namespace, whether there
    /// is exactly one, and whether there is any.
    fn invalidate_namespace(&mut self, family: u32, namespace: u32, path: &str) {
        let others = self
            .on
            .namespaces
            .declaration_places(family, namespace)
            .iter()
            .map(|(file, _)| self.on.paths.file_path(*file));
        let others: Vec<&str> = others.filter(|other| *other != path).collect();
        let full = self.on.names.name_text(namespace);
        // The namespace itself appears or disappears, and with it perhaps the ones around it.
        if others.is_empty() {
            self.names.extend(
                enclosing_names(full).chain(split_words(full)).filter_map(|name| self.on.names.find_number(name)),
            );
        } else if others.len() < 2 || path < others[0] {
            // `namespace_member` prefers what is near the first declaration and re-exports from a single one.
            self.names.extend(split_words(full).last().and_then(|name| self.on.names.find_number(name)));
        }
    }

    /// The names under which a file is imported as a module.
    fn invalidate_module(&mut self, path: &str) {
        let stem = paths::file_name(path).split('.').next().unwrap_or_default();
        // `util.test.ts` is `./util.test`, `a.rs` is `a`, `index.ts` goes by the name of its directory.
        for name in
            [stem, paths::file_stem(path), paths::file_name(path), paths::file_name(paths::parent_directory(path))]
        {
            self.names.extend(self.on.names.find_number(name));
        }
    }

    /// A directory has another main file, or was added or removed.
    fn invalidate_directory(&mut self, path: &str) {
        self.names.extend(self.on.names.find_number(paths::file_name(path)));
        // Importers of a removed directory have other targets now and are recorded by `leads_elsewhere`.
        let Some(directory) = self.on.paths.find_directory(path) else { return };
        let leads_there = |file: &u32| self.on.file_tables(*file).targets.contains(&ImportTarget::Directory(directory));
        self.files.extend(self.on.file_numbers().filter(leads_there));
    }

    /// Whether one of some names of a file means the whole file: an importer need not mention that name.
    fn is_whole(&self, names: &[u32]) -> bool {
        names.iter().any(|name| exports::is_default(&self.on.names, *name))
    }

    /// A file exports other things than before, and so do the files that re-export all of it.
    fn invalidate_exports(&mut self, file: u32) {
        let mut waiting = BTreeSet::from([file]);
        while !self.is_all && !waiting.is_empty() {
            // Round by round, so that the imports of the project are scanned once a round and not once a file.
            let round: BTreeSet<u32> = std::mem::take(&mut waiting).difference(&self.passed).copied().collect();
            self.passed.extend(&round);
            for file in &round {
                self.invalidate_names(*file);
                // `use super::*` in a submodule takes the names of this file without an import that targets it by name.
                for below in self.submodule_files(self.on.paths.file_path(*file)) {
                    waiting.extend(self.invalidate_imports(below, |_| true));
                }
            }
            for other in self.on.file_numbers() {
                let tables = self.on.file_tables(other);
                let is_there = |target: Option<&ImportTarget>| matches!(target, Some(ImportTarget::File(to)) if round.contains(to));
                let leads_there =
                    |at: u32| is_there(tables.targets.get(at as usize)) || is_there(tables.firsts.get(at as usize));
                if (0..tables.targets.len() as u32).any(leads_there) {
                    waiting.extend(self.invalidate_imports(other, leads_there));
                }
            }
            self.is_all |= self.files.len() > self.most;
        }
    }

    /// Records what others see of a file that exports other things than before.
    fn invalidate_names(&mut self, file: u32) {
        let path = self.on.paths.file_path(file);
        let tables = self.on.file_tables(file);
        self.files.insert(file);
        self.invalidate_module(path);
        // An entry that rests on no other name looks as it did.
        self.names.extend(PublicApi::from_uses(&tables.uses, &self.on.names).resting_on(|_| true));
        self.names.extend(self.on.told_by_includes(file));
        let Some(traits) = self.on.language_traits(file) else { return };
        for namespace in self.on.namespaces.declared_namespaces(file, tables) {
            // A namespace of a single file re-exports the file's imports (`namespace_member`), so its own name looks
            // different.
            if self.on.namespaces.declaration_places(traits.family, namespace).len() == 1 {
                let last = split_words(self.on.names.name_text(namespace)).last();
                self.names.extend(last.and_then(|name| self.on.names.find_number(name)));
            }
        }
        // Everything in a crate reaches its root by `crate::`, without a name to follow.
        if traits.style == ModuleStyle::Crate {
            self.is_all |=
                self.on.file_numbers().any(|other| other != file && self.on.crates.crate_root(other) == file);
        }
    }

    /// Some imports of a file lead to other things; returns the file where it re-exports all of them.
    fn invalidate_imports(&mut self, file: u32, is_meant: impl Fn(u32) -> bool) -> Option<u32> {
        let tables = self.on.file_tables(file);
        self.files.insert(file);
        self.names.extend(tables.import_names().filter(|(_, at)| is_meant(*at)).map(|(name, _)| name));
        tables.globs.iter().any(|glob| is_meant(*glob)).then_some(file)
    }

    /// Files that reach a module without its name: the modules of a crate below it.
    fn submodule_files(&self, path: &str) -> Vec<u32> {
        // These files have their submodules beside them, others in a directory of their own name.
        let is_directory = matches!(paths::file_name(path), "mod.rs" | "lib.rs" | "main.rs");
        let directory = paths::parent_directory(path);
        let inside = match (is_directory, directory) {
            (true, "") => String::new(),
            (true, _) => format!("{directory}/"),
            (false, "") => format!("{}/", paths::file_stem(path)),
            (false, _) => format!("{directory}/{}/", paths::file_stem(path)),
        };
        let is_below = |file: &u32| {
            let other = self.on.paths.file_path(*file);
            self.on.module_style(*file) == ModuleStyle::Crate && other != path && other.starts_with(&inside)
        };
        self.on.file_numbers().filter(is_below).collect()
    }

    /// Follows names to the files that mention them, until no new name is found.
    fn propagate_names(mut self) -> InvalidatedFiles {
        // Names rest on each other in rings, so each is followed once.
        let mut known = vec![false; self.on.names.len()];
        let files: Vec<u32> = self.on.file_numbers().collect();
        while !self.names.is_empty() && !self.is_all {
            let mut round = vec![false; self.on.names.len()];
            for name in std::mem::take(&mut self.names) {
                (round[name as usize], known[name as usize]) = (true, true);
            }
            let is_meant = |name: u32| round[name as usize];
            let mentions = |file: &&u32| self.on.file_tables(**file).mentioned.iter().any(|name| is_meant(*name));
            let touched: Vec<(u32, Vec<u32>)> = files
                .par_iter()
                .filter(mentions)
                .map(|file| {
                    let surface = PublicApi::from_uses(&self.on.file_tables(*file).uses, &self.on.names);
                    (*file, surface.resting_on(is_meant).collect())
                })
                .collect();
            self.files.extend(touched.iter().map(|(file, _)| *file));
            self.is_all |= self.files.len() > self.most;
            for (file, names) in touched {
                if self.is_whole(&names) {
                    self.invalidate_exports(file);
                }
                self.names.extend(names);
            }
            self.names.retain(|name| !known[*name as usize]);
        }
        if self.is_all { InvalidatedFiles::All } else { InvalidatedFiles::These(self.files) }
    }
}
