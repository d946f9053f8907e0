//! The expression evaluator of type inference: which abstract values (types, instances, functions, modules) an
//! expression can have, as far as the text of the project shows them. Nothing is run and nothing is assumed: where an
//! expression leaves the known code, its value is unknown or outside of the project. Values of variables, results and
//! imports are cached for the next question; a question that leads to itself has no answer.

use super::file_tables::FileTables;
use super::includes::IncludeClosure;
use super::language_traits::LanguageTraits;
use super::names::QuickMap;
use super::value::{AbstractValue, INFERRED_CONFIDENCE, ValueSet};
use super::{InferenceStage, Resolver, SymbolAt};
use crate::code::graph::uses::{ExpressionNode, InternedExtension};
use model::SymbolKind;
use std::collections::HashSet;
use std::rc::Rc;
use syntax::ModuleStyle;

/// The place of an expression in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExpressionSite {
    pub(super) file: u32,
    /// The innermost definition around it.
    pub(super) within: Option<u32>,
    pub(super) line: u32,
}

/// Answers questions about one file, one after the other.
pub(super) struct ExpressionEvaluator<'r> {
    pub(super) on: &'r Resolver,
    /// How many stages of type inference are complete.
    pub(super) sees: InferenceStage,
    bound: QuickMap<(u32, u32, bool), Option<ValueSet>>,
    results: QuickMap<SymbolAt, Option<ValueSet>>,
    pub(super) imports: QuickMap<(u32, u32, bool), Option<ValueSet>>,
    /// Files that each file brings in by including all of others.
    pub(super) reach: QuickMap<u32, Option<Rc<IncludeClosure>>>,
    /// Whether a type is expected, where a name may be a type and a value.
    pub(super) wants_type: bool,
    /// The file whose uses are asked about.
    pub(super) asking: Option<u32>,
    /// Steps that are left to the current question.
    fuel: u32,
    depth: u32,
}

/// Enough for everything people write; generated code and rings of aliases end here.
const FUEL: u32 = 2_000;
const MAX_EVALUATION_DEPTH: u32 = 60;

impl<'r> ExpressionEvaluator<'r> {
    pub(super) fn new(on: &'r Resolver, sees: InferenceStage) -> Self {
        let bound = QuickMap::default();
        let results = QuickMap::default();
        let imports = QuickMap::default();
        let reach = QuickMap::default();
        Self { on, sees, bound, results, imports, reach, wants_type: false, asking: None, fuel: FUEL, depth: 0 }
    }

    /// The same, for the uses of one file: what it includes decides between names of a namespace.
    pub(super) fn of_file(on: &'r Resolver, sees: InferenceStage, file: u32) -> Self {
        Self { asking: Some(file), ..Self::new(on, sees) }
    }

    /// Starts a new question.
    pub(super) fn reset_fuel(&mut self) {
        self.fuel = FUEL;
    }

    /// The possible values of an expression.
    pub(super) fn evaluate_node(&mut self, node: u32, place: ExpressionSite) -> ValueSet {
        let raw = self.with_expectation(false, |this| this.evaluate_raw(node, place));
        self.resolve_bindings(raw)
    }

    /// The same, with variables as bindings that are not evaluated yet.
    pub(super) fn evaluate_raw(&mut self, node: u32, place: ExpressionSite) -> ValueSet {
        self.with_fuel(|this| match this.file_tables(place).node_at(node) {
            ExpressionNode::Name(name) if this.wants_type => this.type_name(name, place),
            ExpressionNode::Name(name) => this.resolve_name(name, place),
            ExpressionNode::Member(object, name) => this.member_of(object, name, place),
            ExpressionNode::Call(function) => this.evaluate_call(function, place),
            // `new Foo()` is a `Foo`, whatever its constructor says about a result.
            ExpressionNode::New(of) => this.evaluate_type(of, place),
            ExpressionNode::Of(of, _) | ExpressionNode::Item(of) => {
                let whole = this.evaluate_node(of, place);
                // Rust's transparent types (`Option<User>`, `Arc<User>`) are evaluated as their argument, so an item of
                // one is still a `User`; in other languages the item of a plain instance is unknown.
                let is_kept = this.module_style(place.file) == ModuleStyle::Crate;
                this.underlying_values(whole).item_values(is_kept)
            }
            ExpressionNode::Either(first, rest) => {
                let mut either = this.evaluate_node(first, place);
                either.merge_with(this.evaluate_node(rest, place));
                either
            }
            ExpressionNode::This => this.this_value(place),
            ExpressionNode::Super => this.super_value(place),
            ExpressionNode::Literal | ExpressionNode::Builtin(_) => ValueSet::outside(),
            ExpressionNode::List(..) | ExpressionNode::Unknown => ValueSet::unknown(),
        })
    }

