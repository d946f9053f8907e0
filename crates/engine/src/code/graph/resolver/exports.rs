//! Resolves imports to what modules export: names, re-exports, globs, default exports, and the modules, crates and
//! namespaces that paths such as `crate::a::b` lead to.

use super::evaluator::{ExpressionEvaluator, ExpressionSite};
use super::modules::ImportTarget;
use super::names::NameInterner;
use super::value::{AbstractValue, ValueSet};
use super::{Resolver, SymbolAt, paths};
use crate::code::graph::test_detection::is_test_file;
use crate::code::graph::uses::ImportSelector;
use model::SymbolKind;
use syntax::ModuleStyle;

/// Names under which a module exports itself as a whole.
const DEFAULT_EXPORT_NAMES: [&str; 3] = ["default", "module.exports", "return"];

/// Interns the names that are looked up whether or not a file mentions them.
pub(super) fn number_fixed(names: &mut NameInterner) {
    for name in DEFAULT_EXPORT_NAMES {
        names.intern_name(name);
    }
}

/// Whether a name means the whole of what a module exports.
pub(super) fn is_default(names: &NameInterner, name: u32) -> bool {
    DEFAULT_EXPORT_NAMES.contains(&names.name_text(name))
}

impl Resolver {
    /// Whether the module of an import is a namespace of the project, where modules are files otherwise.
    fn names_namespace(&self, file: u32, module: u32) -> bool {
        let text = self.names.name_text(module);
        // A file has an extension, or a directory before it.
        if self.module_style(file) != ModuleStyle::Path || text.contains(['.', '/']) {
            return false;
        }
        let family = self.language_traits(file).map(|traits| traits.family);
        let full = self.names.find_number(&super::modules::dotted_name(text));
        family.zip(full).is_some_and(|(family, full)| self.namespaces.is_known(family, full))
    }
}

