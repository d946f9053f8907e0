//! Adds files to the resolver's tables, replaces and removes them, and returns the files that must be resolved again.
//!
//! The first files and a single save go through the same steps. Facts of single files are replaced; facts that follow
//! from all files together are inferred again for the files that the change touches.

use super::file_tables::FileTables;
use super::invalidation::ResolverSnapshot;
use super::language_traits::LanguageTraits;
use super::modules::{FileTurnover, ImportTarget};
use super::names::{NameInterner, split_words};
use super::{Resolver, SourceFile};
use crate::base::decompress_bytes;
use crate::code::graph::uses::FileUses;
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use syntax::ModuleStyle;

/// The files that may get other edges after a change, by their numbers.
#[derive(Debug)]
pub(crate) enum InvalidatedFiles {
    These(BTreeSet<u32>),
    All,
}

impl Resolver {
    /// Adds files that are new or have changed, and removes those at the paths in `gone`. A file whose bytes are
    /// damaged has no uses.
    pub(crate) fn apply_changes(&mut self, sources: &[SourceFile], gone: &[String]) -> InvalidatedFiles {
        if self.files.is_empty() {
            self.add_files(sources);
            self.build_tables();
            return InvalidatedFiles::All;
        }
        // So many changes touch nearly every file: no snapshot is taken, and everything is inferred again.
        let is_many = sources.len() + gone.len() > self.worth_following();
        // Decoded before the snapshot, which compares the incoming files with the ones that they replace.
        let incoming = self.decode_files(sources);
        let paths: Vec<&str> =
            sources.iter().map(|source| source.path.as_str()).chain(gone.iter().map(String::as_str)).collect();
        let gone: HashSet<&str> = gone.iter().map(String::as_str).collect();
        let mut seen = if is_many { ResolverSnapshot::default() } else { self.take_snapshot(&incoming, &paths, &gone) };
        let mut free = Vec::new();
        for path in &paths {
            free.extend(self.take_out(path, gone.contains(path)));
        }
        for (source, file) in sources.iter().zip(incoming) {
            self.take_in(&source.path, file);
        }
        // Numbers become free only now: a file of this update must not get the number of one that it removed.
        self.free.append(&mut free);
        let changed: BTreeSet<u32> = sources.iter().filter_map(|source| self.paths.find_file(&source.path)).collect();
        // Roots of crates and source folders come first: the targets of imports are found from them.
        let are_moved = self.follow_modules(is_many, &seen, &changed);
        self.resolve_imports(&changed, is_many, &mut seen);
        if is_many || are_moved {
            self.reinfer_types(&self.file_numbers().collect(), &changed);
            return InvalidatedFiles::All;
        }
        // The types of changed files are inferred before invalidation, which compares what their functions return now.
        let mut affected: BTreeSet<u32> = changed.iter().copied().chain(self.dependent_files(&seen)).collect();
        self.reinfer_types(&affected, &changed);
        let touched = self.invalidated_files(&seen, &changed);
        affected.extend(match &touched {
            InvalidatedFiles::These(touched) => touched.clone(),
            InvalidatedFiles::All => self.file_numbers().collect(),
        });
        // No file is new any more: what was inferred above is taken back first, or each member would be listed twice.
        self.reinfer_types(&affected, &BTreeSet::new());
        touched
    }

    /// Adds files before the first question, some at a time, so that their encoded bytes need not be in memory at once.
    /// [`Self::build_tables`] follows the last of them.
    pub(crate) fn add_files(&mut self, sources: &[SourceFile]) {
        for (source, file) in sources.iter().zip(self.decode_files(sources)) {
            self.take_in(&source.path, file);
        }
    }

    /// Infers what follows from all files together.
    pub(crate) fn build_tables(&mut self) {
        let all: BTreeSet<u32> = self.file_numbers().collect();
        let mut seen = ResolverSnapshot::default();
        self.follow_modules(true, &seen, &all);
        self.resolve_imports(&all, true, &mut seen);
        self.reinfer_types(&all, &all);
    }

    fn language_index(&self, source: &SourceFile) -> Option<usize> {
        source.language.as_ref().and_then(|name| self.languages.iter().position(|it| it.name == name))
    }

