//! The table of namespaces and packages, as of Java, C# or PHP: which files, or parts of files, declare each, and its
//! members by name.
//!
//! Languages write full names in their own ways, `a.b`, `a::b`, `a\b`; this table writes all of them `a.b`.

use crate::code::graph::resolver::SymbolAt;
use crate::code::graph::resolver::file_tables::FileTables;
use crate::code::graph::resolver::language_traits::LanguageTraits;
use crate::code::graph::resolver::names::{NameInterner, QuickMap};
use crate::code::graph::resolver::paths::PathIndex;
use model::SymbolKind;
use std::cmp::Ordering;
use syntax::ModuleStyle;

/// A file, and the module in it, where the declaration does not cover the whole file.
type NamespaceDeclaration = (u32, Option<u32>);

/// Everything that is declared in some namespace. Lists are in order of path.
#[derive(Default)]
pub(in crate::code::graph::resolver) struct NamespaceTable {
    /// Symbols by family of languages, namespace and name.
    members: QuickMap<(u32, u32, u32), Vec<SymbolAt>>,
    /// Where a namespace is declared, by family and full name.
    places: QuickMap<(u32, u32), Vec<NamespaceDeclaration>>,
    /// The full names of modules inside of files.
    modules: QuickMap<SymbolAt, u32>,
    /// The full names of the packages that whole files are in.
    packages: QuickMap<u32, u32>,
    /// Every namespace and every prefix of one; with the number of declarations.
    known: QuickMap<(u32, u32), u32>,
}

impl NamespaceTable {
    pub(in crate::code::graph::resolver) fn add_file(
        &mut self,
        at: u32,
        file: &FileTables,
        traits: &LanguageTraits,
        names: &mut NameInterner,
        paths: &PathIndex,
    ) {
        if !has_namespaces(traits) {
            return;
        }
        let package = file.uses.package.map(|package| dotted_name(names.name_text(package)));
        if let Some(package) = &package {
            let full = self.declare_namespace(traits.family, package, names, (at, None), paths);
            self.packages.insert(at, full);
        }
        for (definition, place) in file.uses.definitions.iter().zip(0..) {
            if definition.kind == SymbolKind::Module {
                // A module that a file opens twice has a qualified name like `Name~4f1c` the second time; both are one namespace.
                let qualified_name =
                    dotted_name(file.qualified_name(names, place).split('~').next().unwrap_or_default());
                let full = match &package {
                    Some(package) => format!("{package}.{qualified_name}"),
                    None => qualified_name,
                };
                let full = self.declare_namespace(traits.family, &full, names, (at, Some(place)), paths);
                self.modules.insert(SymbolAt { file: at, place }, full);
            }
        }
        for (namespace, name, place) in self.namespace_symbols(at, file) {
            let members = self.members.entry((traits.family, namespace, name)).or_default();
            paths.insert_symbol(members, SymbolAt { file: at, place });
        }
    }

    pub(in crate::code::graph::resolver) fn remove_file(
        &mut self,
        at: u32,
        file: &FileTables,
        traits: &LanguageTraits,
        names: &NameInterner,
    ) {
        if !has_namespaces(traits) {
            return;
        }
        // Before packages and modules are removed below: namespaces of symbols are found through them.
        for (namespace, name, _) in self.namespace_symbols(at, file) {
            let key = (traits.family, namespace, name);
            if let Some(members) = self.members.get_mut(&key) {
                members.retain(|symbol| symbol.file != at);
            }
        }
        let package = self.packages.remove(&at);
        let places = 0..file.uses.definitions.len() as u32;
        let modules = places.filter_map(|place| self.modules.remove(&SymbolAt { file: at, place }));
        let declared: Vec<u32> = package.into_iter().chain(modules).collect();
        for full in declared {
            if let Some(places) = self.places.get_mut(&(traits.family, full)) {
                places.retain(|(file, _)| *file != at);
            }
            for name in enclosing_names(names.name_text(full)).filter_map(|name| names.find_number(name)) {
                if let Some(count) = self.known.get_mut(&(traits.family, name)) {
                    *count -= 1;
                }
            }
        }
    }

