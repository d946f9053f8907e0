//! What an expression stands for, as far as the text of the project tells it.
//!
//! Nothing is run and nothing is assumed: an expression is followed name by name, and where it leaves what is known it
//! is unknown, or outside of the project. What was found for variables, results and imports is kept for the next
//! question; a question that leads to itself has no answer.

use super::file::File;
use super::included::Reach;
use super::kinds::{is_function, is_type};
use super::names::QuickMap;
use super::traits::Traits;
use super::value::{INFERRED, Known, Value};
use super::{Resolver, Sees, SymbolAt};
use crate::graph::uses::{Extension, Node};
use model::SymbolKind;
use std::rc::Rc;
use syntax::ModuleStyle;

/// Where an expression stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) file: u32,
    /// The innermost definition around it.
    pub(super) within: Option<u32>,
    pub(super) line: u32,
}

/// Answers questions about one file, one after the other.
pub(super) struct Evaluation<'r> {
    pub(super) on: &'r Resolver,
    /// How much of what types have is known by now.
    pub(super) sees: Sees,
    bound: QuickMap<(u32, u32, bool), Option<Known>>,
    results: QuickMap<SymbolAt, Option<Known>>,
    pub(super) imports: QuickMap<(u32, u32, bool), Option<Known>>,
    /// What files bring in by taking all of others.
    pub(super) reach: QuickMap<u32, Option<Rc<Reach>>>,
    /// Whether a name is looked for that is a type, where it may be a value as well.
    pub(super) wants_type: bool,
    /// What is left of the steps one question may take.
    fuel: u32,
    depth: u32,
}

/// Enough for everything people write; generated chains and rings of aliases end here.
const FUEL: u32 = 2_000;
const DEEPEST: u32 = 60;

impl<'r> Evaluation<'r> {
    pub(super) fn new(on: &'r Resolver, sees: Sees) -> Self {
        let (bound, results, imports) = (QuickMap::default(), QuickMap::default(), QuickMap::default());
        let reach = QuickMap::default();
        Self { on, sees, bound, results, imports, reach, wants_type: false, fuel: FUEL, depth: 0 }
    }

    /// Starts a new question.
    pub(super) fn refuel(&mut self) {
        self.fuel = FUEL;
    }

    /// What an expression stands for.
    pub(super) fn value(&mut self, node: u32, place: Place) -> Known {
        let raw = self.wanting(false, |this| this.raw(node, place));
        self.expand(raw)
    }

    /// The same, with variables as they are found.
    pub(super) fn raw(&mut self, node: u32, place: Place) -> Known {
        self.deeper(|this| match this.file(place).node(node) {
            Node::Name(name) if this.wants_type => this.type_name(name, place),
            Node::Name(name) => this.name(name, place),
            Node::Member(object, name) => this.member_of(object, name, place),
            Node::Call(function) => this.call(function, place),
            Node::New(of) => this.typed(of, place),
            Node::Of(of, _) | Node::Item(of) => {
                let whole = this.value(of, place);
                let is_kept = this.style(place.file) == ModuleStyle::Crate;
                this.underlying(whole).items(is_kept)
            }
            Node::Either(first, rest) => {
                let mut either = this.value(first, place);
                either.join(this.value(rest, place));
                either
            }
            Node::This => this.itself(place),
            Node::Super => this.base(place),
            Node::Literal => Known::outside(),
            Node::List(..) | Node::Unknown => Known::unknown(),
        })
    }