    /// An instance of the type that an expression names.
    pub(super) fn evaluate_type(&mut self, node: u32, place: ExpressionSite) -> ValueSet {
        self.with_fuel(|this| match this.file_tables(place).node_at(node) {
            ExpressionNode::Name(name) => {
                let named = this.type_name(name, place);
                this.find_instances(named)
            }
            ExpressionNode::Of(of, arguments) => this.evaluate_generic(of, arguments, place),
            ExpressionNode::Either(first, rest) => {
                let mut either = this.evaluate_type(first, place);
                either.merge_with(this.evaluate_type(rest, place));
                either
            }
            ExpressionNode::This => this.this_value(place),
            ExpressionNode::Member(object, name) => {
                let of = this.evaluate_node(object, place);
                let named = this.with_expectation(true, |this| this.find_member(&of, name));
                this.find_instances(named)
            }
            // A value in the place of a type, as Python allows: `class A(make_base())`.
            ExpressionNode::Call(_) | ExpressionNode::New(_) | ExpressionNode::Item(_) | ExpressionNode::Super => {
                let raw = this.evaluate_raw(node, place);
                this.find_instances(raw)
            }
            ExpressionNode::Literal | ExpressionNode::Builtin(_) => ValueSet::outside(),
            ExpressionNode::List(..) | ExpressionNode::Unknown => ValueSet::unknown(),
        })
    }

    /// An instance of the type that another one names as its base.
    pub(super) fn base_value(&mut self, node: u32, place: ExpressionSite) -> ValueSet {
        // `implements Supplier<User>` (Java) makes nothing a `User`, although a `Supplier<User>` is used like one.
        let is_nominal = self.module_style(place.file) == ModuleStyle::Namespace;
        if let ExpressionNode::Of(head, _) = self.file_tables(place).node_at(node)
            && is_nominal
        {
            return self.evaluate_type(head, place);
        }
        self.evaluate_type(node, place)
    }

    /// A generic type: a type of the project is itself; a type from outside becomes a holder of its arguments.
    fn evaluate_generic(&mut self, of: u32, arguments: u32, place: ExpressionSite) -> ValueSet {
        let head = self.evaluate_type(of, place);
        // The resolver substitutes no type arguments: `Repository<User>` of the project has the members of
        // `Repository`.
        if head.values.iter().any(|value| matches!(value, AbstractValue::Instance(_) | AbstractValue::Type(_))) {
            return head;
        }
        let file = self.file_tables(place);
        let last_name = if let ExpressionNode::Name(name) | ExpressionNode::Member(_, name) = file.node_at(of) {
            Some(name)
        } else {
            None
        };
        let mut list = Vec::new();
        let mut rest = arguments;
        while let ExpressionNode::List(first, more) = file.node_at(rest) {
            list.push(first);
            rest = more;
        }
        list.push(rest);
        let mut inner = ValueSet::none();
        for argument in list {
            inner.merge_with(self.evaluate_type(argument, place));
        }
        let is_among = |names: &HashSet<u32>| last_name.is_some_and(|name| names.contains(&name));
        let traits = self.on.language_traits(place.file);
        if traits.is_some_and(|traits| is_among(&traits.transparent)) {
            inner
        } else if traits.is_some_and(|traits| is_among(&traits.metatypes)) {
            inner.into_types()
        } else {
            ValueSet { values: vec![AbstractValue::Holder(inner.values)], sure: inner.sure }
        }
    }

