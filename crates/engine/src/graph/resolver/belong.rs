//! Members: of types through what they are made from, of modules, of what a function gives back.

use super::evaluate::{Evaluation, Place};
use super::value::{Known, Value};
use crate::graph::uses::Node;
use model::SymbolKind;
use std::collections::HashSet;
use syntax::ModuleStyle;

/// A member of a base may be hidden by something that resolution does not see.
const INHERITED: u8 = 90;

impl Evaluation<'_> {
    /// What a member of an expression stands for.
    pub(super) fn member_of(&mut self, object: u32, name: u32, place: Place) -> Known {
        let of = self.value(object, place);
        let found = self.wanting(false, |this| this.member(&of, name));
        // `self::name` is said of modules as well as of objects.
        let is_path =
            matches!(self.file(place).node(object), Node::This) && self.style(place.file) == ModuleStyle::Crate;
        if is_path && !found.is_ours() {
            let around = self.module_around(place);
            let in_module = self.member(&around, name);
            if in_module.is_ours() {
                return in_module;
            }
        }
        found
    }

    /// A member of any of several values. What is known not to have it is outside of what can be followed.
    pub(super) fn member(&mut self, of: &Known, name: u32) -> Known {
        let mut found = Known::none().at_most(of.sure);
        let mut is_outside = false;
        for value in &of.values {
            let member = match value {
                Value::File(_) | Value::Directory(_) | Value::Namespace(_) => self.module_member(value, name),
                Value::Type(of) | Value::Instance(of) => self.type_member(*of, name),
                Value::Symbol(symbol) => self.symbol_member(*symbol, name),
                Value::Holder(_) | Value::Outside => Known::none(),
                Value::Bound(..) | Value::Unknown => Known::unknown(),
            };
            is_outside |= member.is_none();
            found.join(member);
        }
        if found.is_ours() {
            found.values.retain(Value::is_ours);
        } else if is_outside {
            return Known::outside();
        }
        found
    }

    /// A member of something that is no type: a module inside a file, an object, what a property gives.
    fn symbol_member(&mut self, symbol: u32, name: u32) -> Known {
        match self.on.definition(symbol).kind {
            SymbolKind::Module => self.module_member(&Value::Symbol(symbol), name),
            SymbolKind::Function | SymbolKind::Method => {
                let own = self.type_member(symbol, name);
                own.or_else(|| {
                    let given = self.result(symbol, None);
                    if given.values.iter().any(|value| matches!(value, Value::Symbol(_) | Value::Unknown)) {
                        return Known::unknown();
                    }
                    self.member(&given, name)
                })
            }
            SymbolKind::Constant | SymbolKind::Field if !self.is_object(symbol) => Known::unknown(),
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

    /// A member of a type: its own, then those of what it is made from. Nothing where it has none.
    pub(super) fn type_member(&mut self, of: u32, name: u32) -> Known {
        self.deeper(|this| {
            let mut seen = HashSet::new();
            this.inherited(of, name, &mut seen)
        })
    }

    fn inherited(&mut self, of: u32, name: u32, seen: &mut HashSet<u32>) -> Known {
        if !seen.insert(of) {
            return Known::none();
        }
        let own = self.own_member(of, name);
        if !own.is_none() {
            return own;
        }
        if let Some((file, binding)) = self.alias(of) {
            let meant = self.expand(Known::one(Value::Bound(file, binding)));
            for value in meant.values {
                if let Value::Instance(other) | Value::Type(other) = value {
                    let found = self.inherited(other, name, seen);
                    if !found.is_none() {
                        return found;
                    }
                }
            }
        }
        let bases: Vec<u32> = self.on.members.bases(of).collect();
        for base in bases {
            // What is embedded goes by the name of its type.
            if self.on.definition(base).name == name {
                return Known::one(Value::Instance(base));
            }
            let found = self.inherited(base, name, seen);
            if !found.is_none() {
                return found.at_most(INHERITED);
            }
        }
        if self.on.members.is_open(of) {
            return Known::outside();
        }
        // One of the values that an enumeration lists.
        if self.on.definition(of).kind == SymbolKind::Enum { Known::one(Value::Type(of)) } else { Known::none() }
    }

    fn own_member(&mut self, of: u32, name: u32) -> Known {
        let members = &self.on.members;
        let mut all = members.of(of, name);
        let (file, _) = self.on.place(of);
        let first_counts = self.style(file) == ModuleStyle::Crate;
        let chosen = if first_counts { all.next() } else { all.next_back() };
        if let Some(symbol) = chosen {
            return self.thing(symbol);
        }
        let fields = members.fields(of, name).filter(|(file, at)| !self.is_asked(*file, *at));
        let fields: Vec<(u32, u32)> = fields.collect();
        let is_typed = |(file, at): &&(u32, u32)| self.on.file(*file).uses.bindings[*at as usize].is_type;
        match fields.iter().find(is_typed) {
            Some((file, at)) => Known::one(Value::Bound(*file, *at)),
            None => Known::many(fields.into_iter().map(|(file, at)| Value::Bound(file, at))),
        }
    }
}