    /// Decodes files, and interns every name in them.
    fn decode_files(&mut self, sources: &[SourceFile]) -> Vec<FileTables> {
        let bytes: Vec<Cow<'_, [u8]>> =
            sources.par_iter().map(|source| decompress_bytes(&source.uses).unwrap_or_default()).collect();
        let uses: Vec<Option<FileUses<'_>>> = bytes.par_iter().map(|bytes| FileUses::decode(bytes).ok()).collect();
        // Interning needs the one table of names, so only decompression and decoding run in parallel.
        let read = |(source, uses): (&SourceFile, Option<FileUses<'_>>)| {
            let uses = uses.unwrap_or_default();
            let mut mentioned: Vec<u32> = uses.names.iter().map(|name| self.names.intern_name(name)).collect();
            let uses = uses.renumber_names(&mentioned);
            number_parts(&uses, &mut self.names, &mut mentioned);
            FileTables::new(source.path.clone(), self.language_index(source), uses, mentioned)
        };
        sources.iter().zip(uses).map(read).collect()
    }

    /// Infers again what some files state about types; files that are `new` have contributed nothing yet.
    fn reinfer_types(&mut self, files: &BTreeSet<u32>, new: &BTreeSet<u32>) {
        for file in files.difference(new) {
            self.forget_types(*file);
        }
        self.infer_types(&files.iter().copied().collect::<Vec<_>>());
    }

    /// Removes a file from the tables. Where the file is gone, its number becomes free.
    fn take_out(&mut self, path: &str, is_gone: bool) -> Option<u32> {
        let at = self.paths.find_file(path)?;
        // Contributions are computed from the tables of the file, so they are removed while the tables are still there.
        self.forget_types(at);
        let file = std::mem::take(&mut self.files[at as usize]);
        if let Some(traits) = file.language.map(|language| &self.languages[language]) {
            self.guesses.remove_file(at, &file, traits);
            self.namespaces.remove_file(at, &file, traits, &self.names);
        }
        is_gone.then(|| {
            self.paths.remove_file(at);
            at
        })
    }

    /// Adds a file to the tables, under the number it has or the next free one.
    fn take_in(&mut self, path: &str, file: FileTables) {
        let at = self.paths.find_file(path).unwrap_or_else(|| {
            let at = self.free.pop().unwrap_or(self.files.len() as u32);
            self.paths.add_file(path, at);
            at
        });
        if let Some(traits) = file.language.map(|language| &self.languages[language]) {
            self.guesses.add_file(at, &file, traits, &self.paths);
            self.namespaces.add_file(at, &file, traits, &mut self.names, &self.paths);
        }
        match self.files.get_mut(at as usize) {
            Some(place) => *place = file,
            None => self.files.push(file),
        }
    }

    /// Updates crate roots and source roots for files that were added or removed; returns whether paths start elsewhere
    /// for other files now.
    fn follow_modules(&mut self, is_many: bool, seen: &ResolverSnapshot, changed: &BTreeSet<u32>) -> bool {
        let [came, gone] = seen.came_and_gone(self);
        let languages = &self.languages;
        let traits = |language: Option<usize>| language.map(|language| &languages[language]);
        let described = |files: &[(String, Option<usize>)]| -> Vec<(String, &LanguageTraits)> {
            files.iter().filter_map(|(path, language)| Some((path.clone(), traits(*language)?))).collect()
        };
        let changed_files = (!is_many).then(|| FileTurnover { came: described(&came), gone: described(&gone) });
        let all = self.files.iter().filter_map(|file| Some((file.path.as_str(), traits(file.language)?)));
        self.modules.update_files(&self.paths, changed_files.as_ref(), all);
        // Only a Rust file can move the root of a crate.
        if changed_files.is_some_and(|it| it.all_files().all(|(_, traits)| traits.style != ModuleStyle::Crate)) {
            return false;
        }
        let is_crate = |file: &FileTables| traits(file.language).is_some_and(|it| it.style == ModuleStyle::Crate);
        let in_crates = self.files.iter().zip(0..).filter(|(file, _)| is_crate(file)).map(|(_, at)| at);
        let moved = self.crates.update_roots(&self.paths, in_crates);
        moved.iter().any(|file| !changed.contains(file))
    }

