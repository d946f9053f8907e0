//! The member table of the resolver: what files state about types, by type: members from extensions and `impl` blocks,
//! fields, and base types. Members that are written in their type are kept with its file (`file_tables.rs`).

use super::evaluator::ExpressionEvaluator;
use super::names::QuickMap;
use super::paths::PathIndex;
use super::{InferenceStage, Resolver, SymbolAt};
use model::SymbolKind;
use std::cmp::Ordering::Greater;
use syntax::ModuleStyle;

/// What files state about types. Equal names, and bases, are in the order of the paths of the stating files.
#[derive(Default)]
pub(super) struct MemberTable {
    /// Names and symbols of members that extensions add to a type.
    given: QuickMap<SymbolAt, Vec<(u32, SymbolAt)>>,
    /// The bindings of fields.
    fields: QuickMap<SymbolAt, Vec<FieldBinding>>,
    /// The bases and interfaces of a type, `None` for one from outside of the project; with the file that states it.
    bases: QuickMap<SymbolAt, Vec<(u32, Option<SymbolAt>)>>,
}

#[derive(Clone, Copy)]
struct FieldBinding {
    name: u32,
    file: u32,
    binding: u32,
}

/// What one file states about types.
#[derive(Default)]
pub(super) struct TypeContributions {
    /// Type, name and symbol of members that extensions add.
    pub(super) given: Vec<(SymbolAt, u32, SymbolAt)>,
    /// Type and name of fields, and the place of their binding.
    pub(super) fields: Vec<(SymbolAt, u32, u32)>,
}

impl MemberTable {
    pub(super) fn add_said(&mut self, file: u32, said: &TypeContributions, paths: &PathIndex) {
        for &(of, name, symbol) in &said.given {
            let list = self.given.entry(of).or_default();
            // `Greater` compares above every entry of the same name and place, so equal ones keep the order of the
            // file.
            let is_before =
                |(other, known): &(u32, SymbolAt)| (*other, paths.compare_symbols(*known, symbol)) < (name, Greater);
            list.insert(list.partition_point(is_before), (name, symbol));
        }
        for &(of, name, binding) in &said.fields {
            let list = self.fields.entry(of).or_default();
            let is_before =
                |other: &FieldBinding| (other.name, paths.compare_files(other.file, file)) < (name, Greater);
            list.insert(list.partition_point(is_before), FieldBinding { name, file, binding });
        }
    }

    pub(super) fn remove_said(&mut self, file: u32, said: &TypeContributions) {
        for (of, ..) in &said.given {
            remove_entries(&mut self.given, *of, |(_, symbol)| symbol.file == file);
        }
        for (of, ..) in &said.fields {
            remove_entries(&mut self.fields, *of, |field| field.file == file);
        }
    }

    pub(super) fn add_bases(&mut self, file: u32, bases: &[(SymbolAt, Option<SymbolAt>)], paths: &PathIndex) {
        for &(of, base) in bases {
            let list = self.bases.entry(of).or_default();
            let at = list.partition_point(|(by, _)| paths.compare_files(*by, file) != Greater);
            list.insert(at, (file, base));
        }
    }

    pub(super) fn remove_bases(&mut self, file: u32, bases: &[(SymbolAt, Option<SymbolAt>)]) {
        for (of, _) in bases {
            remove_entries(&mut self.bases, *of, |(by, _)| *by == file);
        }
    }
}

fn remove_entries<T>(map: &mut QuickMap<SymbolAt, Vec<T>>, of: SymbolAt, is_meant: impl Fn(&T) -> bool) {
    if let Some(list) = map.get_mut(&of) {
        list.retain(|item| !is_meant(item));
        if list.is_empty() {
            map.remove(&of);
        }
    }
}

/// The part of a list in order of names that has one of them.
fn entries_named<T>(list: &[T], name: u32, name_of: impl Fn(&T) -> u32) -> &[T] {
    let start = list.partition_point(|item| name_of(item) < name);
    let length = list[start..].partition_point(|item| name_of(item) == name);
    &list[start..start + length]
}