    /// The symbols of a file that are in namespaces: namespace, name and place.
    fn namespace_symbols(&self, at: u32, file: &FileTables) -> Vec<(u32, u32, u32)> {
        let definitions = file.uses.definitions.iter().zip(0..);
        // A member that an extension adds belongs to its type and not to the namespace around the extension.
        let inside = definitions.filter(|(_, place)| !file.is_given(*place)).filter_map(|(definition, place)| {
            let namespace = match definition.parent {
                Some(parent) => self.module_namespace(SymbolAt { file: at, place: parent }),
                None => self.file_namespace(at),
            };
            Some((namespace?, definition.name, place))
        });
        inside.collect()
    }

    fn declare_namespace(
        &mut self,
        family: u32,
        full: &str,
        names: &mut NameInterner,
        at: NamespaceDeclaration,
        paths: &PathIndex,
    ) -> u32 {
        // `a.b.c` makes `a` and `a.b` known as well: a qualified name is followed from its first part.
        for name in enclosing_names(full) {
            *self.known.entry((family, names.intern_name(name))).or_default() += 1;
        }
        let number = names.intern_name(full);
        let places = self.places.entry((family, number)).or_default();
        // Behind declarations of the same file, so that the parts of a file stay in its order.
        let after = places.partition_point(|(file, _)| paths.compare_files(*file, at.0) != Ordering::Greater);
        places.insert(after, at);
        number
    }

    /// The namespaces that a file declares.
    pub(in crate::code::graph::resolver) fn declared_namespaces(&self, at: u32, file: &FileTables) -> Vec<u32> {
        let places = 0..file.uses.definitions.len() as u32;
        let modules = places.filter_map(|place| self.module_namespace(SymbolAt { file: at, place }));
        self.file_namespace(at).into_iter().chain(modules).collect()
    }

    /// The members of a namespace with a name.
    pub(in crate::code::graph::resolver) fn members_named(
        &self,
        family: u32,
        namespace: u32,
        name: u32,
    ) -> &[SymbolAt] {
        self.members.get(&(family, namespace, name)).map(Vec::as_slice).unwrap_or_default()
    }

    /// Where a namespace is declared.
    pub(in crate::code::graph::resolver) fn declaration_places(
        &self,
        family: u32,
        namespace: u32,
    ) -> &[NamespaceDeclaration] {
        self.places.get(&(family, namespace)).map(Vec::as_slice).unwrap_or_default()
    }

    /// The full name of a module inside of a file.
    pub(in crate::code::graph::resolver) fn module_namespace(&self, symbol: SymbolAt) -> Option<u32> {
        self.modules.get(&symbol).copied()
    }

    /// The full name of the package that a whole file is in.
    pub(in crate::code::graph::resolver) fn file_namespace(&self, file: u32) -> Option<u32> {
        self.packages.get(&file).copied()
    }

    pub(in crate::code::graph::resolver) fn is_known(&self, family: u32, namespace: u32) -> bool {
        self.known.get(&(family, namespace)).is_some_and(|count| *count > 0)
    }
}

fn has_namespaces(traits: &LanguageTraits) -> bool {
    matches!(traits.style, ModuleStyle::Namespace | ModuleStyle::Path)
}

/// A full name and all of its prefixes.
pub(in crate::code::graph::resolver) fn enclosing_names(full: &str) -> impl Iterator<Item = &str> {
    std::iter::once(full).chain(full.match_indices('.').map(|(end, _)| &full[..end]))
}

/// A full name with dots between its parts.
pub(in crate::code::graph::resolver) fn dotted_name(name: &str) -> String {
    name.split(['.', ':', '\\', '/']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".")
}