    /// Finds the modules of imports: of changed files, and of all files where some were added or removed.
    fn resolve_imports(&mut self, changed: &BTreeSet<u32>, is_many: bool, seen: &mut ResolverSnapshot) {
        let asked = &*self;
        // A file that was added or removed can be the target of any import.
        let is_for_all = is_many || seen.has_other_files(asked);
        let candidates: Vec<u32> =
            if is_for_all { asked.file_numbers().collect() } else { changed.iter().copied().collect() };
        let aims: Vec<(u32, [Vec<ImportTarget>; 2])> = candidates
            .into_par_iter()
            .map(|file| (file, asked.import_targets(file)))
            .filter(|(file, [targets, firsts])| {
                let tables = asked.file_tables(*file);
                is_many || changed.contains(file) || *targets != tables.targets || *firsts != tables.firsts
            })
            .collect();
        let mut named = BTreeSet::new();
        for (file, [targets, firsts]) in aims {
            let tables = &mut self.files[file as usize];
            let targets = std::mem::replace(&mut tables.targets, targets);
            let firsts = std::mem::replace(&mut tables.firsts, firsts);
            if !changed.contains(&file) {
                seen.leads_elsewhere(file, tables, [&targets, &firsts]);
            }
            named.insert(file);
        }
        // Go: the local name of an import is the `package` clause of its directory, which another file may have
        // changed.
        let repacked = seen.repackaged_directories(self);
        if !repacked.is_empty() {
            let is_repacked =
                |target: &ImportTarget| matches!(target, ImportTarget::Directory(it) if repacked.contains(it));
            named.extend(self.file_numbers().filter(|file| self.file_tables(*file).targets.iter().any(is_repacked)));
        }
        for file in named {
            self.name_imports(file, changed.contains(&file), seen);
        }
    }

    /// The modules of a file's imports, and their first parts for languages that bind these.
    fn import_targets(&self, file: u32) -> [Vec<ImportTarget>; 2] {
        let (tables, Some(traits)) = (self.file_tables(file), self.language_traits(file)) else {
            return Default::default();
        };
        let target = |module: &str| self.modules.resolve_module(&self.paths, &tables.path, traits, module);
        let modules = tables.uses.imports.iter().map(|import| self.names.name_text(import.module));
        let targets = modules.clone().map(target).collect();
        // `import a.b` (Python) binds `a`, so the target of the first part is needed as well.
        let firsts = match traits.style {
            ModuleStyle::Dotted => modules.map(|module| target(module.split('.').next().unwrap_or(module))).collect(),
            ModuleStyle::None
            | ModuleStyle::Path
            | ModuleStyle::Specifier
            | ModuleStyle::Directory
            | ModuleStyle::Crate
            | ModuleStyle::Namespace => Vec::new(),
        };
        [targets, firsts]
    }

    fn name_imports(&mut self, file: u32, is_changed: bool, seen: &mut ResolverSnapshot) {
        // Taken out of the list so that names can be interned while packages of other files are read.
        let mut tables = std::mem::take(&mut self.files[file as usize]);
        let before: Vec<(u32, u32)> = tables.import_names().collect();
        let style = tables.language.map_or(ModuleStyle::None, |at| self.languages[at].style);
        let paths = &self.paths;
        let files = &self.files;
        let own = tables.uses.package;
        tables.name_imports(&mut self.names, style, |directory| {
            // The file itself is out of the list at this moment.
            let package = |at: &u32| if *at == file { own } else { files[*at as usize].uses.package };
            paths.directory_files(directory).iter().find_map(package)
        });
        if !is_changed && !tables.import_names().eq(before.iter().copied()) {
            let names = before.iter().copied().chain(tables.import_names());
            seen.is_called_otherwise(file, names.map(|(name, _)| name));
        }
        self.files[file as usize] = tables;
    }
}

/// Interns the parts of module names: a module is followed part by part, and a part may be mentioned nowhere else.
fn number_parts(uses: &FileUses<'_>, names: &mut NameInterner, mentioned: &mut Vec<u32>) {
    let texts: HashSet<u32> = uses.imports.iter().map(|import| import.module).chain(uses.package).collect();
    for text in texts {
        let text = names.name_text(text).to_owned();
        // Every separator is tried, whatever the language: a part too many costs one number, a missing one a lookup.
        let parts = text.split("::").map(str::trim).chain(text.split(['.', ':', '\\', '/'])).chain(split_words(&text));
        mentioned.extend(parts.filter(|part| !part.is_empty()).map(|part| names.intern_name(part)));
    }
}
