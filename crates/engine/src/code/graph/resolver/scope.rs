//! Resolves a bare name by scope: from the innermost scope outward, then what the file imports, then what its language
//! makes visible of other files without an import (same package, namespace or crate).

use super::evaluator::{ExpressionEvaluator, ExpressionSite};
use super::value::{AbstractValue, CERTAIN_CONFIDENCE, INFERRED_CONFIDENCE, ValueSet};
use super::{Resolver, SymbolAt};
use crate::code::graph::test_detection::is_test_file;
use model::SymbolKind;
use syntax::{ModuleStyle, NameVisibility};

/// A name of a project-wide scope may be defined in several files.
const VISIBLE_EVERYWHERE: u8 = 80;

/// Keywords of module paths, which no definition can hide.
const CRATE: &str = "crate";
const SUPER: &str = "super";

impl Resolver {
    /// Whether a function is a constructor that is called like its type.
    pub(super) fn is_constructor(&self, symbol: SymbolAt) -> bool {
        let definition = self.definition(symbol);
        let around = definition.parent.map(|around| SymbolAt::new(symbol.file, around));
        // `Store::Store(int size) {}` (C++) stands outside of its type.
        let of = self.file_tables(symbol.file).member_owner(symbol.place).or(around);
        let Some(of) = of.filter(|_| definition.kind.is_function()).map(|of| self.definition(of)) else { return false };
        of.name == definition.name
            && of.kind.is_type()
            && self.language_traits(symbol.file).is_some_and(|traits| traits.has_named_constructors)
    }
}

