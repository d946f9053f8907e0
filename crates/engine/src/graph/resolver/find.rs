//! The edges of one file: each of its uses, followed.

use super::evaluate::{Evaluation, Place};
use super::kinds::{is_function, is_type};
use super::value::{CERTAIN, Known, Value};
use super::{Resolver, Sees, SymbolAt};
use crate::graph::edges::{Endpoint, FileEdge, FileEdges, MOST_CANDIDATES, Unresolved};
use crate::graph::uses::{Node, Reference};
use model::{Confidence, EdgeKind, SymbolKind};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use syntax::ReferenceKind;

/// Only one function of this name is given to something from outside.
const GIVEN: u8 = 60;

/// Only one thing of the project is called so.
const ONLY_ONE: u8 = 55;

/// What one file's uses lead to.
pub(super) fn edges(resolver: &Resolver, file: u32) -> FileEdges {
    let mut search = Search {
        evaluation: Evaluation::new(resolver, Sees::All),
        on: resolver,
        file,
        found: BTreeMap::new(),
        unresolved: Vec::new(),
    };
    for reference in &resolver.file(file).uses.references {
        search.evaluation.refuel();
        search.reference(reference);
    }
    search.imports();
    search.extensions();
    search.promises();
    search.finish()
}

/// Where an edge leads, before it has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    File(u32),
    Symbol(SymbolAt),
}

struct Search<'r> {
    evaluation: Evaluation<'r>,
    on: &'r Resolver,
    file: u32,
    /// Edges with the line and how sure they are.
    found: BTreeMap<(Option<u32>, EdgeKind, End), (u32, u8)>,
    unresolved: Vec<Unresolved>,
}