    /// What has the type that an expression names.
    pub(super) fn typed(&mut self, node: u32, place: Place) -> Known {
        self.deeper(|this| match this.file(place).node(node) {
            Node::Name(name) => {
                let named = this.type_name(name, place);
                this.instances(named)
            }
            Node::Of(of, arguments) => this.applied(of, arguments, place),
            Node::Either(first, rest) => {
                let mut either = this.typed(first, place);
                either.join(this.typed(rest, place));
                either
            }
            Node::This => this.itself(place),
            Node::Member(object, name) => {
                let of = this.value(object, place);
                let named = this.wanting(true, |this| this.member(&of, name));
                this.instances(named)
            }
            Node::Call(_) | Node::New(_) | Node::Item(_) | Node::Super => {
                let raw = this.raw(node, place);
                this.instances(raw)
            }
            Node::Literal => Known::outside(),
            Node::List(..) | Node::Unknown => Known::unknown(),
        })
    }

    /// A type with arguments: of ours, the type; of others, something that holds what the arguments say.
    fn applied(&mut self, of: u32, arguments: u32, place: Place) -> Known {
        let head = self.typed(of, place);
        if head.values.iter().any(|value| matches!(value, Value::Instance(_) | Value::Type(_))) {
            return head;
        }
        let file = self.file(place);
        let last_name = if let Node::Name(name) | Node::Member(_, name) = file.node(of) { Some(name) } else { None };
        let mut list = Vec::new();
        let mut rest = arguments;
        while let Node::List(first, more) = file.node(rest) {
            list.push(first);
            rest = more;
        }
        list.push(rest);
        let is_transparent = |traits: &Traits| last_name.is_some_and(|name| traits.transparent.contains(&name));
        let mut inner = Known::none();
        for argument in list {
            inner.join(self.typed(argument, place));
        }
        if self.on.traits(place.file).is_some_and(is_transparent) {
            inner
        } else {
            Known { values: vec![Value::Holder(inner.values)], sure: inner.sure }
        }
    }

    /// Takes types as something of them.
    pub(super) fn instances(&mut self, known: Known) -> Known {
        let sure = known.sure;
        let mut found = Known::none().at_most(sure);
        for value in known.values {
            match value {
                Value::Type(of) => found.join(self.instance(of)),
                Value::Bound(file, binding) => found.join(self.bound(file, binding, true)),
                Value::Symbol(symbol) if self.is_object(symbol) => found.add(Value::Symbol(symbol)),
                Value::Symbol(_) | Value::Directory(_) | Value::Namespace(..) => found.add(Value::Unknown),
                // A file may be a type.
                Value::File(_) | Value::Instance(_) | Value::Holder(_) | Value::Outside | Value::Unknown => {
                    found.add(value);
                }
            }
        }
        found
    }

    /// Something of a type, or of what it is another name for.
    fn instance(&mut self, of: SymbolAt) -> Known {
        match self.alias(of).filter(|_| !self.has_members(of)) {
            Some((file, binding)) => self.bound(file, binding, true).or_else(|| Known::one(Value::Instance(of))),
            None => Known::one(Value::Instance(of)),
        }
    }

    /// Takes what is of a type that is made of another as that.
    fn underlying(&mut self, known: Known) -> Known {
        let mut found = Known::none().at_most(known.sure);
        for value in known.values {
            let made_of = if let Value::Instance(of) = value { self.alias(of) } else { None };
            match made_of {
                Some((file, binding)) => found.join(self.bound(file, binding, true)),
                None => found.add(value),
            }
        }
        found
    }

    /// What a type is another name for or made of, as its file says it.
    pub(super) fn alias(&self, of: SymbolAt) -> Option<(u32, u32)> {
        let definition = self.on.definition(of);
        if definition.kind != SymbolKind::Type {
            return None;
        }
        let file = of.file;
        let mut said = self.on.file(file).bound(definition.parent, definition.name);
        said.find(|at| self.on.file(file).uses.bindings[*at as usize].is_type).map(|binding| (file, binding))
    }

    /// Puts values in the place of variables.
    pub(super) fn expand(&mut self, known: Known) -> Known {
        if !known.values.iter().any(|value| matches!(value, Value::Bound(..))) {
            return known;
        }
        let mut found = Known::none().at_most(known.sure);
        for value in known.values {
            if let Value::Bound(file, binding) = value {
                found.join(self.bound(file, binding, false));
            } else {
                found.add(value);
            }
        }
        found
    }

