//! What other files offer: names of modules, through what they pass on, and the modules that paths lead to.

use super::evaluator::{ExpressionEvaluator, ExpressionSite};
use super::modules::ImportTarget;
use super::names::NameInterner;
use super::value::{AbstractValue, ValueSet};
use super::{SymbolAt, paths};
use crate::code::graph::uses::ImportSelector;
use model::SymbolKind;
use syntax::ModuleStyle;

/// What a module offers where no name is asked for.
const DEFAULT: [&str; 3] = ["default", "module.exports", "return"];

/// Gives numbers to names that are asked for whether or not a file has them.
pub(super) fn number_fixed(names: &mut NameInterner) {
    for name in DEFAULT {
        names.intern_name(name);
    }
}

/// Whether a name stands for what a module offers as a whole.
pub(super) fn is_default(names: &NameInterner, name: u32) -> bool {
    DEFAULT.contains(&names.name_text(name))
}

impl ExpressionEvaluator<'_> {
    /// What an import stands for.
    pub(super) fn resolve_import(&mut self, file: u32, at: u32) -> ValueSet {
        let key = (file, at, self.wants_type);
        if let Some(known) = self.imports.get(&key) {
            return known.clone().unwrap_or_else(ValueSet::none);
        }
        self.imports.insert(key, None);
        let known = self.with_fuel(|this| this.follow_import(file, at));
        self.imports.insert(key, Some(known.clone()));
        known
    }

    fn follow_import(&mut self, file: u32, at: u32) -> ValueSet {
        let tables = self.on.file_tables(file);
        let import = &tables.uses.imports[at as usize];
        let module = match tables.targets[at as usize] {
            ImportTarget::Outside => return ValueSet::outside(),
            ImportTarget::File(found) => AbstractValue::File(found),
            ImportTarget::Directory(found) => AbstractValue::Directory(found),
            ImportTarget::Itself => {
                let ImportSelector::Name(name) = import.what else { return ValueSet::none() };
                let place = ExpressionSite { file, within: None, line: u32::MAX };
                return self.in_scope(name, file, None).or_else(|| self.find_bindings(file, None, name, place.line));
            }
            ImportTarget::ByName => return self.follow_by_name(file, at),
        };
        match import.what {
            // A file that offers no whole is taken for what it offers by name.
            ImportSelector::Name(name) if is_default(&self.on.names, name) => {
                let whole =
                    if let AbstractValue::File(found) = module { self.default_export(found) } else { ValueSet::none() };
                whole.or_else(|| ValueSet::one(module))
            }
            ImportSelector::Name(name) => self.module_member(&module, name).or_else(ValueSet::outside),
            ImportSelector::Module if import.alias.is_none() && self.module_style(file) == ModuleStyle::Dotted => {
                as_module(tables.firsts.get(at as usize).copied()).or_else(ValueSet::outside)
            }
            ImportSelector::Module | ImportSelector::All => ValueSet::one(module),
        }
    }

    /// An import whose module is followed name by name.
    fn follow_by_name(&mut self, file: u32, at: u32) -> ValueSet {
        let import = &self.on.file_tables(file).uses.imports[at as usize];
        let module = self.on.names.name_text(import.module);
        let outer = ExpressionSite { file, within: import.within, line: import.line };
        let found = if self.module_style(file) == ModuleStyle::Crate {
            match import.what {
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

    /// What a module offers under a name.
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

    /// What a file, or a module inside of it, offers under a name.
    fn file_member(&mut self, file: u32, scope: Option<u32>, name: u32) -> ValueSet {
        let tables = self.on.file_tables(file);
        let style = self.module_style(file);
        let passes_on =
            |import: u32| style != ModuleStyle::Specifier || tables.uses.imports[import as usize].is_exported;
        let mut found = self.find_definition(file, scope, name);
        if found.is_none() {
            for import in tables.imports_named(scope, name).filter(|import| passes_on(*import)) {
                found.merge_with(self.resolve_import(file, import));
            }
        }
        found = found.or_else(|| self.find_bindings(file, scope, name, u32::MAX));
        if scope.is_none() {
            found = found.or_else(|| self.below_module(name, file));
        }
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
        let offers_whole = matches!(style, ModuleStyle::Specifier | ModuleStyle::Dotted | ModuleStyle::Path);
        if offers_whole && found.is_none() && scope.is_none() && !is_default(&self.on.names, name) {
            let offered = self.default_export(file);
            let offered = self.expand_bindings(offered);
            found = self.members_of(&offered, name);
            found.values.retain(AbstractValue::is_ours);
        }
        found
    }

    /// What a file is when it is imported as a whole.
    pub(super) fn default_export(&mut self, file: u32) -> ValueSet {
        let mut found = ValueSet::none();
        for name in DEFAULT.iter().filter_map(|name| self.on.names.find_number(name)) {
            found = found.or_else(|| self.module_member(&AbstractValue::File(file), name));
        }
        found
    }

    /// A name that everything is taken from somewhere for.
    pub(super) fn taken_with_all(&mut self, name: u32, file: u32, scope: Option<u32>) -> ValueSet {
        if let Some(found) = self.brought_in(name, file, scope) {
            return found;
        }
        let tables = self.on.file_tables(file);
        let mut found = ValueSet::none();
        for glob in tables.globs.iter().filter(|glob| tables.uses.imports[**glob as usize].within == scope) {
            found = found.or_else(|| self.glob_member(file, *glob, name));
        }
        found
    }

    fn glob_member(&mut self, file: u32, glob: u32, name: u32) -> ValueSet {
        let key = (file, glob, self.wants_type);
        // A ring of modules that pass on all of each other ends where it began.
        if matches!(self.imports.get(&key), Some(None)) {
            return ValueSet::none();
        }
        let from = self.resolve_import(file, glob);
        let before = self.imports.insert(key, None);
        let found = self.members_of(&from, name);
        if let Some(before) = before {
            self.imports.insert(key, before);
        }
        if found.is_ours() { found } else { ValueSet::none() }
    }

    /// A member of each of several modules or types; nothing where none has it.
    fn members_of(&mut self, of: &ValueSet, name: u32) -> ValueSet {
        let mut found = ValueSet::none().at_most(of.sure);
        for value in &of.values {
            found.merge_with(match value {
                AbstractValue::File(_) | AbstractValue::Directory(_) | AbstractValue::Namespace(..) => {
                    self.module_member(value, name)
                }
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

    /// A module below a file that is found by where it lies.
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
            as_module(below.find(|_| !self.is_package_directory(directory)))
        })
    }

    fn is_package_directory(&self, directory: u32) -> bool {
        let inside = self.on.paths.directory_files(directory).iter();
        inside.copied().any(|file| self.module_style(file) == ModuleStyle::Directory)
    }

    /// A name of the files of one directory that are one package, other than `asking`.
    pub(super) fn in_directory(
        &mut self,
        directory: u32,
        name: u32,
        package: Option<u32>,
        asking: Option<u32>,
    ) -> ValueSet {
        let mut found = ValueSet::none();
        let wanted = asking.and_then(|file| self.on.language_traits(file)).map(|traits| traits.family);
        for file in self.on.paths.directory_files(directory) {
            let Some(traits) = self.on.language_traits(*file) else { continue };
            let is_same = match wanted {
                Some(family) => traits.family == family,
                None => traits.style == ModuleStyle::Directory,
            };
            let declares = self.on.file_tables(*file).uses.package;
            if is_same && Some(*file) != asking && (package.is_none() || declares == package) {
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
                _ if part == "super" => self.parent_modules(&found),
                Some(name) => self.members_of(&found, name),
                None => ValueSet::none(),
            };
        }
        found
    }

    /// The first name of a path: a crate of the project, or something in reach.
    fn crate_or_below(&mut self, name: u32, place: ExpressionSite) -> ValueSet {
        self.other_crate(name, place.file).or_else(|| self.resolve_name(name, place))
    }

    /// Another crate of the project.
    pub(super) fn other_crate(&mut self, name: u32, file: u32) -> ValueSet {
        if self.module_style(file) != ModuleStyle::Crate {
            return ValueSet::none();
        }
        let root = self.on.crates.find_crate(&self.on.paths, file, self.on.names.name_text(name));
        root.map_or_else(ValueSet::none, |root| ValueSet::one(AbstractValue::File(root)))
    }

    /// The module that a place is in.
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

    /// What a full name leads to: the longest namespace it starts with, and from there member by member.
    fn full_name(&mut self, file: u32, path: &str) -> ValueSet {
        let Some(family) = self.on.language_traits(file).map(|traits| traits.family) else { return ValueSet::none() };
        let path = super::modules::dotted_name(path);
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

    /// What stands in no namespace, by its name alone.
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
        let (asking, _) = self.on.namespaces.declaration_places(family, namespace).first().copied().unwrap_or_default();
        let found = self.one_of(members, asking);
        let found = found.or_else(|| {
            let (outer, inner) = (self.on.names.name_text(namespace), self.on.names.name_text(name));
            let below = self.on.names.find_number(&format!("{outer}.{inner}"));
            let below = below.filter(|below| self.on.namespaces.is_known(family, *below));
            below.map_or_else(ValueSet::none, |below| ValueSet::one(AbstractValue::Namespace(family, below)))
        });
        // A module that is one file may pass on what it takes from others.
        found.or_else(|| match self.on.namespaces.declaration_places(family, namespace) {
            [(file, None)] if self.on.language_traits(*file).is_some_and(|traits| !traits.has_implicit_this) => {
                self.taken_with_all(name, *file, None)
            }
            _ => ValueSet::none(),
        })
    }

    /// A name of the namespace that code is in, or of one around it.
    pub(super) fn in_namespaces(&mut self, family: u32, namespace: u32, name: u32, asking: u32) -> ValueSet {
        let text = self.on.names.name_text(namespace);
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