impl Search<'_> {
    fn reference(&mut self, reference: &Reference) {
        let place = Place { file: self.file, within: reference.within, line: reference.line };
        match reference.kind {
            ReferenceKind::Call => self.call(reference, place),
            ReferenceKind::Extends | ReferenceKind::Implements => {
                let is_extension = reference.kind == ReferenceKind::Extends;
                let kind = if is_extension { EdgeKind::Extends } else { EdgeKind::Implements };
                let definitions = &self.on.file(self.file).uses.definitions;
                let outer = reference.within.and_then(|within| definitions[within as usize].parent);
                let known = self.evaluation.typed(reference.target, Place { within: outer, ..place });
                self.add_types(reference, kind, &known);
            }
            ReferenceKind::Type => {
                let known = self.evaluation.raw(reference.target, place);
                self.add_types(reference, EdgeKind::References, &known);
            }
        }
    }

    fn call(&mut self, reference: &Reference, place: Place) {
        let file = self.on.file(self.file);
        let target = if let Node::New(of) = file.node(reference.target) { of } else { reference.target };
        let mut known = self.evaluation.value(target, place);
        if let Node::Name(name) = file.node(target)
            && !known.is_ours()
        {
            known = self.evaluation.function(name, place).or_else(|| known);
        }
        let mut ends = BTreeSet::new();
        for value in &known.values {
            self.called(value, &mut ends);
        }
        // A base without a constructor of its own is made all the same.
        if ends.is_empty()
            && let Node::Member(object, name) = file.node(target)
            && matches!(file.node(object), Node::Super)
            && self.on.traits(self.file).is_some_and(|traits| traits.makes_base(name))
        {
            ends.extend(self.evaluation.value(object, place).values.iter().filter_map(Value::symbol));
        }
        // A value that an enumeration lists is made by its name, not called.
        for of in known.values.iter().filter_map(|value| if let Value::Instance(of) = value { Some(*of) } else { None })
        {
            if self.on.definition(of).kind == SymbolKind::Enum {
                self.add(reference.within, EdgeKind::References, End::Symbol(of), reference.line, known.sure);
            }
        }
        for end in &ends {
            self.add(reference.within, EdgeKind::Calls, End::Symbol(*end), reference.line, known.sure);
        }
        if ends.is_empty()
            && !known.is_ours()
            && let Node::Member(object, name) = file.node(target)
        {
            let is_unknown = known.values.iter().all(|value| *value == Value::Unknown);
            let is_value = !matches!(file.node(object), Node::Name(_))
                || self.evaluation.raw(object, place).values.iter().any(|value| matches!(value, Value::Bound(..)));
            self.guess(reference, name, is_unknown, is_value);
        }
    }

    /// The symbols that a call of a value calls.
    fn called(&mut self, value: &Value, ends: &mut BTreeSet<SymbolAt>) {
        match value {
            Value::Symbol(symbol) if is_function(self.on.definition(*symbol).kind) => {
                ends.insert(self.on.written_out(*symbol));
            }
            Value::Type(of) => {
                ends.insert(*of);
            }
            Value::File(file) => {
                let offered = self.evaluation.offered(*file);
                for value in self.evaluation.expand(offered).values {
                    if !matches!(value, Value::File(_)) {
                        self.called(&value, ends);
                    }
                }
            }
            Value::Symbol(_)
            | Value::Instance(_)
            | Value::Bound(..)
            | Value::Directory(_)
            | Value::Namespace(..)
            | Value::Holder(_)
            | Value::Outside
            | Value::Unknown => {}
        }
    }

    /// A member of something unknown: the only one that is called so, or all that may be meant. Of something from
    /// outside it is one that was given to such a thing.
    fn guess(&mut self, reference: &Reference, name: u32, is_unknown: bool, is_value: bool) {
        let Some(traits) = self.on.traits(self.file) else { return };
        // Nearly always something of the language itself is meant.
        if traits.library.contains(&name) {
            return;
        }
        if is_value && let [only] = self.on.guesses.given(traits.family, name) {
            return self.add(reference.within, EdgeKind::Calls, End::Symbol(*only), reference.line, GIVEN);
        }
        if !is_unknown {
            return;
        }
        let is_member = |symbol: &&SymbolAt| self.on.definition(**symbol).kind == SymbolKind::Method;
        let all: Vec<SymbolAt> =
            self.on.guesses.called(traits.family, name).iter().filter(is_member).copied().collect();
        match all.as_slice() {
            [] => {}
            // Who has the only member of a name and calls it on something else, hands the call on.
            [only] if reference.within.map(|within| SymbolAt::new(self.file, within)) == Some(*only) => {}
            [only] => self.add(reference.within, EdgeKind::Calls, End::Symbol(*only), reference.line, ONLY_ONE),
            several => {
                let candidates = several.iter().take(MOST_CANDIDATES).map(|symbol| self.endpoint(End::Symbol(*symbol)));
                self.unresolved.push(Unresolved {
                    from: reference.within,
                    kind: EdgeKind::Calls,
                    name: self.on.names.text(name).to_owned(),
                    line: reference.line,
                    candidates: candidates.collect(),
                });
            }
        }
    }

    fn add_types(&mut self, reference: &Reference, kind: EdgeKind, known: &Known) {
        for value in &known.values {
            if let Value::Type(of) | Value::Instance(of) = value
                && is_type(self.on.definition(*of).kind)
            {
                self.add(reference.within, kind, End::Symbol(*of), reference.line, known.sure);
            }
        }
    }

    /// What the file takes from other files.
    fn imports(&mut self) {
        let tables = self.on.file(self.file);
        for (import, at) in tables.uses.imports.iter().zip(0..) {
            self.evaluation.refuel();
            let known = self.evaluation.import(self.file, at);
            for value in known.values {
                match value {
                    Value::Symbol(symbol) | Value::Type(symbol) | Value::Instance(symbol) => {
                        self.add_import(End::Symbol(symbol), import.line);
                    }
                    Value::File(file) | Value::Bound(file, _) => self.add_import(End::File(file), import.line),
                    Value::Directory(directory) => {
                        if let Some(file) = self.on.main_file(directory) {
                            self.add_import(End::File(file), import.line);
                        }
                    }
                    Value::Namespace(..) | Value::Holder(_) | Value::Outside | Value::Unknown => {}
                }
            }
        }
    }

    fn add_import(&mut self, end: End, line: u32) {
        let is_itself = match end {
            End::File(file) => file == self.file,
            End::Symbol(symbol) => symbol.file == self.file,
        };
        if !is_itself {
            self.add(None, EdgeKind::Imports, end, line, CERTAIN);
        }
    }

    /// What the file makes types keep the promises of.
    fn extensions(&mut self) {
        let tables = self.on.file(self.file);
        for (extension, owner) in tables.uses.extensions.iter().zip(&tables.owners) {
            let Some(seen_as) = extension.seen_as else { continue };
            let from = owner.filter(|owner| owner.file == self.file).map(|owner| owner.place);
            self.evaluation.refuel();
            let place = self.evaluation.place_of(self.file, extension);
            let known = self.evaluation.typed(seen_as, place);
            for of in known.values.iter().filter_map(Value::symbol) {
                self.add(from, EdgeKind::Implements, End::Symbol(of), extension.lines.0, known.sure);
            }
        }
    }

    /// Members that keep a promise or take the place of a member of a base, and functions that are declared elsewhere.
    fn promises(&mut self) {
        let tables = self.on.file(self.file);
        for (definition, at) in tables.uses.definitions.iter().zip(0..) {
            let is_member = definition.kind == SymbolKind::Method;
            let of = if is_member { self.on.type_around(self.file, at, Sees::All) } else { None };
            for (declared, sure) in self.evaluation.declared_as(SymbolAt::new(self.file, at), of) {
                self.add(Some(at), EdgeKind::Implements, End::Symbol(declared), definition.lines.0, sure);
            }
            let Some(of) = of else { continue };
            self.evaluation.refuel();
            for base in self.evaluation.bases(of) {
                let promised = self.evaluation.type_member(base, definition.name);
                for value in promised.values {
                    if let Value::Symbol(symbol) = value {
                        self.add(
                            Some(at),
                            EdgeKind::Implements,
                            End::Symbol(symbol),
                            definition.lines.0,
                            promised.sure,
                        );
                    }
                }
            }
        }
    }

    fn add(&mut self, from: Option<u32>, kind: EdgeKind, end: End, line: u32, sure: u8) {
        let edge = self.found.entry((from, kind, end)).or_insert((line, sure));
        edge.1 = edge.1.max(sure);
    }

    fn endpoint(&self, end: End) -> Endpoint {
        match end {
            End::File(file) => Endpoint { path: self.on.file(file).path.clone(), chain: None },
            End::Symbol(symbol) => {
                Endpoint { path: self.on.file(symbol.file).path.clone(), chain: Some(self.on.chain(symbol)) }
            }
        }
    }

    fn order(&self, a: End, b: End) -> Ordering {
        let key = |end: End| match end {
            End::File(file) => (false, self.on.paths.path(file), 0),
            End::Symbol(symbol) => (true, self.on.paths.path(symbol.file), symbol.place),
        };
        key(a).cmp(&key(b))
    }

    fn finish(self) -> FileEdges {
        let edge = |(&(from, kind, end), &(line, sure)): (&(Option<u32>, EdgeKind, End), &(u32, u8))| {
            let confidence = Confidence::new(f32::from(sure) / 100.0);
            FileEdge { from, kind, to: self.endpoint(end), line, confidence }
        };
        let mut found: Vec<_> = self.found.iter().collect();
        // In the order of paths, whatever numbers files have.
        found.sort_by(|((a_from, a_kind, a), _), ((b_from, b_kind, b), _)| {
            (a_from, a_kind).cmp(&(b_from, b_kind)).then_with(|| self.order(*a, *b))
        });
        let edges = found.into_iter().map(edge).collect();
        FileEdges { edges, unresolved: self.unresolved }
    }
}