    /// Replaces types by instances of them.
    pub(super) fn find_instances(&mut self, known: ValueSet) -> ValueSet {
        let sure = known.sure;
        let mut found = ValueSet::none().at_most(sure);
        for value in known.values {
            match value {
                AbstractValue::Type(of) => found.merge_with(self.instance_of(of)),
                AbstractValue::Bound(file, binding) => found.merge_with(self.evaluate_binding(file, binding, true)),
                AbstractValue::Symbol(symbol) if self.is_object(symbol) => {
                    found.add_value(AbstractValue::Symbol(symbol));
                }
                AbstractValue::Symbol(_) | AbstractValue::Directory(_) | AbstractValue::Namespace(..) => {
                    found.add_value(AbstractValue::Unknown);
                }
                // A Zig file is a struct, so a file may be used as a type.
                AbstractValue::File(_)
                | AbstractValue::Instance(_)
                | AbstractValue::Holder(_)
                | AbstractValue::Outside
                | AbstractValue::Unknown => {
                    found.add_value(value);
                }
            }
        }
        found
    }

    /// An instance of a type, or of the type that it is an alias of.
    fn instance_of(&mut self, of: SymbolAt) -> ValueSet {
        // `type UserID string` (Go) with methods of its own is a type; without any it is only another name for its
        // base.
        match self.alias_binding(of).filter(|_| !self.has_members(of)) {
            Some((file, binding)) => {
                self.evaluate_binding(file, binding, true).or_else(|| ValueSet::one(AbstractValue::Instance(of)))
            }
            None => ValueSet::one(AbstractValue::Instance(of)),
        }
    }

    /// Replaces instances of an alias by instances of the type that it is made of.
    fn underlying_values(&mut self, known: ValueSet) -> ValueSet {
        let mut found = ValueSet::none().at_most(known.sure);
        for value in known.values {
            let made_of = if let AbstractValue::Instance(of) = value { self.alias_binding(of) } else { None };
            match made_of {
                Some((file, binding)) => found.merge_with(self.evaluate_binding(file, binding, true)),
                None => found.add_value(value),
            }
        }
        found
    }

    /// The binding that states what a type is an alias of or made of.
    pub(super) fn alias_binding(&self, of: SymbolAt) -> Option<(u32, u32)> {
        let definition = self.on.definition(of);
        if definition.kind != SymbolKind::Type {
            return None;
        }
        let file = of.file;
        let mut said = self.on.file_tables(file).bindings_named(definition.parent, definition.name);
        said.find(|at| self.on.file_tables(file).uses.bindings[*at as usize].is_type).map(|binding| (file, binding))
    }

    /// Replaces variables by their values.
    pub(super) fn resolve_bindings(&mut self, known: ValueSet) -> ValueSet {
        if !known.values.iter().any(|value| matches!(value, AbstractValue::Bound(..))) {
            return known;
        }
        let mut found = ValueSet::none().at_most(known.sure);
        for value in known.values {
            if let AbstractValue::Bound(file, binding) = value {
                found.merge_with(self.evaluate_binding(file, binding, false));
            } else {
                found.add_value(value);
            }
        }
        found
    }

    /// The value of a variable, or an instance of the type that is declared for it.
    fn evaluate_binding(&mut self, file: u32, at: u32, as_type: bool) -> ValueSet {
        let key = (file, at, as_type);
        if let Some(known) = self.bound.get(&key) {
            return known.clone().unwrap_or_else(ValueSet::none);
        }
        // `None` marks a binding in progress: `x = f(x)` would otherwise recurse until the fuel is spent.
        self.bound.insert(key, None);
        let binding = &self.on.file_tables(file).uses.bindings[at as usize];
        let place = ExpressionSite { file, within: binding.within, line: binding.line };
        let known = if binding.is_type || as_type {
            self.evaluate_type(binding.says, place)
        } else {
            // One assignment does not exclude others, so a value is less sure than a declared type.
            self.evaluate_node(binding.says, place).at_most(INFERRED_CONFIDENCE)
        };
        self.bound.insert(key, Some(known.clone()));
        known
    }

    /// Whether the evaluation of a variable is in progress.
    pub(super) fn is_asked(&self, file: u32, at: u32) -> bool {
        [true, false].iter().any(|as_type| matches!(self.bound.get(&(file, at, *as_type)), Some(None)))
    }