impl ExpressionEvaluator<'_> {
    /// What a bare name refers to.
    pub(super) fn resolve_name(&mut self, name: u32, place: ExpressionSite) -> ValueSet {
        self.with_expectation(false, |this| this.find_name(name, place))
    }

    /// What a bare name refers to where a type is expected.
    pub(super) fn type_name(&mut self, name: u32, place: ExpressionSite) -> ValueSet {
        self.with_expectation(true, |this| this.find_name(name, place))
    }

    /// A function with this name, in languages where variables and functions have separate names.
    pub(super) fn resolve_function(&mut self, name: u32, place: ExpressionSite) -> ValueSet {
        // Languages with an implicit `this` keep methods and variables apart: `size` and `size()` are two things
        // (Java).
        let is_apart = self.on.language_traits(place.file).is_some_and(|traits| traits.has_implicit_this);
        let mut scope = place.within.filter(|_| is_apart);
        while let Some(here) = scope {
            if let Some(of) = self.own_type(place.file, here) {
                let found = self.type_member(of, name);
                if found.is_ours() {
                    return found;
                }
            }
            scope = self.file_tables(place).uses.definitions[here as usize].parent;
        }
        ValueSet::none()
    }

    fn find_name(&mut self, name: u32, place: ExpressionSite) -> ValueSet {
        let file = self.file_tables(place);
        let Some(traits) = self.on.language_traits(place.file) else { return ValueSet::none() };
        if traits.style == ModuleStyle::Crate {
            match self.on.names.name_text(name) {
                CRATE => return ValueSet::one(AbstractValue::File(self.on.crates.crate_root(place.file))),
                SUPER => return self.module_above(place),
                _ => {}
            }
        }
        let mut scope = place.within;
        while let Some(here) = scope {
            let definition = &file.uses.definitions[here as usize];
            // Members are no bare names, except directly in a class body (Python) and anywhere inside of a type with an
            // implicit `this` (Java, Ruby).
            let has_members = definition.kind.is_type() || definition.kind == SymbolKind::Constant;
            let is_dotted = traits.style == ModuleStyle::Dotted;
            let is_inside = is_dotted && place.within == scope;
            let mut found = self.find_imported(name, place.file, scope);
            if !has_members || is_inside || traits.has_implicit_this {
                found = found.or_else(|| self.find_definition(place.file, scope, name));
            }
            if !has_members || is_inside || !is_dotted {
                found = found.or_else(|| self.find_variables(name, place, scope));
            }
            found = found.or_else(|| self.taken_with_all(name, place.file, scope));
            if !found.is_none() {
                return found;
            }
            if traits.has_implicit_this
                && let Some(of) = self.own_type(place.file, here)
            {
                // `Outside` only says that an external base may have the member; a definition further out is the better
                // answer.
                let found = self.type_member(of, name);
                if found.is_ours() {
                    return found;
                }
            }
            // `namespace A.B { … }` (C#): the namespace's names in other files are in scope.
            if let Some(namespace) = self.on.namespaces.module_namespace(SymbolAt::new(place.file, here)) {
                let found = self.in_namespaces(traits.family, namespace, name, place.file);
                if !found.is_none() {
                    return found;
                }
            }
            // A Rust module does not see the names of the module around it: the walk outward ends at `mod`.
            if traits.style == ModuleStyle::Crate && definition.kind == SymbolKind::Module {
                return self
                    .other_crate(name, place.file)
                    .or_else(|| self.find_macro(name, place.file))
                    .or_else(ValueSet::outside);
            }
            scope = definition.parent;
        }
        // The file's own names, then what the language shows without an import, then globs: a class of the same package
        // hides one from `import a.*` (Java), as a definition hides a glob (Rust).
        let found = self
            .in_scope(name, place.file, None)
            .or_else(|| self.find_variables(name, place, None))
            .or_else(|| self.below_module(name, place.file));
        found
            .or_else(|| self.in_sight(name, place.file))
            .or_else(|| self.taken_with_all(name, place.file, None))
            .or_else(|| self.other_crate(name, place.file))
            .or_else(|| self.find_macro(name, place.file))
            .or_else(|| self.namespace_called(name, traits.family))
            .or_else(ValueSet::outside)
    }

    /// The first part of a full name.
    fn namespace_called(&self, name: u32, family: u32) -> ValueSet {
        let is_known = self.on.namespaces.is_known(family, name);
        if is_known { ValueSet::one(AbstractValue::Namespace(family, name)) } else { ValueSet::none() }
    }

    /// A macro is known in all of its crate, wherever it is defined, and in others that use it.
    fn find_macro(&mut self, name: u32, file: u32) -> ValueSet {
        let Some(traits) = self.on.language_traits(file).filter(|traits| traits.style == ModuleStyle::Crate) else {
            return ValueSet::none();
        };
        let called = self.on.guesses.symbols_named(traits.family, name).iter().copied();
        let all: Vec<SymbolAt> =
            called.filter(|symbol| self.on.definition(*symbol).kind == SymbolKind::Macro).collect();
        // A macro of the own crate comes first; among several foreign macros of one name none is chosen.
        let root = self.on.crates.crate_root(file);
        let own = all.iter().copied().find(|symbol| self.on.crates.crate_root(symbol.file) == root);
        own.or_else(|| all.first().copied().filter(|_| all.len() == 1))
            .map_or_else(ValueSet::none, |found| self.symbol_value(found))
    }

    /// The type that a definition is, or is a member of without being written in it.
    fn own_type(&self, file: u32, here: u32) -> Option<SymbolAt> {
        let symbol = SymbolAt::new(file, here);
        if self.on.definition(symbol).kind.is_type() { Some(symbol) } else { self.member_owner(symbol) }
    }

    /// Definitions and imports of one scope.
    pub(super) fn in_scope(&mut self, name: u32, file: u32, scope: Option<u32>) -> ValueSet {
        let found = self.find_definition(file, scope, name);
        // `const a = require("./a")`: the constant is the import, so the import is followed.
        let is_value = |value: &AbstractValue| {
            let is_constant = |symbol: &SymbolAt| self.on.definition(*symbol).kind == SymbolKind::Constant;
            matches!(value, AbstractValue::Bound(..))
                || matches!(value, AbstractValue::Symbol(symbol) if is_constant(symbol))
        };
        if !found.values.iter().all(is_value) {
            return found;
        }
        let imported = self.find_imported(name, file, scope);
        if imported.is_none() { found } else { imported }
    }

    fn find_imported(&mut self, name: u32, file: u32, scope: Option<u32>) -> ValueSet {
        let mut found = ValueSet::none();
        for import in self.on.file_tables(file).imports_named(scope, name) {
            found.merge_with(self.resolve_import(file, import));
        }
        found
    }

    /// What a name is defined as in one scope: a type, a function, or the bindings of a value.
    pub(super) fn find_definition(&mut self, file: u32, scope: Option<u32>, name: u32) -> ValueSet {
        let tables = self.on.file_tables(file);
        let as_type = self.wants_type;
        let kind = |at: u32| tables.uses.definitions[at as usize].kind;
        // TypeScript: `interface User` and `const User` may share one name.
        let is_only_type = |kind| matches!(kind, SymbolKind::Interface | SymbolKind::Type);
        let fits = |at: &u32| if as_type { kind(*at).is_type() } else { !is_only_type(kind(*at)) };
        // Inside of a type its name means the type, not one of its constructors.
        let on = self.on;
        let is_named = |at: &u32| !on.is_constructor(SymbolAt::new(file, *at));
        let any_fits = tables.definitions_named(scope, name).any(|at| fits(&at));
        let all = tables.definitions_named(scope, name).filter(is_named).filter(|at| !any_fits || fits(at));
        let mut all = all.map(|at| SymbolAt::new(file, at));
        // A later definition replaces an earlier one (Python, Ruby); in Rust several are variants under `#[cfg]`, and
        // the first is as good as any.
        let first_counts = self.module_style(file) == ModuleStyle::Crate;
        let chosen = if first_counts { all.next() } else { all.next_back() };
        let Some(symbol) = chosen else { return ValueSet::none() };
        let kind = self.on.definition(symbol).kind;
        if kind.is_type() {
            return ValueSet::one(AbstractValue::Type(symbol));
        }
        let around = scope.map(|scope| SymbolAt::new(file, scope));
        if let Some(of) = around.filter(|of| kind == SymbolKind::Field && self.on.definition(*of).kind.is_type()) {
            return self.own_member(of, name);
        }
        // `const user = new User()`: the binding leads to the members of `User`, which the symbol does not.
        if kind == SymbolKind::Constant && !self.is_object(symbol) {
            let said = self.find_bindings(file, scope, name, u32::MAX);
            if !said.is_none() {
                return said;
            }
        }
        ValueSet::one(AbstractValue::Symbol(symbol))
    }

    /// The bindings of a variable of one scope that hold at a place.
    fn find_variables(&mut self, name: u32, place: ExpressionSite, scope: Option<u32>) -> ValueSet {
        let tables = self.file_tables(place);
        let bindings = &tables.uses.bindings;
        let holds = |at: &u32| {
            let binding = &bindings[*at as usize];
            !binding.is_field
                && binding.reach.0 <= place.line
                && place.line <= binding.reach.1
                // `x = x.next()`: the right side means an earlier binding of `x`, not the one in progress.
                && !self.is_asked(place.file, *at)
        };
        let all: Vec<u32> = tables.bindings_named(scope, name).filter(holds).collect();
        // Of nested blocks the one that starts last is the innermost, and its variable hides the outer ones.
        let narrowest = all.iter().map(|at| bindings[*at as usize].reach.0).max();
        let mut all: Vec<u32> =
            all.into_iter().filter(|at| Some(bindings[*at as usize].reach.0) == narrowest).collect();
        if self.wants_type {
            if all.iter().any(|at| bindings[*at as usize].is_type) {
                all.retain(|at| bindings[*at as usize].is_type);
            }
        } else {
            // A use above the first assignment may still run after it (a closure, a loop), so later bindings are the
            // fallback.
            let before: Vec<u32> = all.iter().copied().filter(|at| bindings[*at as usize].line <= place.line).collect();
            if !before.is_empty() {
                all = before;
            }
            // A declaration replaces those before it; an assignment in Python may be in another branch, so all of them
            // count.
            if self.module_style(place.file) != ModuleStyle::Dotted
                && let Some(last) = all.last().map(|at| bindings[*at as usize].line)
            {
                all.retain(|at| bindings[*at as usize].line == last);
            } else if all.iter().any(|at| bindings[*at as usize].is_type) {
                // An annotation says more than the values of assignments.
                all.retain(|at| bindings[*at as usize].is_type);
            }
        }
        let is_typed = all.iter().all(|at| bindings[*at as usize].is_type);
        let found = ValueSet::from_values(all.into_iter().map(|at| AbstractValue::Bound(place.file, at)));
        found.at_most(if is_typed { CERTAIN_CONFIDENCE } else { INFERRED_CONFIDENCE })
    }

    /// All bindings of a variable of one scope.
    pub(super) fn find_bindings(&mut self, file: u32, scope: Option<u32>, name: u32, line: u32) -> ValueSet {
        let tables = self.on.file_tables(file);
        let holds = |at: &u32| {
            let binding = &tables.uses.bindings[*at as usize];
            !binding.is_field && binding.line <= line && !self.is_asked(file, *at)
        };
        let all: Vec<u32> = tables.bindings_named(scope, name).filter(holds).collect();
        let typed = all.iter().copied().find(|at| tables.uses.bindings[*at as usize].is_type);
        match typed {
            Some(typed) => ValueSet::one(AbstractValue::Bound(file, typed)),
            None => ValueSet::from_values(all.into_iter().map(|at| AbstractValue::Bound(file, at))),
        }
    }

    /// What a language shows a file of others without an import. What only tests define, code of the product cannot mean.
    fn in_sight(&mut self, name: u32, file: u32) -> ValueSet {
        let found = self.shown_to(name, file);
        let is_test =
            |value: &AbstractValue| value.symbol().is_some_and(|symbol| is_test_file(self.on.file_path(symbol.file)));
        let is_wrong = found.values.iter().any(is_test) && !is_test_file(self.on.file_path(file));
        if is_wrong { ValueSet::none() } else { found }
    }

    fn shown_to(&mut self, name: u32, file: u32) -> ValueSet {
        let Some(traits) = self.on.language_traits(file) else { return ValueSet::none() };
        let own = self.on.file_tables(file);
        match traits.visible {
            NameVisibility::File => ValueSet::none(),
            NameVisibility::Directory => {
                let directory = super::paths::parent_directory(&own.path);
                self.on.paths.find_directory(directory).map_or_else(ValueSet::none, |directory| {
                    self.in_directory(directory, name, own.uses.package, Some(file))
                })
            }
            NameVisibility::Namespace => match self.on.namespaces.file_namespace(file) {
                Some(package) => self.in_namespaces(traits.family, package, name, file),
                // Without a package clause (Java), the files of the directory are the package.
                None => self.in_directory_of(file, name),
            },
            NameVisibility::Project => {
                let all = self.on.top_symbols(traits.family, name);
                self.one_of(all, file).at_most(VISIBLE_EVERYWHERE)
            }
        }
    }

    /// The one of several symbols with one name that is meant: definitions before prototypes.
    pub(super) fn one_of(&mut self, mut all: Vec<SymbolAt>, asking: u32) -> ValueSet {
        all.sort_unstable();
        all.dedup();
        let mut sure = CERTAIN_CONFIDENCE;
        // `module Util` in many Ruby files is one namespace, and none of its files is the one that is meant.
        let is_module = |symbol: &SymbolAt| self.on.definition(*symbol).kind == SymbolKind::Module;
        if all.len() > 1 && all.iter().all(is_module) {
            return ValueSet::none();
        }
        if all.len() > 1 {
            // Code of the product never means a name of a test.
            let is_product = |symbol: &SymbolAt| !is_test_file(self.on.file_path(symbol.file));
            if !is_test_file(self.on.file_path(asking)) && all.iter().any(is_product) {
                all.retain(is_product);
            }
            // Of several headers those count that the file includes; what they only declare is defined elsewhere.
            let included: Vec<SymbolAt> =
                all.iter().copied().filter(|symbol| self.is_included(asking, symbol.file)).collect();
            if included.iter().any(|symbol| !self.on.definition(*symbol).is_prototype) {
                all = included;
            }
        }
        if all.len() > 1 {
            let near = |symbol: &SymbolAt| {
                super::paths::shared_depth(&self.on.file_tables(asking).path, &self.on.file_tables(symbol.file).path)
            };
            // A C function is declared in many headers and defined once; else the nearest definition counts.
            let written = all.iter().copied().filter(|symbol| !self.on.definition(*symbol).is_prototype);
            let written: Vec<SymbolAt> = written.collect();
            if !written.is_empty() {
                all = written;
            }
            // Which of several files is linked, the text does not say; the nearest is only the likely one.
            let is_linked = self.module_style(asking) == ModuleStyle::Path;
            if is_linked && all.iter().any(|symbol| symbol.file != all[0].file) {
                sure = VISIBLE_EVERYWHERE;
            }
            let nearest = all.iter().map(near).max();
            all.retain(|symbol| Some(near(symbol)) == nearest);
        }
        // Several in one file are parts of one type, or the last is in force. In several files nothing says which is
        // meant.
        match all.last() {
            Some(last) if all.iter().all(|symbol| symbol.file == last.file) => self.symbol_value(*last).at_most(sure),
            _ => ValueSet::none(),
        }
    }

    fn in_directory_of(&mut self, file: u32, name: u32) -> ValueSet {
        let directory = super::paths::parent_directory(&self.on.file_tables(file).path);
        let directory = self.on.paths.find_directory(directory);
        directory.map_or_else(ValueSet::none, |directory| self.in_directory(directory, name, None, Some(file)))
    }

    /// A symbol as what it is.
    pub(super) fn symbol_value(&mut self, symbol: SymbolAt) -> ValueSet {
        let kind = self.on.definition(symbol).kind;
        ValueSet::one(if kind.is_type() { AbstractValue::Type(symbol) } else { AbstractValue::Symbol(symbol) })
    }
}
