//! Resolves all edges that start in one file: calls, types and imports to the definitions they name, and which of its
//! types and methods implement or override others. A call with several candidates is listed as unresolved.

use super::evaluator::{ExpressionEvaluator, ExpressionSite};
use super::value::{AbstractValue, CERTAIN_CONFIDENCE, ValueSet};
use super::{InferenceStage, Resolver, SymbolAt};
use crate::code::graph::edges::{EdgeEndpoint, FileEdge, MOST_CANDIDATES, ResolvedEdges, UnresolvedUse};
use crate::code::graph::test_detection::is_test_file;
use crate::code::graph::uses::{ExpressionNode, InternedReference};
use model::{Confidence, EdgeKind, SymbolKind};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use syntax::ReferenceKind;

/// Confidence in percent: the project adds exactly one function of this name to types that it does not define.
const ONLY_EXTENSION: u8 = 60;

/// Confidence in percent: exactly one method of the project has this name.
const ONLY_METHOD: u8 = 55;

/// The edges that start in one file.
pub(super) fn resolve_edges(resolver: &Resolver, file: u32) -> ResolvedEdges {
    let mut search = EdgeSearch {
        evaluation: ExpressionEvaluator::of_file(resolver, InferenceStage::All, file),
        on: resolver,
        file,
        found: BTreeMap::new(),
        unresolved: Vec::new(),
    };
    for reference in &resolver.file_tables(file).uses.references {
        // Every reference has fuel of its own: one generated qualified name must not leave the rest of the file unresolved.
        search.evaluation.reset_fuel();
        search.add_reference(reference);
    }
    search.add_imports();
    search.add_extensions();
    search.add_implementations();
    search.into_edges()
}

/// The end of an edge, before it has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum EdgeEnd {
    File(u32),
    Symbol(SymbolAt),
}

/// What an edge is known by: where it starts, of which kind it is, where it leads.
type EdgeKey = (Option<u32>, EdgeKind, EdgeEnd);

/// The lines that an edge stands on, and how sure it is, of 100.
type FoundLines = (BTreeSet<u32>, u8);

struct EdgeSearch<'r> {
    evaluation: ExpressionEvaluator<'r>,
    on: &'r Resolver,
    file: u32,
    /// Edges with their lines and how sure they are.
    found: BTreeMap<EdgeKey, FoundLines>,
    unresolved: Vec<UnresolvedUse>,
}

