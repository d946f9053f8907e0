//! Which files may have other edges after a change.
//!
//! The files that changed, those whose imports lead elsewhere now, and those that mention a name which looks different:
//! because its definition changed, or because it rests on a name that does. What a file passes on whole has no name; who
//! takes it from there is touched, and who takes it from those in turn.

use super::change::Touched;
use super::evaluate::Evaluation;
use super::file::File;
use super::modules::{Target, outward};
use super::names::words;
use super::offer;
use super::paths;
use super::surface::Surface;
use super::value::{Known, Value};
use super::{Resolver, Sees, SymbolAt};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use syntax::ModuleStyle;

/// Where more than one of so many files is touched, following names any further costs more than it saves.
const ENOUGH: usize = 8;

/// As long as it is no more than this, it is worth it however small the project.
const FEW: usize = 50;

/// What was to be seen of files before they changed, and what the change made of others.
#[derive(Default)]
pub(super) struct Seen {
    /// By path; none for a file that came.
    before: BTreeMap<String, Option<Before>>,
    /// Directories around files that came or went.
    directories: BTreeMap<String, Landmark>,
    /// Names that look different.
    names: BTreeSet<u32>,
    /// Files whose imports lead elsewhere, or are called otherwise.
    files: BTreeSet<u32>,
    /// Files that pass on other things.
    wholes: BTreeSet<u32>,
}

/// A file as it was.
struct Before {
    file: u32,
    language: Option<usize>,
    surface: Surface,
    /// What functions gave back of which something else hints at that now.
    given_back: BTreeMap<u32, GivenBack>,
    /// What stands at each place.
    places: Vec<Standing>,
    /// The namespaces it declared.
    namespaces: Vec<u32>,
}

/// A definition as its chain tells it from others: name, container and what is written.
type Standing = (u32, Option<u32>, Option<u32>);

/// What the functions of a name give back, by chain, at each step; none where it cannot be compared.
type GivenBack = Option<BTreeMap<String, [String; 3]>>;

/// What others see of a directory.
#[derive(PartialEq, Eq)]
struct Landmark {
    main: Option<u32>,
    is_package: bool,
    is_there: bool,
}

impl Seen {
    /// Whether a path has another file now, or none, or has one now.
    fn is_other(&self, resolver: &Resolver, path: &str) -> bool {
        let now = resolver.paths.file(path).map(|file| resolver.file(file).language);
        self.before.get(path).and_then(Option::as_ref).map(|before| before.language) != now
    }

    /// Whether files came or are gone.
    pub(super) fn has_other_files(&self, resolver: &Resolver) -> bool {
        self.before.keys().any(|path| self.is_other(resolver, path))
    }

    /// The files that came, and those that are gone: path and language.
    pub(super) fn came_and_gone(&self, resolver: &Resolver) -> [Vec<(String, Option<usize>)>; 2] {
        let (mut came, mut gone) = (Vec::new(), Vec::new());
        for (path, before) in self.before.iter().filter(|(path, _)| self.is_other(resolver, path)) {
            came.extend(resolver.paths.file(path).map(|file| (path.clone(), resolver.file(file).language)));
            gone.extend(before.as_ref().map(|before| (path.clone(), before.language)));
        }
        [came, gone]
    }

    /// Notes that imports of a file lead elsewhere than they did.
    pub(super) fn leads_elsewhere(&mut self, file: u32, tables: &File, before: [&[Target]; 2]) {
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

    /// Notes that imports of a file are called otherwise than they were.
    pub(super) fn is_called_otherwise(&mut self, file: u32, names: impl Iterator<Item = u32>) {
        self.files.insert(file);
        self.names.extend(names);
    }

    /// The directories whose files say that they are in another package than before.
    pub(super) fn repacked(&self, resolver: &Resolver) -> BTreeSet<u32> {
        let package = |path: &str| Some(resolver.file(resolver.paths.file(path)?).uses.package);
        let others = self.before.iter().filter(|(path, before)| {
            let before = before.as_ref().map(|before| before.surface.package());
            before != package(path)
        });
        others.filter_map(|(path, _)| resolver.paths.directory(paths::parent(path))).collect()
    }
}

impl Resolver {
    /// What is to be seen of some files before they change.
    pub(super) fn seen(&self, incoming: &[File], changed: &[&str], gone: &HashSet<&str>) -> Seen {
        let mut seen = Seen::default();
        let incoming: BTreeMap<&str, &File> = incoming.iter().map(|file| (file.path.as_str(), file)).collect();
        for path in changed {
            let file = self.paths.file(path);
            if file.is_none() || gone.contains(path) {
                for directory in paths::above(path) {
                    seen.directories.insert(directory.to_owned(), self.landmark(directory));
                }
            }
            seen.before.insert((*path).to_owned(), file.map(|file| self.before(file, incoming.get(path).copied())));
        }
        seen
    }