    /// What a call of an expression returns.
    fn evaluate_call(&mut self, function: u32, place: ExpressionSite) -> ValueSet {
        let mut receiver = None;
        let mut name = None;
        if let ExpressionNode::Member(object, member) = self.file_tables(place).node_at(function) {
            (receiver, name) = (Some(self.evaluate_node(object, place)), Some(member));
        }
        let called = self.evaluate_node(function, place);
        let is_this = matches!(self.file_tables(place).node_at(function), ExpressionNode::This);
        let on = receiver.as_ref().and_then(|receiver| receiver.values.first());
        let mut found = ValueSet::none().at_most(called.sure);
        for value in called.values {
            // `const f = require("./f"); f()`: a call of a module calls its default export.
            if let AbstractValue::File(file) = value {
                let offered = self.default_export(file);
                for value in self.resolve_bindings(offered).values {
                    found.merge_with(self.call_result(&value, None));
                }
            } else if is_this && matches!(value, AbstractValue::Instance(_)) {
                // `Self(…)` in Rust, `cls(…)` in Python: calling the name of the own type makes an instance of it.
                found.add_value(value);
            } else {
                found.merge_with(self.call_result(&value, on));
            }
        }
        let passes = |traits: &LanguageTraits| name.is_some_and(|name| traits.passing.contains(&name));
        // `apply { … }` in Kotlin without a receiver returns the surrounding object.
        if let ExpressionNode::Name(name) = self.file_tables(place).node_at(function)
            && !found.is_ours()
            && self.on.language_traits(place.file).is_some_and(|it| it.has_implicit_this && it.passing.contains(&name))
        {
            return self.this_value(place);
        }
        // `unwrap`, `filter`: such a library method is not in the index, but returns its receiver or an item of it.
        match receiver {
            Some(receiver) if !found.is_ours() && self.on.language_traits(place.file).is_some_and(passes) => {
                receiver.with_inner()
            }
            _ => found,
        }
    }

    /// What a call of a value returns.
    fn call_result(&mut self, value: &AbstractValue, on: Option<&AbstractValue>) -> ValueSet {
        match value {
            AbstractValue::Type(of) => self.instance_of(*of),
            AbstractValue::Symbol(symbol) => self.result_of(*symbol, on),
            AbstractValue::Outside => ValueSet::outside(),
            // `Kind::Round(1)`: a listed value of an enumeration is called like a function and makes the enumeration.
            AbstractValue::Instance(of) if self.on.definition(*of).kind == SymbolKind::Enum => {
                ValueSet::one(value.clone())
            }
            AbstractValue::Instance(_)
            | AbstractValue::Holder(_)
            | AbstractValue::File(_)
            | AbstractValue::Directory(_)
            | AbstractValue::Namespace(..)
            | AbstractValue::Bound(..)
            | AbstractValue::Unknown => ValueSet::unknown(),
        }
    }

    /// What a function returns: the declared type, or else the values of its return expressions.
    pub(super) fn return_type(&mut self, function: SymbolAt, receiver: Option<&AbstractValue>) -> ValueSet {
        let SymbolAt { file, place: at } = function;
        let uses = &self.on.file_tables(file).uses;
        let start = uses.returns.partition_point(|(symbol, _)| *symbol < at);
        let said = uses.returns.get(start).filter(|(symbol, _)| *symbol == at).map(|(_, says)| *says);
        // `-> Self` declared in a base returns the type of the receiver: `Child::new()` is a `Child`. The answer
        // depends on the receiver, so it is given before the cache is asked.
        if let (Some(said), Some(AbstractValue::Instance(of) | AbstractValue::Type(of))) = (said, receiver)
            && matches!(uses.nodes[said as usize], ExpressionNode::This)
        {
            return ValueSet::one(AbstractValue::Instance(*of));
        }
        if let Some(known) = self.results.get(&function) {
            return known.clone().unwrap_or_else(ValueSet::unknown);
        }
        // A recursive function without a declared type meets this mark and is unknown to itself.
        self.results.insert(function, None);
        // Return expressions are read as of the last line, where all variables of the function are known.
        let place = ExpressionSite { file, within: Some(at), line: uses.definitions[at as usize].lines.1 };
        let known = if let Some(said) = said {
            self.evaluate_type(said, place)
        } else {
            let start = uses.results.partition_point(|(symbol, _)| *symbol < at);
            let seen = uses.results[start..].iter().take_while(|(symbol, _)| *symbol == at);
            let mut known = ValueSet::none();
            for (_, says) in seen {
                known.merge_with(self.evaluate_node(*says, place).at_most(INFERRED_CONFIDENCE));
            }
            known.or_else(ValueSet::unknown)
        };
        self.results.insert(function, Some(known.clone()));
        known
    }