impl EdgeSearch<'_> {
    fn add_reference(&mut self, reference: &InternedReference) {
        let place = ExpressionSite { file: self.file, within: reference.within, line: reference.line };
        match reference.kind {
            ReferenceKind::Call => self.add_call(reference, place),
            ReferenceKind::Extends | ReferenceKind::Implements => {
                let is_extension = reference.kind == ReferenceKind::Extends;
                let kind = if is_extension { EdgeKind::Extends } else { EdgeKind::Implements };
                let definitions = &self.on.file_tables(self.file).uses.definitions;
                // `class A(Base)`: the base is written in the scope around `A`, so a member of `A` that is called
                // `Base` is not meant.
                let outer = reference.within.and_then(|within| definitions[within as usize].parent);
                let known = self.evaluation.base_value(reference.target, ExpressionSite { within: outer, ..place });
                self.add_types(reference, kind, &known);
            }
            ReferenceKind::Type => {
                let known = self.evaluation.evaluate_raw(reference.target, place);
                self.add_types(reference, EdgeKind::References, &known);
            }
        }
    }

    fn add_call(&mut self, reference: &InternedReference, place: ExpressionSite) {
        let file = self.on.file_tables(self.file);
        // `new Foo()` counts as a call of `Foo`.
        let target = if let ExpressionNode::New(of) = file.node_at(reference.target) { of } else { reference.target };
        let mut known = self.evaluation.evaluate_node(target, place);
        // `int size = size();` (Java): the variable hides the method, but only a function can be called.
        if let ExpressionNode::Name(name) = file.node_at(target)
            && !known.is_ours()
        {
            known = self.evaluation.resolve_function(name, place).or_else(|| known);
        }
        let mut ends = BTreeSet::new();
        for value in &known.values {
            self.add_callees(value, &mut ends);
        }
        // `super(…)` creates the base even where the base declares no constructor.
        if ends.is_empty()
            && let ExpressionNode::Member(object, name) = file.node_at(target)
            && matches!(file.node_at(object), ExpressionNode::Super)
            && self.on.language_traits(self.file).is_some_and(|traits| traits.makes_base(name))
        {
            ends.extend(self.evaluation.evaluate_node(object, place).values.iter().filter_map(AbstractValue::symbol));
        }
        // `Kind::Round(1)` makes a value of the enumeration: a reference, not a call.
        for of in known
            .values
            .iter()
            .filter_map(|value| if let AbstractValue::Instance(of) = value { Some(*of) } else { None })
        {
            if self.on.definition(of).kind == SymbolKind::Enum {
                self.add_edge(reference.within, EdgeKind::References, EdgeEnd::Symbol(of), reference.line, known.sure);
            }
        }
        for end in &ends {
            let chosen = self.evaluation.choose_overload(*end, reference.passed.as_deref(), place);
            let sure = known.sure.min(chosen.sure);
            self.add_edge(reference.within, EdgeKind::Calls, EdgeEnd::Symbol(chosen.symbol), reference.line, sure);
            if !chosen.candidates.is_empty() {
                self.add_unresolved(reference, self.on.definition(*end).name, &chosen.candidates);
            }
        }
        if ends.is_empty()
            && !known.is_ours()
            && let ExpressionNode::Member(object, name) = file.node_at(target)
        {
            // In `name.method()` a name that is no variable may be a class or module from outside; only a value can
            // have members that the project adds to outside types.
            let is_unknown = known.values.iter().all(|value| *value == AbstractValue::Unknown);
            let is_value = !matches!(file.node_at(object), ExpressionNode::Name(_))
                || self
                    .evaluation
                    .evaluate_raw(object, place)
                    .values
                    .iter()
                    .any(|value| matches!(value, AbstractValue::Bound(..)));
            self.match_by_name(reference, name, is_unknown, is_value);
        }
    }

    /// The symbols that a call of a value calls.
    fn add_callees(&mut self, value: &AbstractValue, ends: &mut BTreeSet<SymbolAt>) {
        match value {
            AbstractValue::Symbol(symbol) if self.on.definition(*symbol).kind.is_function() => {
                ends.insert(self.on.written_out(*symbol));
            }
            AbstractValue::Type(of) => {
                ends.insert(*of);
            }
            AbstractValue::File(file) => {
                let offered = self.evaluation.default_export(*file);
                for value in self.evaluation.resolve_bindings(offered).values {
                    // `module.exports = require("./b")`: a module that exports a module could lead back here for ever.
                    if !matches!(value, AbstractValue::File(_)) {
                        self.add_callees(&value, ends);
                    }
                }
            }
            AbstractValue::Symbol(_)
            | AbstractValue::Instance(_)
            | AbstractValue::Bound(..)
            | AbstractValue::Directory(_)
            | AbstractValue::Namespace(..)
            | AbstractValue::Holder(_)
            | AbstractValue::Outside
            | AbstractValue::Unknown => {}
        }
    }

    /// A member of an unknown value: the only method with that name, or all that may be meant. A member of an external
    /// value: a function that the project adds to external types.
    fn match_by_name(&mut self, reference: &InternedReference, name: u32, is_unknown: bool, is_value: bool) {
        let Some(traits) = self.on.language_traits(self.file) else { return };
        // `get`, `push`, `len`: nearly always a method of the standard library is meant.
        if traits.library.contains(&name) {
            return;
        }
        let is_candidate = |symbol: &&SymbolAt| self.may_be_meant(**symbol);
        let added = self.on.guesses.external_extensions(traits.family, name).iter().filter(is_candidate);
        if is_value && let [only] = added.collect::<Vec<_>>()[..] {
            return self.add_edge(
                reference.within,
                EdgeKind::Calls,
                EdgeEnd::Symbol(*only),
                reference.line,
                ONLY_EXTENSION,
            );
        }
        if !is_unknown {
            return;
        }
        let is_member = |symbol: &&SymbolAt| self.on.definition(**symbol).kind == SymbolKind::Method;
        let all: Vec<SymbolAt> = self
            .on
            .guesses
            .symbols_named(traits.family, name)
            .iter()
            .filter(is_member)
            .filter(is_candidate)
            .copied()
            .collect();
        match all.as_slice() {
            [] => {}
            // `fn close(&self) { self.inner.close() }`: a method that delegates does not call itself.
            [only] if reference.within.map(|within| SymbolAt::new(self.file, within)) == Some(*only) => {}
            [only] => {
                self.add_edge(reference.within, EdgeKind::Calls, EdgeEnd::Symbol(*only), reference.line, ONLY_METHOD);
            }
            // Edges to every method of the name would be noise; the use is listed with its candidates instead.
            several => self.add_unresolved(reference, name, several),
        }
    }

    fn add_unresolved(&mut self, reference: &InternedReference, name: u32, several: &[SymbolAt]) {
        let candidates = several.iter().take(MOST_CANDIDATES).map(|symbol| self.to_endpoint(EdgeEnd::Symbol(*symbol)));
        self.unresolved.push(UnresolvedUse {
            from: reference.within,
            kind: EdgeKind::Calls,
            name: self.on.names.name_text(name).to_owned(),
            line: reference.line,
            candidates: candidates.collect(),
        });
    }

    /// Whether a call whose receiver is unknown may mean a symbol: code of the product never calls a test.
    fn may_be_meant(&self, symbol: SymbolAt) -> bool {
        is_test_file(self.on.file_path(self.file)) || !is_test_file(self.on.file_path(symbol.file))
    }

    fn add_types(&mut self, reference: &InternedReference, kind: EdgeKind, known: &ValueSet) {
        for value in &known.values {
            if let AbstractValue::Type(of) | AbstractValue::Instance(of) = value
                && self.on.definition(*of).kind.is_type()
            {
                self.add_edge(reference.within, kind, EdgeEnd::Symbol(*of), reference.line, known.sure);
            }
        }
    }

    /// Edges for what the file imports.
    fn add_imports(&mut self) {
        let tables = self.on.file_tables(self.file);
        for (import, at) in tables.uses.imports.iter().zip(0..) {
            self.evaluation.reset_fuel();
            let known = self.evaluation.resolve_import(self.file, at);
            for value in known.values {
                match value {
                    AbstractValue::Symbol(symbol) | AbstractValue::Type(symbol) | AbstractValue::Instance(symbol) => {
                        self.add_import(EdgeEnd::Symbol(symbol), import.line);
                    }
                    // An imported variable is known by its binding and not by a symbol, so its file is the end of the
                    // edge.
                    AbstractValue::File(file) | AbstractValue::Bound(file, _) => {
                        self.add_import(EdgeEnd::File(file), import.line);
                    }
                    AbstractValue::Directory(directory) => {
                        if let Some(file) = self.on.main_file(directory) {
                            self.add_import(EdgeEnd::File(file), import.line);
                        }
                    }
                    // A namespace is declared in many files, and no single one of them is what the import names.
                    AbstractValue::Namespace(..)
                    | AbstractValue::Holder(_)
                    | AbstractValue::Outside
                    | AbstractValue::Unknown => {}
                }
            }
        }
    }

    fn add_import(&mut self, end: EdgeEnd, line: u32) {
        let is_itself = match end {
            EdgeEnd::File(file) => file == self.file,
            EdgeEnd::Symbol(symbol) => symbol.file == self.file,
        };
        if !is_itself {
            self.add_edge(None, EdgeKind::Imports, end, line, CERTAIN_CONFIDENCE);
        }
    }

    /// Edges for the interfaces and traits that extensions of the file implement.
    fn add_extensions(&mut self) {
        let tables = self.on.file_tables(self.file);
        for (extension, owner) in tables.uses.extensions.iter().zip(&tables.owners) {
            let Some(seen_as) = extension.seen_as else { continue };
            // Edges start in the file that states them: `impl Trait for Other` with `Other` elsewhere starts at the
            // file itself.
            let from = owner.filter(|owner| owner.file == self.file).map(|owner| owner.place);
            self.evaluation.reset_fuel();
            let place = self.evaluation.place_of(self.file, extension);
            let known = self.evaluation.evaluate_type(seen_as, place);
            for of in known.values.iter().filter_map(AbstractValue::symbol) {
                self.add_edge(from, EdgeKind::Implements, EdgeEnd::Symbol(of), extension.lines.0, known.sure);
            }
        }
    }

    /// Methods that implement an interface or override a base, and functions that are declared elsewhere.
    fn add_implementations(&mut self) {
        let tables = self.on.file_tables(self.file);
        for (definition, at) in tables.uses.definitions.iter().zip(0..) {
            let is_member = definition.kind == SymbolKind::Method;
            // A function at the top is no member, but may be declared in a header (C).
            let of = if is_member { self.on.type_around(self.file, at, InferenceStage::All) } else { None };
            for (declared, sure) in self.evaluation.declared_as(SymbolAt::new(self.file, at), of) {
                self.add_edge(Some(at), EdgeKind::Implements, EdgeEnd::Symbol(declared), definition.lines.0, sure);
            }
            let Some(of) = of else { continue };
            self.evaluation.reset_fuel();
            // One method may implement members of several interfaces.
            for base in self.evaluation.base_types(of) {
                let promised = self.evaluation.type_member(base, definition.name);
                for value in promised.values {
                    if let AbstractValue::Symbol(symbol) = value {
                        self.add_edge(
                            Some(at),
                            EdgeKind::Implements,
                            EdgeEnd::Symbol(symbol),
                            definition.lines.0,
                            promised.sure,
                        );
                    }
                }
            }
        }
    }

    fn add_edge(&mut self, from: Option<u32>, kind: EdgeKind, end: EdgeEnd, line: u32, sure: u8) {
        // Every line stays, with the best confidence of all uses.
        let (lines, best) = self.found.entry((from, kind, end)).or_default();
        lines.insert(line);
        *best = sure.max(*best);
    }

    fn to_endpoint(&self, end: EdgeEnd) -> EdgeEndpoint {
        match end {
            EdgeEnd::File(file) => EdgeEndpoint { path: self.on.file_tables(file).path.clone(), qualified_name: None },
            EdgeEnd::Symbol(symbol) => EdgeEndpoint {
                path: self.on.file_tables(symbol.file).path.clone(),
                qualified_name: Some(self.on.qualified_name(symbol)),
            },
        }
    }

    fn compare_ends(&self, a: EdgeEnd, b: EdgeEnd) -> Ordering {
        let key = |end: EdgeEnd| match end {
            EdgeEnd::File(file) => (false, self.on.paths.file_path(file), 0),
            EdgeEnd::Symbol(symbol) => (true, self.on.paths.file_path(symbol.file), symbol.place),
        };
        key(a).cmp(&key(b))
    }

    fn into_edges(self) -> ResolvedEdges {
        let edge = |(&(from, kind, end), (lines, sure)): (&EdgeKey, &FoundLines)| {
            let confidence = Confidence::new(f32::from(*sure) / 100.0);
            FileEdge { from, kind, to: self.to_endpoint(end), lines: lines.iter().copied().collect(), confidence }
        };
        let mut found: Vec<_> = self.found.iter().collect();
        // In the order of paths: numbers of files depend on the order of updates, and results must not.
        found.sort_by(|((a_from, a_kind, a), _), ((b_from, b_kind, b), _)| {
            (a_from, a_kind).cmp(&(b_from, b_kind)).then_with(|| self.compare_ends(*a, *b))
        });
        let edges = found.into_iter().map(edge).collect();
        ResolvedEdges { edges, unresolved: self.unresolved }
    }
}