fn entries_of<T>(map: &QuickMap<SymbolAt, Vec<T>>, type_: SymbolAt) -> &[T] {
    map.get(&type_).map(Vec::as_slice).unwrap_or_default()
}

impl Resolver {
    /// The type that a definition is a member of, or is inside of a member of.
    pub(super) fn type_around(&self, file: u32, within: u32, sees: InferenceStage) -> Option<SymbolAt> {
        let tables = self.file_tables(file);
        let mut at = Some(within);
        while let Some(here) = at {
            let definition = &tables.uses.definitions[here as usize];
            if definition.kind.is_type() {
                return Some(SymbolAt { file, place: here });
            }
            if let Some(owner) = tables.member_owner(here).filter(|_| sees >= InferenceStage::Given) {
                return Some(owner);
            }
            let holds = |at: &u32| {
                let kind = tables.uses.definitions[*at as usize].kind;
                kind.is_type() || kind == SymbolKind::Constant
            };
            if let Some(container) = definition.container.filter(holds) {
                return Some(SymbolAt { file, place: container });
            }
            at = definition.parent;
        }
        // `function User() { this.name = … }` (JavaScript): the function is the type of the object that it creates.
        (self.module_style(file) == ModuleStyle::Specifier).then_some(SymbolAt { file, place: within })
    }
}

impl ExpressionEvaluator<'_> {
    /// The members with a name that a type has itself, in order.
    pub(super) fn members_named(&self, type_: SymbolAt, name: u32) -> Vec<SymbolAt> {
        let own = self.on.file_tables(type_.file).members_named(type_.place, name);
        let mut all: Vec<SymbolAt> = own.map(|place| SymbolAt { place, ..type_ }).collect();
        if self.sees >= InferenceStage::Given {
            let own = all.len();
            let given = entries_named(entries_of(&self.on.members.given, type_), name, |(called, _)| *called);
            all.extend(given.iter().map(|(_, symbol)| *symbol));
            // The type's own members are in order; sorting is needed only once others join them.
            if all.len() > own.max(1) {
                all.sort_by(|a, b| self.on.paths.compare_symbols(*a, *b));
                all.dedup();
            }
        }
        all
    }

    /// The bindings of a field that a type has itself: files and places.
    pub(super) fn fields_named(&self, type_: SymbolAt, name: u32) -> Vec<(u32, u32)> {
        let fields = if self.sees >= InferenceStage::Given { entries_of(&self.on.members.fields, type_) } else { &[] };
        entries_named(fields, name, |field| field.name).iter().map(|field| (field.file, field.binding)).collect()
    }

    /// The bases and interfaces of a type that are in the project, in the order they are written.
    pub(super) fn base_types(&self, type_: SymbolAt) -> Vec<SymbolAt> {
        let mut bases = Vec::new();
        for base in self.said_bases(type_).iter().filter_map(|(_, base)| *base) {
            // Several blocks may state one base, and a base that resolves to the type itself would be a ring.
            if base != type_ && !bases.contains(&base) {
                bases.push(base);
            }
        }
        bases
    }

    /// Whether a type may inherit members from outside of the project.
    pub(super) fn is_open(&self, type_: SymbolAt) -> bool {
        self.said_bases(type_).iter().any(|(_, base)| base.is_none())
    }

    /// Whether a symbol has members at all.
    pub(super) fn has_members(&self, symbol: SymbolAt) -> bool {
        let members = &self.on.members;
        let is_given =
            || !entries_of(&members.given, symbol).is_empty() || !entries_of(&members.fields, symbol).is_empty();
        self.on.file_tables(symbol.file).has_members(symbol.place) || (self.sees >= InferenceStage::Given && is_given())
    }

    /// The type of a member that is not written in it.
    pub(super) fn member_owner(&self, member: SymbolAt) -> Option<SymbolAt> {
        self.on.file_tables(member.file).member_owner(member.place).filter(|_| self.sees >= InferenceStage::Given)
    }

    fn said_bases(&self, type_: SymbolAt) -> &[(u32, Option<SymbolAt>)] {
        if self.sees == InferenceStage::All { entries_of(&self.on.members.bases, type_) } else { &[] }
    }
}