impl ExpressionEvaluator<'_> {
    /// What an import resolves to.
    pub(super) fn resolve_import(&mut self, file: u32, at: u32) -> ValueSet {
        let key = (file, at, self.wants_type);
        if let Some(known) = self.imports.get(&key) {
            return known.clone().unwrap_or_else(ValueSet::none);
        }
        // `None` marks an import in progress: files that import each other end here.
        self.imports.insert(key, None);
        let known = self.with_fuel(|this| this.follow_import(file, at));
        self.imports.insert(key, Some(known.clone()));
        known
    }

    fn follow_import(&mut self, file: u32, at: u32) -> ValueSet {
        let tables = self.on.file_tables(file);
        let import = &tables.uses.imports[at as usize];
        let module = match tables.targets[at as usize] {
            // `using app::Store;` (C++) names no file, but a namespace.
            ImportTarget::Outside if self.on.names_namespace(file, import.module) => {
                return self.follow_by_name(file, at);
            }
            ImportTarget::Outside => return ValueSet::outside(),
            ImportTarget::File(found) => AbstractValue::File(found),
            ImportTarget::Directory(found) => AbstractValue::Directory(found),
            // `export { name }` without `from`: the module is the file itself.
            ImportTarget::Itself => {
                let ImportSelector::Name(name) = import.what else { return ValueSet::none() };
                // The last line, because an export sees every assignment of the file.
                let place = ExpressionSite { file, within: None, line: u32::MAX };
                return self.in_scope(name, file, None).or_else(|| self.find_bindings(file, None, name, place.line));
            }
            ImportTarget::ByName => return self.follow_by_name(file, at),
        };
        match import.what {
            // `import util from "./util"` where `util` has no default export: the module itself is taken, as bundlers
            // do.
            ImportSelector::Name(name) if is_default(&self.on.names, name) => {
                let whole =
                    if let AbstractValue::File(found) = module { self.default_export(found) } else { ValueSet::none() };
                whole.or_else(|| ValueSet::one(module))
            }
            ImportSelector::Name(name) => self.module_member(&module, name).or_else(ValueSet::outside),
            // `import a.b` (Python) binds `a`; `import a.b as c` binds `a.b`.
            ImportSelector::Module if import.alias.is_none() && self.module_style(file) == ModuleStyle::Dotted => {
                as_module(tables.firsts.get(at as usize).copied()).or_else(ValueSet::outside)
            }
            ImportSelector::Module | ImportSelector::All => ValueSet::one(module),
        }
    }

    /// An import whose module is followed name by name: `use a::b`, `import a.b.C`.
    fn follow_by_name(&mut self, file: u32, at: u32) -> ValueSet {
        let import = &self.on.file_tables(file).uses.imports[at as usize];
        let module = self.on.names.name_text(import.module);
        let outer = ExpressionSite { file, within: import.within, line: import.line };
        let found = if self.module_style(file) == ModuleStyle::Crate {
            match import.what {
                // `use serde;` has no path before its name.
                ImportSelector::Name(name) if module.is_empty() => return self.crate_or_below(name, outer),
                ImportSelector::Name(_) | ImportSelector::Module | ImportSelector::All => {
                    self.with_expectation(false, |this| this.module_at(module, outer))
                }
            }
        } else {
            self.full_name(file, module)
        };
        match import.what {
            ImportSelector::Name(name) => self.members_of(&found, name).or_else(ValueSet::outside),
            ImportSelector::Module | ImportSelector::All => found.or_else(ValueSet::outside),
        }
    }

    /// What a module exports under a name.
    pub(super) fn module_member(&mut self, module: &AbstractValue, name: u32) -> ValueSet {
        self.with_fuel(|this| match module {
            AbstractValue::File(file) => this.file_member(*file, None, name),
            AbstractValue::Directory(directory) => this.directory_member(*directory, name),
            AbstractValue::Namespace(family, namespace) => this.namespace_member(*family, *namespace, name),
            AbstractValue::Symbol(symbol) => this.file_member(symbol.file, Some(symbol.place), name),
            AbstractValue::Type(_)
            | AbstractValue::Instance(_)
            | AbstractValue::Bound(..)
            | AbstractValue::Holder(_)
            | AbstractValue::Outside
            | AbstractValue::Unknown => ValueSet::none(),
        })
    }

    /// What a file, or a module inside of it, exports under a name.
    fn file_member(&mut self, file: u32, scope: Option<u32>, name: u32) -> ValueSet {
        let tables = self.on.file_tables(file);
        let style = self.module_style(file);
        // An ES module offers only what it exports; elsewhere an imported name is a member of the module (`pub use`,
        // `from .a import b` in `__init__.py`).
        let passes_on =
            |import: u32| style != ModuleStyle::Specifier || tables.uses.imports[import as usize].is_exported;
        let mut found = self.find_definition(file, scope, name);
        if found.is_none() {
            for import in tables.imports_named(scope, name).filter(|import| passes_on(*import)) {
                found.merge_with(self.resolve_import(file, import));
            }
        }
        found = found.or_else(|| self.find_bindings(file, scope, name, u32::MAX));
        // `a::b` is the file `a/b.rs` and `a.b` is the file `a/b.py`: submodules are found by where they lie.
        if scope.is_none() {
            found = found.or_else(|| self.below_module(name, file));
        }
        // Globs come last: a definition or a named import hides what a glob brings in.
        let mut found = found.or_else(|| {
            if let Some(found) = self.brought_in(name, file, scope) {
                return found;
            }
            let mut found = ValueSet::none();
            let globs = tables.globs.iter().filter(|glob| tables.uses.imports[**glob as usize].within == scope);
            for glob in globs.filter(|glob| passes_on(**glob)) {
                found.merge_with(self.glob_member(file, *glob, name));
            }
            found
        });
        // `module.exports = { f }`: `f` is a member of the object that the module exports as a whole.
        let offers_whole = matches!(style, ModuleStyle::Specifier | ModuleStyle::Dotted | ModuleStyle::Path);
        if offers_whole && found.is_none() && scope.is_none() && !is_default(&self.on.names, name) {
            let offered = self.default_export(file);
            let offered = self.resolve_bindings(offered);
            found = self.members_of(&offered, name);
            // An unknown or external whole may have any member; that is no reason to claim this one.
            found.values.retain(AbstractValue::is_ours);
        }
        found
    }

    /// What a file is when it is imported as a whole.
    pub(super) fn default_export(&mut self, file: u32) -> ValueSet {
        let mut found = ValueSet::none();
        for name in DEFAULT_EXPORT_NAMES.iter().filter_map(|name| self.on.names.find_number(name)) {
            found = found.or_else(|| self.module_member(&AbstractValue::File(file), name));
        }
        found
    }

    /// A name that a glob import brings in.
    pub(super) fn taken_with_all(&mut self, name: u32, file: u32, scope: Option<u32>) -> ValueSet {
        let tables = self.on.file_tables(file);
        let mut found = ValueSet::none();
        let brought = self.brought_in(name, file, scope);
        let is_followed = brought.is_some();
        if let Some(brought) = brought.filter(|brought| !brought.is_none()) {
            return brought;
        }
        let on = self.on;
        let is_left = |glob: &&u32| {
            let import = &tables.uses.imports[**glob as usize];
            // Included files are followed already; `using namespace app;` is left.
            import.within == scope && (!is_followed || on.names_namespace(file, import.module))
        };
        for glob in tables.globs.iter().filter(is_left) {
            found = found.or_else(|| self.glob_member(file, *glob, name));
        }
        found
    }

    fn glob_member(&mut self, file: u32, glob: u32, name: u32) -> ValueSet {
        let key = (file, glob, self.wants_type);
        // A ring of modules with globs of each other ends where it began.
        if matches!(self.imports.get(&key), Some(None)) {
            return ValueSet::none();
        }
        let from = self.resolve_import(file, glob);
        // The import is resolved; the mark now covers the member lookup, which can come back here through a ring.
        let before = self.imports.insert(key, None);
        let found = self.members_of(&from, name);
        if let Some(before) = before {
            self.imports.insert(key, before);
        }
        // A glob from outside of the project may bring in any name, so only a member that was found counts.
        if found.is_ours() { found } else { ValueSet::none() }
    }

    /// A member of each of several modules or types; none where no value has it.
    fn members_of(&mut self, of: &ValueSet, name: u32) -> ValueSet {
        let mut found = ValueSet::none().at_most(of.sure);
        for value in &of.values {
            found.merge_with(match value {
                AbstractValue::File(_) | AbstractValue::Directory(_) | AbstractValue::Namespace(..) => {
                    self.module_member(value, name)
                }
                // A module inside of a file has exports; other symbols have members.
                AbstractValue::Symbol(symbol) if self.on.definition(*symbol).kind == SymbolKind::Module => {
                    self.module_member(value, name)
                }
                AbstractValue::Symbol(of) | AbstractValue::Type(of) | AbstractValue::Instance(of) => {
                    self.type_member(*of, name)
                }
                AbstractValue::Bound(..)
                | AbstractValue::Holder(_)
                | AbstractValue::Outside
                | AbstractValue::Unknown => ValueSet::none(),
            });
        }
        found
    }

    /// A submodule of a file that is found by its path.
    pub(super) fn below_module(&mut self, name: u32, file: u32) -> ValueSet {
        let Some(traits) = self.on.language_traits(file) else { return ValueSet::none() };
        let text = self.on.names.name_text(name);
        match traits.style {
            ModuleStyle::Crate => {
                let child = self.on.crates.child_module(&self.on.paths, file, text);
                child.map_or_else(ValueSet::none, |child| ValueSet::one(AbstractValue::File(child)))
            }
            ModuleStyle::Dotted => {
                let path = &self.on.file_tables(file).path;
                // Only `__init__.py` has the files of its directory as submodules.
                let is_index = traits.indexes.iter().any(|index| index == paths::file_stem(path));
                let below = is_index
                    .then(|| super::modules::below(&self.on.paths, paths::parent_directory(path), text, traits));
                as_module(below.flatten())
            }
            ModuleStyle::None
            | ModuleStyle::Path
            | ModuleStyle::Specifier
            | ModuleStyle::Directory
            | ModuleStyle::Namespace => ValueSet::none(),
        }
    }

    fn directory_member(&mut self, directory: u32, name: u32) -> ValueSet {
        let found = self.in_directory(directory, name, None, None);
        found.or_else(|| {
            let path = self.on.paths.directory_path(directory);
            let text = self.on.names.name_text(name);
            let dotted = self.on.languages.iter().filter(|traits| traits.style == ModuleStyle::Dotted);
            let mut below = dotted.filter_map(|traits| super::modules::below(&self.on.paths, path, text, traits));
            // A directory of Go files is one package; a directory below it is another package and no member.
            as_module(below.find(|_| !self.is_package_directory(directory)))
        })
    }

    fn is_package_directory(&self, directory: u32) -> bool {
        let inside = self.on.paths.directory_files(directory).iter();
        inside.copied().any(|file| self.module_style(file) == ModuleStyle::Directory)
    }

    /// A name of the files of one directory that are one package, without the file `asking`.
    pub(super) fn in_directory(
        &mut self,
        directory: u32,
        name: u32,
        package: Option<u32>,
        asking: Option<u32>,
    ) -> ValueSet {
        let mut found = ValueSet::none();
        let wanted = asking.and_then(|file| self.on.language_traits(file)).map(|traits| traits.family);
        let is_product = asking.is_some_and(|file| !is_test_file(self.on.file_path(file)));
        for file in self.on.paths.directory_files(directory) {
            let Some(traits) = self.on.language_traits(*file) else { continue };
            // For a file that asks, all languages of its family count (Java and Kotlin share packages); for an import
            // only languages whose directories are packages.
            let is_same = match wanted {
                Some(family) => traits.family == family,
                None => traits.style == ModuleStyle::Directory,
            };
            let declares = self.on.file_tables(*file).uses.package;
            // The asking file was searched before. In Go, `a` and `a_test` may share a directory and do not see each
            // other.
            let is_seen = !is_product || !is_test_file(self.on.file_path(*file));
            if is_same && is_seen && Some(*file) != asking && (package.is_none() || declares == package) {
                found.merge_with(self.find_definition(*file, None, name));
            }
        }
        found
    }

    /// The module that a path leads to: `crate::a::b`.
    fn module_at(&mut self, path: &str, place: ExpressionSite) -> ValueSet {
        let mut parts = path.split("::").map(str::trim).filter(|part| !part.is_empty());
        let Some(first) = parts.next() else { return ValueSet::none() };
        let mut found = match first {
            "self" | "Self" => self.module_around(place),
            _ => match self.on.names.find_number(first) {
                Some(name) => self.crate_or_below(name, place),
                None => ValueSet::outside(),
            },
        };
        for part in parts {
            found = match self.on.names.find_number(part) {
                // `super::super::a` goes up once for each part.
                _ if part == "super" => self.parent_modules(&found),
                Some(name) => self.members_of(&found, name),
                None => ValueSet::none(),
            };
        }
        found
    }

    /// The first name of a path: a crate of the project, or something in scope.
    fn crate_or_below(&mut self, name: u32, place: ExpressionSite) -> ValueSet {
        self.other_crate(name, place.file).or_else(|| self.resolve_name(name, place))
    }

    /// Another crate of the project.
    pub(super) fn other_crate(&mut self, name: u32, file: u32) -> ValueSet {
        if self.module_style(file) != ModuleStyle::Crate {
            return ValueSet::none();
        }
        // Only crates of this project: a dependency from a registry has no file here.
        let root = self.on.crates.find_crate(&self.on.paths, file, self.on.names.name_text(name));
        root.map_or_else(ValueSet::none, |root| ValueSet::one(AbstractValue::File(root)))
    }

    /// The module around a place.
    pub(super) fn module_around(&self, place: ExpressionSite) -> ValueSet {
        let definitions = &self.on.file_tables(place.file).uses.definitions;
        let mut at = place.within;
        while let Some(here) = at {
            if definitions[here as usize].kind == SymbolKind::Module {
                return ValueSet::one(AbstractValue::Symbol(SymbolAt::new(place.file, here)));
            }
            at = definitions[here as usize].parent;
        }
        ValueSet::one(AbstractValue::File(place.file))
    }

    pub(super) fn module_above(&self, place: ExpressionSite) -> ValueSet {
        let around = self.module_around(place);
        self.parent_modules(&around)
    }

    fn parent_modules(&self, of: &ValueSet) -> ValueSet {
        let outer = |value: &AbstractValue| {
            if let AbstractValue::File(file) = value {
                return self.on.crates.parent_module(&self.on.paths, *file).map(AbstractValue::File);
            }
            let SymbolAt { file, place } = value.symbol()?;
            let within = self.on.file_tables(file).uses.definitions[place as usize].parent;
            self.module_around(ExpressionSite { file, within, line: 0 }).values.pop()
        };
        ValueSet::from_values(of.values.iter().filter_map(outer))
    }

    /// What a full name leads to: the longest known namespace that it starts with, and from there member by member.
    fn full_name(&mut self, file: u32, path: &str) -> ValueSet {
        let Some(family) = self.on.language_traits(file).map(|traits| traits.family) else { return ValueSet::none() };
        let path = super::modules::dotted_name(path);
        // Longest first: `a.b.C` may be class `C` of `a.b` while `a` is a namespace as well.
        let ends = std::iter::once(path.len()).chain(path.rmatch_indices('.').map(|(at, _)| at));
        let known = ends.into_iter().find_map(|end| {
            let namespace = self.on.names.find_number(&path[..end])?;
            self.on.namespaces.is_known(family, namespace).then_some((end, namespace))
        });
        let (mut found, rest) = match known {
            Some((end, namespace)) => (ValueSet::one(AbstractValue::Namespace(family, namespace)), &path[end..]),
            None => return self.top_of_project(file, family, &path),
        };
        for part in rest.split('.').filter(|part| !part.is_empty()) {
            let Some(name) = self.on.names.find_number(part) else { return ValueSet::none() };
            found = self.members_of(&found, name);
        }
        found
    }

    /// A symbol outside of all namespaces, by its name alone.
    fn top_of_project(&mut self, file: u32, family: u32, path: &str) -> ValueSet {
        let mut parts = path.split('.');
        let first = parts.next().and_then(|part| self.on.names.find_number(part));
        let Some(first) = first else { return ValueSet::none() };
        let all = self.on.top_symbols(family, first);
        let all = all.into_iter().filter(|symbol| self.on.namespaces.file_namespace(symbol.file).is_none());
        let mut found = self.one_of(all.collect(), file);
        for part in parts {
            let Some(name) = self.on.names.find_number(part) else { return ValueSet::none() };
            found = self.members_of(&found, name);
        }
        found
    }

    fn namespace_member(&mut self, family: u32, namespace: u32, name: u32) -> ValueSet {
        let members = self.on.namespaces.members_named(family, namespace, name).to_vec();
        // `one_of` prefers what is near the asking file; the namespace is asked for as a whole, so its first
        // declaration is used.
        let (first, _) = self.on.namespaces.declaration_places(family, namespace).first().copied().unwrap_or_default();
        // Where files include each other, only what the asking file includes can be meant.
        let asking = self.asking.filter(|file| self.module_style(*file) == ModuleStyle::Path);
        let found = self.one_of(members, asking.unwrap_or(first));
        // A namespace below this one is no member of it, but is known by its full name.
        let found = found.or_else(|| {
            let outer = self.on.names.name_text(namespace);
            let inner = self.on.names.name_text(name);
            let below = self.on.names.find_number(&format!("{outer}.{inner}"));
            let below = below.filter(|below| self.on.namespaces.is_known(family, *below));
            below.map_or_else(ValueSet::none, |below| ValueSet::one(AbstractValue::Namespace(family, below)))
        });
        // Haskell: `module A (module B)`. A module of one file may re-export what it imports; in Java or C# an import
        // is never a member of the package.
        found.or_else(|| match self.on.namespaces.declaration_places(family, namespace) {
            [(file, None)] if self.on.language_traits(*file).is_some_and(|traits| !traits.has_implicit_this) => {
                self.taken_with_all(name, *file, None)
            }
            _ => ValueSet::none(),
        })
    }

    /// A name of the namespace around the code, or of one around that.
    pub(super) fn in_namespaces(&mut self, family: u32, namespace: u32, name: u32, asking: u32) -> ValueSet {
        let text = self.on.names.name_text(namespace);
        // Innermost first: code in `a.b` sees names of `a.b` before those of `a`.
        let ends = std::iter::once(text.len()).chain(text.rmatch_indices('.').map(|(at, _)| at));
        for end in ends {
            let Some(outer) = self.on.names.find_number(&text[..end]) else { continue };
            let members = self.on.namespaces.members_named(family, outer, name).to_vec();
            let found = self.one_of(members, asking).or_else(|| {
                let below = self.on.names.find_number(&format!("{}.{}", &text[..end], self.on.names.name_text(name)));
                let below = below.filter(|below| self.on.namespaces.is_known(family, *below));
                below.map_or_else(ValueSet::none, |below| ValueSet::one(AbstractValue::Namespace(family, below)))
            });
            if !found.is_none() {
                return found;
            }
        }
        ValueSet::none()
    }
}

/// A file or directory as a module.
fn as_module(target: Option<ImportTarget>) -> ValueSet {
    match target {
        Some(ImportTarget::File(found)) => ValueSet::one(AbstractValue::File(found)),
        Some(ImportTarget::Directory(found)) => ValueSet::one(AbstractValue::Directory(found)),
        Some(ImportTarget::Itself | ImportTarget::ByName | ImportTarget::Outside) | None => ValueSet::none(),
    }
}