    fn before(&self, file: u32, incoming: Option<&File>) -> Before {
        let tables = self.file(file);
        let surface = Surface::of(&tables.uses, &self.names);
        let after = incoming.map(|incoming| Surface::of(&incoming.uses, &self.names));
        let hinted = after.iter().flat_map(|after| surface.hinted(after));
        Before {
            file,
            language: tables.language,
            given_back: hinted.map(|name| (name, self.given_back(file, name))).collect(),
            surface,
            places: standing(tables),
            namespaces: self.namespaces.declared(file, tables),
        }
    }

    fn landmark(&self, directory: &str) -> Landmark {
        let at = self.paths.directory(directory);
        let inside = at.map(|at| self.paths.inside(at)).unwrap_or_default();
        Landmark {
            main: at.and_then(|at| self.main_file(at)),
            is_package: inside.iter().any(|file| self.style(*file) == ModuleStyle::Directory),
            is_there: at.is_some(),
        }
    }

    /// The files that may have other edges after a change of `files` and of those that are gone.
    pub(super) fn touched(&self, seen: &Seen, files: &BTreeSet<u32>) -> Touched {
        let (names, files_elsewhere) = (seen.names.clone(), seen.files.clone());
        let most = self.worth_following();
        let mut spread =
            Spread { on: self, names, files: files_elsewhere, passed: BTreeSet::new(), most, is_all: false };
        spread.files.extend(files);
        for (path, before) in &seen.before {
            spread.file(path, before.as_ref(), seen.is_other(self, path));
        }
        for (directory, before) in &seen.directories {
            if self.landmark(directory) != *before {
                spread.directory(directory);
            }
        }
        for file in &seen.wholes {
            spread.whole(*file);
        }
        spread.follow()
    }

    /// How many files may be touched so that following the change is worth it.
    pub(super) fn worth_following(&self) -> usize {
        let code = self.files.iter().filter(|file| file.language.is_some()).count();
        (code / ENOUGH).max(FEW)
    }

    /// Files that hold on to a symbol of a changed file by a place where it is not any more.
    pub(super) fn leaning(&self, seen: &Seen) -> Vec<u32> {
        let has_moved = |before: &&Before| {
            let now = standing(self.file(before.file));
            !now.starts_with(&before.places)
        };
        let moved: BTreeSet<u32> = seen.before.values().flatten().filter(has_moved).map(|before| before.file).collect();
        let is_in = |symbol: &SymbolAt| moved.contains(&symbol.file);
        let leans = |file: &u32| {
            let tables = self.file(*file);
            tables.owners.iter().flatten().any(is_in)
                || tables.bases.iter().any(|(of, base)| is_in(of) || base.as_ref().is_some_and(is_in))
        };
        if moved.is_empty() { Vec::new() } else { self.files().filter(leans).collect() }
    }
}

impl Resolver {
    /// What the functions of a name in a file give back, so that it can be compared when files have changed.
    fn given_back(&self, file: u32, name: u32) -> GivenBack {
        let definitions = self.file(file).uses.definitions.iter().zip(0..);
        let named = definitions.filter(|(definition, _)| definition.name == name);
        let told = named.map(|(_, place)| {
            let symbol = SymbolAt { file, place };
            let at = |sees| self.told(&Evaluation::new(self, sees).result(symbol, None));
            Some((self.chain(symbol), [at(Sees::Own)?, at(Sees::Given)?, at(Sees::All)?]))
        });
        told.collect()
    }