    /// The object that the code at a place belongs to: `this`, `self`.
    pub(super) fn this_value(&mut self, place: ExpressionSite) -> ValueSet {
        let of = place.within.and_then(|within| self.on.type_around(place.file, within, self.sees));
        match of {
            Some(of) if self.is_object(of) => ValueSet::one(AbstractValue::Symbol(of)),
            Some(of) => ValueSet::one(AbstractValue::Instance(of)),
            // A Zig file is a struct: code in no type of its own belongs to the file.
            None if self.module_style(place.file) == ModuleStyle::Path => {
                ValueSet::one(AbstractValue::File(place.file))
            }
            None => ValueSet::unknown(),
        }
    }

    /// The same object, as an instance of its bases: `super`.
    fn super_value(&mut self, place: ExpressionSite) -> ValueSet {
        let of = place.within.and_then(|within| self.on.type_around(place.file, within, self.sees));
        let Some(of) = of else { return ValueSet::outside() };
        let mut bases = self.base_types(of);
        // What is only promised is no base of which there is an instance, unless there is nothing else.
        let is_promise =
            |base: &SymbolAt| matches!(self.on.definition(*base).kind, SymbolKind::Interface | SymbolKind::Trait);
        if bases.iter().any(|base| !is_promise(base)) {
            bases.retain(|base| !is_promise(base));
        }
        ValueSet::from_values(bases.into_iter().map(AbstractValue::Instance)).or_else(ValueSet::outside)
    }

    /// The type that an extension adds members to.
    pub(super) fn extended_type(&mut self, file: u32, extension: &InternedExtension) -> Option<SymbolAt> {
        // Extraction has found the owner already where the owner is in the same file.
        let definitions = &self.on.file_tables(file).uses.definitions;
        let member = extension.members.first().map(|member| &definitions[*member as usize]);
        if let Some(member) = member.filter(|member| member.container != member.parent) {
            return member.container.map(|container| SymbolAt::new(file, container));
        }
        self.reset_fuel();
        let place = self.place_of(file, extension);
        // `type Celsius float64` (Go): methods belong to `Celsius`, although its binding leads on to `float64`.
        let named = self.with_expectation(true, |this| this.evaluate_raw(extension.owner, place));
        let own =
            named.values.iter().find_map(|value| if let AbstractValue::Type(of) = value { Some(*of) } else { None });
        own.or_else(|| self.evaluate_type(extension.owner, place).values.iter().find_map(AbstractValue::symbol))
    }

    /// The place of an extension in the text.
    pub(super) fn place_of(&self, file: u32, extension: &InternedExtension) -> ExpressionSite {
        let definitions = &self.on.file_tables(file).uses.definitions;
        let member = extension.members.first().map(|member| &definitions[*member as usize]);
        ExpressionSite { file, within: member.and_then(|member| member.parent), line: extension.lines.0 }
    }

    /// Whether a symbol is a value with members of its own and not a type.
    pub(super) fn is_object(&self, symbol: SymbolAt) -> bool {
        let kind = self.on.definition(symbol).kind;
        !kind.is_type() && (kind == SymbolKind::Constant || kind.is_function()) && self.has_members(symbol)
    }

    pub(super) fn file_tables(&self, place: ExpressionSite) -> &'r FileTables {
        self.on.file_tables(place.file)
    }

    pub(super) fn module_style(&self, file: u32) -> ModuleStyle {
        self.on.language_traits(file).map_or(ModuleStyle::None, |traits| traits.style)
    }

    /// Runs a lookup for a type or for a value.
    pub(super) fn with_expectation(&mut self, type_: bool, look: impl FnOnce(&mut Self) -> ValueSet) -> ValueSet {
        let before = std::mem::replace(&mut self.wants_type, type_);
        let found = look(self);
        self.wants_type = before;
        found
    }

    /// One step of a question; unknown once a question has taken too many.
    pub(super) fn with_fuel(&mut self, step: impl FnOnce(&mut Self) -> ValueSet) -> ValueSet {
        // Unknown and not none: after none, `or_else` would try weaker rules and give a wrong answer for an unfinished
        // one.
        if self.fuel == 0 || self.depth >= MAX_EVALUATION_DEPTH {
            return ValueSet::unknown();
        }
        self.fuel -= 1;
        self.depth += 1;
        let known = step(self);
        self.depth -= 1;
        known
    }
}