    /// What a file says about a variable: the value it has, or the type it names.
    fn bound(&mut self, file: u32, at: u32, as_type: bool) -> Known {
        let key = (file, at, as_type);
        if let Some(known) = self.bound.get(&key) {
            return known.clone().unwrap_or_else(Known::none);
        }
        self.bound.insert(key, None);
        let binding = &self.on.file(file).uses.bindings[at as usize];
        let place = Place { file, within: binding.within, line: binding.line };
        let known = if binding.is_type || as_type {
            self.typed(binding.says, place)
        } else {
            self.value(binding.says, place).at_most(INFERRED)
        };
        self.bound.insert(key, Some(known.clone()));
        known
    }

    /// Whether what a file says about a variable is just being looked at.
    pub(super) fn is_asked(&self, file: u32, at: u32) -> bool {
        [true, false].iter().any(|as_type| matches!(self.bound.get(&(file, at, *as_type)), Some(None)))
    }

    /// What a call of an expression gives back.
    fn call(&mut self, function: u32, place: Place) -> Known {
        let (mut receiver, mut name) = (None, None);
        if let Node::Member(object, member) = self.file(place).node(function) {
            (receiver, name) = (Some(self.value(object, place)), Some(member));
        }
        let called = self.value(function, place);
        let is_this = matches!(self.file(place).node(function), Node::This);
        let on = receiver.as_ref().and_then(|receiver| receiver.values.first());
        let mut found = Known::none().at_most(called.sure);
        for value in called.values {
            if let Value::File(file) = value {
                let offered = self.offered(file);
                for value in self.expand(offered).values {
                    found.join(self.called(&value, None));
                }
            } else if is_this && matches!(value, Value::Instance(_)) {
                found.add(value);
            } else {
                found.join(self.called(&value, on));
            }
        }
        let passes = |traits: &Traits| name.is_some_and(|name| traits.passing.contains(&name));
        // Without an object, it is the one around that is given back.
        if let Node::Name(name) = self.file(place).node(function)
            && !found.is_ours()
            && self.on.traits(place.file).is_some_and(|it| it.has_implicit_this && it.passing.contains(&name))
        {
            return self.itself(place);
        }
        match receiver {
            Some(receiver) if !found.is_ours() && self.on.traits(place.file).is_some_and(passes) => receiver.passed(),
            _ => found,
        }
    }

    /// What a call of a value gives back.
    fn called(&mut self, value: &Value, on: Option<&Value>) -> Known {
        match value {
            Value::Type(of) => self.instance(*of),
            Value::Symbol(symbol) => self.result(*symbol, on),
            Value::Outside => Known::outside(),
            Value::Instance(of) if self.on.definition(*of).kind == SymbolKind::Enum => Known::one(value.clone()),
            Value::Instance(_)
            | Value::Holder(_)
            | Value::File(_)
            | Value::Directory(_)
            | Value::Namespace(..)
            | Value::Bound(..)
            | Value::Unknown => Known::unknown(),
        }
    }

    /// What a function gives back: what it says, or what it is seen to give.
    pub(super) fn result(&mut self, function: SymbolAt, receiver: Option<&Value>) -> Known {
        let SymbolAt { file, place: at } = function;
        let uses = &self.on.file(file).uses;
        let start = uses.returns.partition_point(|(symbol, _)| *symbol < at);
        let said = uses.returns.get(start).filter(|(symbol, _)| *symbol == at).map(|(_, says)| *says);
        if let (Some(said), Some(Value::Instance(of) | Value::Type(of))) = (said, receiver)
            && matches!(uses.nodes[said as usize], Node::This)
        {
            return Known::one(Value::Instance(*of));
        }
        if let Some(known) = self.results.get(&function) {
            return known.clone().unwrap_or_else(Known::unknown);
        }
        self.results.insert(function, None);
        let place = Place { file, within: Some(at), line: uses.definitions[at as usize].lines.1 };
        let known = if let Some(said) = said {
            self.typed(said, place)
        } else {
            let start = uses.results.partition_point(|(symbol, _)| *symbol < at);
            let seen = uses.results[start..].iter().take_while(|(symbol, _)| *symbol == at);
            let mut known = Known::none();
            for (_, says) in seen {
                known.join(self.value(*says, place).at_most(INFERRED));
            }
            known.or_else(Known::unknown)
        };
        self.results.insert(function, Some(known.clone()));
        known
    }

