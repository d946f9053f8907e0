//! Resolves member accesses such as `object.name`: looks the name up in types and their bases, in modules and objects,
//! and in what functions return.

use super::SymbolAt;
use super::evaluator::{ExpressionEvaluator, ExpressionSite};
use super::value::{AbstractValue, ValueSet};
use crate::code::graph::uses::ExpressionNode;
use model::SymbolKind;
use std::collections::HashSet;
use syntax::ModuleStyle;

/// Associated types by which a type can be used as another: `Deref::Target`, `Future::Output`.
const STANDS_FOR: [&str; 2] = ["Target", "Output"];

/// A member of a base may be overridden where the resolver cannot see it.
const INHERITED_CONFIDENCE: u8 = 90;

impl ExpressionEvaluator<'_> {
    /// What a member of an expression refers to.
    pub(super) fn member_of(&mut self, object: u32, name: u32, place: ExpressionSite) -> ValueSet {
        let of = self.evaluate_node(object, place);
        let found = self.with_expectation(false, |this| this.find_member(&of, name));
        let found = self.seen_from(found, place);
        // `self::name` is a path into the module; extraction writes it like `self.name` of an object.
        let is_path = matches!(self.file_tables(place).node_at(object), ExpressionNode::This)
            && self.module_style(place.file) == ModuleStyle::Crate;
        if is_path && !found.is_ours() {
            let around = self.module_around(place);
            let in_module = self.find_member(&around, name);
            if in_module.is_ours() {
                return in_module;
            }
        }
        found
    }

    /// Fields whose type is a type parameter: its bound is stated where the field is used.
    fn seen_from(&mut self, found: ValueSet, place: ExpressionSite) -> ValueSet {
        let [AbstractValue::Bound(file, at)] = found.values[..] else { return found };
        let binding = &self.on.file_tables(file).uses.bindings[at as usize];
        let ExpressionNode::Name(name) = self.on.file_tables(file).node_at(binding.says) else { return found };
        if !binding.is_type || self.module_style(file) != ModuleStyle::Crate {
            return found;
        }
        // `struct Job<T> { task: T }` with `impl<T: Task> Job<T>`: only the `impl` says that `T` has the members of
        // `Task`.
        let value = self.resolve_bindings(found.clone());
        if value.is_ours() {
            return value;
        }
        let named = self.type_name(name, place);
        let here = self.find_instances(named);
        if here.is_ours() { here } else { found }
    }

    /// A member of any of several values. A member that a known value does not have is outside.
    pub(super) fn find_member(&mut self, of: &ValueSet, name: u32) -> ValueSet {
        let mut found = ValueSet::none().at_most(of.sure);
        let mut is_outside = false;
        for value in &of.values {
            let member = match value {
                AbstractValue::File(_) | AbstractValue::Directory(_) | AbstractValue::Namespace(..) => {
                    self.module_member(value, name)
                }
                AbstractValue::Type(of) | AbstractValue::Instance(of) => self.type_member(*of, name),
                AbstractValue::Symbol(symbol) => self.symbol_member(*symbol, name),
                AbstractValue::Holder(_) | AbstractValue::Outside => ValueSet::none(),
                AbstractValue::Bound(..) | AbstractValue::Unknown => ValueSet::unknown(),
            };
            is_outside |= member.is_none();
            found.merge_with(member);
        }
        // An edge can lead only to something of the project, so external values are dropped beside one.
        if found.is_ours() {
            found.values.retain(AbstractValue::is_ours);
        } else if is_outside {
            return ValueSet::outside();
        }
        found
    }

    /// A member of a symbol that is no type: a module inside of a file, an object, the value of a property.
    fn symbol_member(&mut self, symbol: SymbolAt, name: u32) -> ValueSet {
        match self.on.definition(symbol).kind {
            SymbolKind::Module => {
                let own = self.module_member(&AbstractValue::Symbol(symbol), name);
                let family = self.on.language_traits(symbol.file).map(|traits| traits.family);
                match (self.on.namespaces.module_namespace(symbol), family) {
                    (Some(namespace), Some(family)) => {
                        own.or_else(|| self.module_member(&AbstractValue::Namespace(family, namespace), name))
                    }
                    _ => own,
                }
            }
            SymbolKind::Function | SymbolKind::Method => {
                let own = self.type_member(symbol, name);
                // `user.address.city` where `address` is a property (Python, Kotlin): a member of what the function
                // returns.
                own.or_else(|| {
                    let given = self.return_type(symbol, None);
                    if given
                        .values
                        .iter()
                        .any(|value| matches!(value, AbstractValue::Symbol(_) | AbstractValue::Unknown))
                    {
                        return ValueSet::unknown();
                    }
                    self.find_member(&given, name)
                })
            }
            SymbolKind::Constant | SymbolKind::Field if !self.is_object(symbol) => ValueSet::unknown(),
            SymbolKind::Class
            | SymbolKind::Struct
            | SymbolKind::Enum
            | SymbolKind::Interface
            | SymbolKind::Trait
            | SymbolKind::Type
            | SymbolKind::Macro
            | SymbolKind::Constant
            | SymbolKind::Field
            | SymbolKind::Section => self.type_member(symbol, name),
        }
    }

    /// A member of a type: its own, then those of its bases. None where it has no such member.
    pub(super) fn type_member(&mut self, of: SymbolAt, name: u32) -> ValueSet {
        self.with_fuel(|this| {
            let mut seen = HashSet::new();
            this.find_inherited(of, name, &mut seen)
        })
    }

    fn find_inherited(&mut self, of: SymbolAt, name: u32, seen: &mut HashSet<SymbolAt>) -> ValueSet {
        // Bases may form a ring: `class A(B)` and `class B(A)`.
        if !seen.insert(of) {
            return ValueSet::none();
        }
        let parts = self.type_parts(of);
        for part in &parts {
            let own = self.own_member(*part, name);
            if !own.is_none() {
                return own;
            }
        }
        if let Some((file, binding)) = self.alias_binding(of) {
            let meant = self.resolve_bindings(ValueSet::one(AbstractValue::Bound(file, binding)));
            for value in meant.values {
                if let AbstractValue::Instance(other) | AbstractValue::Type(other) = value {
                    let found = self.find_inherited(other, name, seen);
                    if !found.is_none() {
                        return found;
                    }
                }
            }
        }
        let bases: Vec<SymbolAt> = parts.iter().flat_map(|part| self.base_types(*part)).collect();
        // An external base may have the member; a base of the project that shows it comes before that.
        let mut may_be_outside = parts.iter().any(|part| self.is_open(*part));
        for base in bases {
            // `struct Server { Logger }` (Go): an embedded type is a field with the name of the type.
            if self.on.definition(base).name == name {
                return ValueSet::one(AbstractValue::Instance(base));
            }
            let found = self.find_inherited(base, name, seen);
            let is_outside = found.values.iter().all(|value| matches!(value, AbstractValue::Outside));
            if !found.is_none() && !is_outside {
                return found.at_most(INHERITED_CONFIDENCE);
            }
            may_be_outside |= !found.is_none();
        }
        // `impl Deref for Guard { type Target = Store; }`: the members of `Store` are reached through `Guard`.
        let may_stand = self.module_style(of.file) == ModuleStyle::Crate;
        for stands_for in STANDS_FOR.iter().filter(|_| may_stand).filter_map(|name| self.on.names.find_number(name)) {
            for (file, at) in self.fields_named(of, stands_for) {
                for other in self
                    .resolve_bindings(ValueSet::one(AbstractValue::Bound(file, at)))
                    .values
                    .iter()
                    .filter_map(AbstractValue::symbol)
                {
                    let found = self.find_inherited(other, name, seen);
                    if !found.is_none() {
                        return found.at_most(INHERITED_CONFIDENCE);
                    }
                }
            }
        }
        if may_be_outside { ValueSet::outside() } else { ValueSet::none() }
    }

    /// A type, and the types of the same name beside it: parts of a partial class, a companion object.
    fn type_parts(&self, of: SymbolAt) -> Vec<SymbolAt> {
        let SymbolAt { file, place: at } = of;
        let mut parts = vec![of];
        if self.module_style(file) == ModuleStyle::Namespace {
            let tables = self.on.file_tables(file);
            let definition = &tables.uses.definitions[at as usize];
            let all = tables.definitions_named(definition.parent, definition.name).filter(|other| *other != at);
            let types = all.filter(|other| tables.uses.definitions[*other as usize].kind.is_type());
            parts.extend(types.map(|other| SymbolAt::new(file, other)));
            let namespace = match definition.parent {
                Some(parent) => self.on.namespaces.module_namespace(SymbolAt::new(file, parent)),
                None => self.on.namespaces.file_namespace(file),
            };
            if let (Some(namespace), Some(traits)) = (namespace, self.on.language_traits(file)) {
                let elsewhere = self.on.namespaces.members_named(traits.family, namespace, definition.name);
                // `partial class` (C#): the parts of a type may be in several files.
                let elsewhere = elsewhere.iter().filter(|other| self.on.definition(**other).kind.is_type());
                parts.extend(elsewhere.filter(|other| other.file != file));
            }
        }
        parts
    }

    /// Whether two symbols are one definition, written twice for different targets.
    fn is_same(&self, a: SymbolAt, b: SymbolAt) -> bool {
        // The second `fn open` of a file, under another `#[cfg]`, has a qualified name like `open~4f1c`.
        let qualified_name = |symbol| self.on.qualified_name(symbol).split('~').next().map(str::to_owned);
        a.file == b.file && qualified_name(a) == qualified_name(b)
    }

    pub(super) fn own_member(&mut self, of: SymbolAt, name: u32) -> ValueSet {
        let mut all = self.members_named(of, name);
        all.retain(|symbol| !self.on.is_constructor(*symbol));
        let first_counts = self.module_style(of.file) == ModuleStyle::Crate;
        // Rust: the first of several `#[cfg]` variants. C++: a definition before its prototypes. Elsewhere a later
        // definition replaces an earlier one.
        let mut chosen = match self.module_style(of.file) {
            ModuleStyle::Crate => all.first().copied(),
            ModuleStyle::Path => all.iter().copied().max_by_key(|symbol| !self.on.definition(*symbol).is_prototype),
            ModuleStyle::None
            | ModuleStyle::Specifier
            | ModuleStyle::Dotted
            | ModuleStyle::Directory
            | ModuleStyle::Namespace => all.last().copied(),
        };
        // Two traits of one type may have a method of the same name. Argument types decide, which the resolver does not
        // compare; but a method in the type itself comes first.
        if let Some(symbol) = chosen.filter(|_| first_counts)
            && all.iter().any(|other| !self.is_same(symbol, *other))
        {
            chosen = all.iter().copied().find(|symbol| self.member_owner(*symbol).is_none());
            if chosen.is_none() {
                return ValueSet::outside();
            }
        }
        // A field is what its bindings state: `user: User` leads to `User`, not to the field's symbol.
        let is_value =
            |symbol: SymbolAt| matches!(self.on.definition(symbol).kind, SymbolKind::Constant | SymbolKind::Field);
        if let Some(symbol) = chosen.filter(|symbol| !is_value(*symbol)) {
            return self.symbol_value(symbol);
        }
        let mut fields = self.fields_named(of, name);
        // `self.x = self.x or default()`: a binding in progress says nothing about itself.
        fields.retain(|(file, at)| !self.is_asked(*file, *at));
        // `Kind.ROUND`: a listed value is an instance of its enumeration.
        if !fields.is_empty() && self.on.definition(of).kind == SymbolKind::Enum {
            return ValueSet::one(AbstractValue::Instance(of));
        }
        let is_typed = |(file, at): &&(u32, u32)| self.on.file_tables(*file).uses.bindings[*at as usize].is_type;
        match fields.iter().find(is_typed) {
            Some((file, at)) => ValueSet::one(AbstractValue::Bound(*file, *at)),
            None if fields.is_empty() => chosen.map_or_else(ValueSet::none, |symbol| self.symbol_value(symbol)),
            None => ValueSet::from_values(fields.into_iter().map(|(file, at)| AbstractValue::Bound(file, at))),
        }
    }
}