    /// A value in words; none where it is what a file says about a variable, of which there is no name.
    fn told(&self, known: &Known) -> Option<String> {
        let mut told = format!("{}", known.sure);
        for value in &known.values {
            told += &match value {
                Value::Symbol(of) => format!(" symbol {} {}", of.file, self.chain(*of)),
                Value::Type(of) => format!(" type {} {}", of.file, self.chain(*of)),
                Value::Instance(of) => format!(" instance {} {}", of.file, self.chain(*of)),
                Value::Holder(inner) => {
                    format!(" ({})", self.told(&Known { values: inner.clone(), sure: known.sure })?)
                }
                Value::Bound(..) => return None,
                Value::File(_) | Value::Directory(_) | Value::Namespace(..) | Value::Outside | Value::Unknown => {
                    format!(" {value:?}")
                }
            };
        }
        Some(told)
    }
}

fn standing(file: &File) -> Vec<Standing> {
    file.uses.definitions.iter().map(|it| (it.name, it.container, it.chain)).collect()
}

/// A change on its way through the project.
struct Spread<'r> {
    on: &'r Resolver,
    names: BTreeSet<u32>,
    files: BTreeSet<u32>,
    /// Files that are known to pass on other things.
    passed: BTreeSet<u32>,
    most: usize,
    is_all: bool,
}