    /// The object that the code at a place belongs to.
    pub(super) fn itself(&mut self, place: Place) -> Known {
        let of = place.within.and_then(|within| self.on.type_around(place.file, within, self.sees));
        match of {
            Some(of) if self.is_object(of) => Known::one(Value::Symbol(of)),
            Some(of) => Known::one(Value::Instance(of)),
            // Where a file may be a type, what stands in it is its own.
            None if self.style(place.file) == ModuleStyle::Path => Known::one(Value::File(place.file)),
            None => Known::unknown(),
        }
    }

    /// The same, seen as what it is made from.
    fn base(&mut self, place: Place) -> Known {
        let of = place.within.and_then(|within| self.on.type_around(place.file, within, self.sees));
        let Some(of) = of else { return Known::outside() };
        Known::many(self.bases(of).into_iter().map(Value::Instance)).or_else(Known::outside)
    }

    /// The type that an extension gives members to.
    pub(super) fn extended(&mut self, file: u32, extension: &Extension) -> Option<SymbolAt> {
        // Extraction has found it already where it stands in the same file.
        let definitions = &self.on.file(file).uses.definitions;
        let member = extension.members.first().map(|member| &definitions[*member as usize]);
        if let Some(member) = member.filter(|member| member.container != member.parent) {
            return member.container.map(|container| SymbolAt::new(file, container));
        }
        self.refuel();
        let place = self.place_of(file, extension);
        // The name that is written, even where it is another name for something else.
        let named = self.wanting(true, |this| this.raw(extension.owner, place));
        let own = named.values.iter().find_map(|value| if let Value::Type(of) = value { Some(*of) } else { None });
        own.or_else(|| self.typed(extension.owner, place).values.iter().find_map(Value::symbol))
    }

    /// Where an extension stands.
    pub(super) fn place_of(&self, file: u32, extension: &Extension) -> Place {
        let definitions = &self.on.file(file).uses.definitions;
        let member = extension.members.first().map(|member| &definitions[*member as usize]);
        Place { file, within: member.and_then(|member| member.parent), line: extension.lines.0 }
    }

    /// Whether a symbol is a value with members of its own, and no type.
    pub(super) fn is_object(&self, symbol: SymbolAt) -> bool {
        let kind = self.on.definition(symbol).kind;
        !is_type(kind) && (kind == SymbolKind::Constant || is_function(kind)) && self.has_members(symbol)
    }

    pub(super) fn file(&self, place: Place) -> &'r File {
        self.on.file(place.file)
    }

    pub(super) fn style(&self, file: u32) -> ModuleStyle {
        self.on.traits(file).map_or(ModuleStyle::None, |traits| traits.style)
    }

    /// Looks for a type or for a value.
    pub(super) fn wanting(&mut self, type_: bool, look: impl FnOnce(&mut Self) -> Known) -> Known {
        let before = std::mem::replace(&mut self.wants_type, type_);
        let found = look(self);
        self.wants_type = before;
        found
    }

    /// One step of a question, or no answer where it takes too many.
    pub(super) fn deeper(&mut self, step: impl FnOnce(&mut Self) -> Known) -> Known {
        if self.fuel == 0 || self.depth >= DEEPEST {
            return Known::unknown();
        }
        self.fuel -= 1;
        self.depth += 1;
        let known = step(self);
        self.depth -= 1;
        known
    }
}