impl Spread<'_> {
    /// What became of a file.
    fn file(&mut self, path: &str, before: Option<&Before>, is_other: bool) {
        let now = self.on.paths.file(path);
        let after = now.map(|file| Surface::of(&self.on.file(file).uses, &self.on.names));
        if let (false, Some(Before { surface, given_back, .. }), Some(after)) = (is_other, before, &after)
            && !surface.is_elsewhere(after)
        {
            let is_other = |(name, before): (&u32, &GivenBack)| {
                let is_same = before.is_some() && now.is_some_and(|now| self.on.given_back(now, *name) == *before);
                (!is_same).then_some(*name)
            };
            let names: Vec<u32> =
                surface.difference(after).into_iter().chain(given_back.iter().filter_map(is_other)).collect();
            if let Some(file) = now.filter(|_| surface.passes_on_other(after) || self.is_whole(&names)) {
                self.whole(file);
            }
            self.names.extend(names);
        } else {
            let all = before.map(|before| &before.surface).into_iter().chain(&after);
            self.names.extend(all.flat_map(Surface::names));
            self.module(path);
            for file in now.into_iter().chain(self.below(path)) {
                self.whole(file);
            }
        }
        let declared = now.map(|file| self.on.namespaces.declared(file, self.on.file(file))).unwrap_or_default();
        let known = before.map(|before| before.namespaces.as_slice()).unwrap_or_default();
        if known != declared {
            let languages =
                [before.and_then(|before| before.language), now.and_then(|file| self.on.file(file).language)];
            let families: BTreeSet<u32> =
                languages.into_iter().flatten().map(|language| self.on.languages[language].family).collect();
            for family in families {
                for namespace in known.iter().chain(&declared) {
                    self.namespace(family, *namespace, path);
                }
            }
        }
    }

    /// A file that is declared in a namespace, or was: others see it by where it is declared first, by being declared
    /// once, and by being there at all.
    fn namespace(&mut self, family: u32, namespace: u32, path: &str) {
        let others = self.on.namespaces.places(family, namespace).iter().map(|(file, _)| self.on.paths.path(*file));
        let others: Vec<&str> = others.filter(|other| *other != path).collect();
        let full = self.on.names.text(namespace);
        if others.is_empty() {
            self.names.extend(outward(full).chain(words(full)).filter_map(|name| self.on.names.find(name)));
        } else if others.len() < 2 || path < others[0] {
            self.names.extend(words(full).last().and_then(|name| self.on.names.find(name)));
        }
    }

    /// The name that a file goes by as a module.
    fn module(&mut self, path: &str) {
        let stem = paths::name(path).split('.').next().unwrap_or_default();
        for name in [stem, paths::stem(path), paths::name(path), paths::name(paths::parent(path))] {
            self.names.extend(self.on.names.find(name));
        }
    }

    /// A directory stands for another file, or came, or is gone.
    fn directory(&mut self, path: &str) {
        self.names.extend(self.on.names.find(paths::name(path)));
        let Some(directory) = self.on.paths.directory(path) else { return };
        let leads_there = |file: &u32| self.on.file(*file).targets.contains(&Target::Directory(directory));
        self.files.extend(self.on.files().filter(leads_there));
    }

    /// Whether one of some names of a file stands for all of it: who takes that need not say the name.
    fn is_whole(&self, names: &[u32]) -> bool {
        names.iter().any(|name| offer::is_default(&self.on.names, *name))
    }

    /// A file passes on other things than it did, and so do those that pass on all of it.
    fn whole(&mut self, file: u32) {
        let mut waiting = BTreeSet::from([file]);
        while !self.is_all && !waiting.is_empty() {
            let round: BTreeSet<u32> = std::mem::take(&mut waiting).difference(&self.passed).copied().collect();
            self.passed.extend(&round);
            for file in &round {
                self.offered(*file);
                for below in self.below(self.on.paths.path(*file)) {
                    waiting.extend(self.taken(below, |_| true));
                }
            }
            for other in self.on.files() {
                let tables = self.on.file(other);
                let is_there = |target: Option<&Target>| matches!(target, Some(Target::File(to)) if round.contains(to));
                let leads_there =
                    |at: u32| is_there(tables.targets.get(at as usize)) || is_there(tables.firsts.get(at as usize));
                if (0..tables.targets.len() as u32).any(leads_there) {
                    waiting.extend(self.taken(other, leads_there));
                }
            }
            self.is_all |= self.files.len() > self.most;
        }
    }

    /// What others see of a file that passes on other things than it did.
    fn offered(&mut self, file: u32) {
        let (path, tables) = (self.on.paths.path(file), self.on.file(file));
        self.files.insert(file);
        self.module(path);
        self.names.extend(Surface::of(&tables.uses, &self.on.names).resting_on(|_| true));
        self.names.extend(self.on.told_by_includes(file));
        let Some(traits) = self.on.traits(file) else { return };
        for namespace in self.on.namespaces.declared(file, tables) {
            if self.on.namespaces.places(traits.family, namespace).len() == 1 {
                let last = words(self.on.names.text(namespace)).last();
                self.names.extend(last.and_then(|name| self.on.names.find(name)));
            }
        }
        if traits.style == ModuleStyle::Crate {
            self.is_all |= self.on.files().any(|other| other != file && self.on.crates.root(other) == file);
        }
    }

    /// What some imports of a file give it is something else; that file, where it passes all of it on.
    fn taken(&mut self, file: u32, is_meant: impl Fn(u32) -> bool) -> Option<u32> {
        let tables = self.on.file(file);
        self.files.insert(file);
        self.names.extend(tables.import_names().filter(|(_, at)| is_meant(*at)).map(|(name, _)| name));
        tables.globs.iter().any(|glob| is_meant(*glob)).then_some(file)
    }

    /// Files that name what is above them without its name: modules of a crate below one of it.
    fn below(&self, path: &str) -> Vec<u32> {
        let is_directory = matches!(paths::name(path), "mod.rs" | "lib.rs" | "main.rs");
        let directory = paths::parent(path);
        let inside = match (is_directory, directory) {
            (true, "") => String::new(),
            (true, _) => format!("{directory}/"),
            (false, "") => format!("{}/", paths::stem(path)),
            (false, _) => format!("{directory}/{}/", paths::stem(path)),
        };
        let is_below = |file: &u32| {
            let other = self.on.paths.path(*file);
            self.on.style(*file) == ModuleStyle::Crate && other != path && other.starts_with(&inside)
        };
        self.on.files().filter(is_below).collect()
    }

    /// Follows names to who mentions them, until there are no others.
    fn follow(mut self) -> Touched {
        let mut known = vec![false; self.on.names.len()];
        let files: Vec<u32> = self.on.files().collect();
        while !self.names.is_empty() && !self.is_all {
            let mut round = vec![false; self.on.names.len()];
            for name in std::mem::take(&mut self.names) {
                (round[name as usize], known[name as usize]) = (true, true);
            }
            let is_meant = |name: u32| round[name as usize];
            let mentions = |file: &&u32| self.on.file(**file).mentioned.iter().any(|name| is_meant(*name));
            let touched: Vec<(u32, Vec<u32>)> = files
                .par_iter()
                .filter(mentions)
                .map(|file| {
                    let surface = Surface::of(&self.on.file(*file).uses, &self.on.names);
                    (*file, surface.resting_on(is_meant).collect())
                })
                .collect();
            self.files.extend(touched.iter().map(|(file, _)| *file));
            self.is_all |= self.files.len() > self.most;
            for (file, names) in touched {
                if self.is_whole(&names) {
                    self.whole(file);
                }
                self.names.extend(names);
            }
            self.names.retain(|name| !known[*name as usize]);
        }
        if self.is_all { Touched::All } else { Touched::These(self.files) }
    }
}
