//! Chooses among functions of one name by what a call passes: how much, and of what types, as far as the text shows
//! them. Where that decides nothing, the choice says so.

use super::SymbolAt;
use super::evaluator::{ExpressionEvaluator, ExpressionSite};
use super::passed_types::Fit;
use super::value::{AbstractValue, CERTAIN_CONFIDENCE, INFERRED_CONFIDENCE, ValueSet};
use crate::code::graph::uses::InternedParameter;
use std::collections::HashSet;
use syntax::ModuleStyle;

/// Confidence in percent: of several functions only one takes what is passed, by types that were compared.
const BY_TYPES: u8 = 95;

/// Confidence in percent: of several functions that take what is passed, one fits better.
const FITS_BETTER: u8 = 85;

/// Confidence in percent: the same, where conversions that nobody sees may make another one fit.
const LIKELY_BETTER: u8 = 70;

/// Confidence in percent: of two functions that fit alike, the one that does not make the call.
const HANDED_ON: u8 = 70;

/// Confidence in percent: one of several functions that fit alike, or that do not fit.
const UNDECIDED: u8 = 50;

/// Confidence in percent: what is passed does not fit the one function of the name, which may be another one then.
const MISFIT: u8 = 60;

/// What a call of a name leads to.
pub(super) struct ChosenOverload {
    pub(super) symbol: SymbolAt,
    pub(super) sure: u8,
    /// All that may be meant as well, where nothing decides.
    pub(super) candidates: Vec<SymbolAt>,
}

/// One of several functions; a prototype and its definition are one.
struct Candidate {
    symbol: SymbolAt,
    /// How many must be passed; a prototype may say that fewer are needed.
    least: usize,
    /// Whether another function takes the same, and differs in what calls do not show.
    has_twin: bool,
}

impl ExpressionEvaluator<'_> {
    /// The function that is called, where several have the name of `symbol`.
    pub(super) fn choose_overload(
        &mut self,
        symbol: SymbolAt,
        passed: Option<&[u32]>,
        place: ExpressionSite,
    ) -> ChosenOverload {
        let chosen = |symbol: SymbolAt, sure: u8| ChosenOverload { symbol, sure, candidates: Vec::new() };
        let rules = self.on.language_traits(place.file).map(|traits| &traits.conversions);
        let is_compared = rules.is_some_and(|rules| rules.is_compared);
        let is_lenient = rules.is_some_and(|rules| rules.is_lenient);
        let is_overloaded = self.on.language_traits(symbol.file).is_some_and(|traits| traits.has_overloads);
        if !is_overloaded || !self.on.definition(symbol).kind.is_function() {
            return chosen(symbol, CERTAIN_CONFIDENCE);
        }
        let all = self.candidates_of(symbol, place.file);
        let listed = |all: &[Candidate]| all.iter().map(|candidate| candidate.symbol).collect::<Vec<_>>();
        let Some(passed) = passed.filter(|_| is_compared) else {
            return match &all[..] {
                [only] => chosen(only.symbol, CERTAIN_CONFIDENCE),
                // Where nothing is compared, a list at every such call would say nothing.
                _ => chosen(symbol, UNDECIDED),
            };
        };
        let takes = |candidate: &&Candidate| self.takes_count(candidate, passed.len());
        let fitting: Vec<&Candidate> = all.iter().filter(takes).collect();
        match fitting[..] {
            [] if all.len() == 1 => return chosen(all[0].symbol, MISFIT),
            [] => return ChosenOverload { symbol, sure: UNDECIDED, candidates: listed(&all) },
            [only] if !only.has_twin => return chosen(only.symbol, CERTAIN_CONFIDENCE),
            _ => {}
        }
        let types: Vec<_> = passed.iter().map(|node| self.passed_type(*node, place)).collect();
        let mut fits: Vec<(&Candidate, Vec<Fit>)> = Vec::new();
        for candidate in fitting {
            let compared = types.iter().enumerate().map(|(at, passed)| {
                self.parameter_at(candidate.symbol, at)
                    .map_or(Some(Fit::OPEN), |parameter| self.fit_of(passed, candidate.symbol, parameter, place.file))
            });
            if let Some(mut compared) = compared.collect::<Option<Vec<Fit>>>() {
                // A function that takes as much as is passed comes before one with a list of any length.
                compared.push(if self.takes_exactly(candidate, passed.len()) { Fit::EXACT } else { Fit::TOP });
                fits.push((candidate, compared));
            }
        }
        let is_best = |(_, mine): &&(&Candidate, Vec<Fit>)| {
            fits.iter().all(|(_, other)| mine.iter().zip(other).all(|(mine, other)| mine >= other))
        };
        let best: Vec<_> = fits.iter().filter(is_best).filter(|(candidate, _)| !candidate.has_twin).collect();
        if let [(candidate, compared)] = best[..] {
            let sure = match () {
                () if compared.iter().all(|fit| *fit == Fit::EXACT) => CERTAIN_CONFIDENCE,
                () if fits.len() == 1 && compared.iter().all(|fit| *fit > Fit::OPEN) => BY_TYPES,
                () if fits.len() == 1 => INFERRED_CONFIDENCE,
                () if is_lenient => LIKELY_BETTER,
                () => FITS_BETTER,
            };
            chosen(candidate.symbol, sure)
        } else {
            let left = if fits.is_empty() { listed(&all) } else { fits.iter().map(|(it, _)| it.symbol).collect() };
            let total = |fits: &[Fit]| fits.iter().map(|fit| u32::from(fit.0)).sum::<u32>();
            // `find(char) { return find(String.valueOf(…)); }`: a function that hands on to another one of its name
            // is far more usual than one that calls itself.
            let own = place.within.map(|within| SymbolAt::new(place.file, within));
            let others: Vec<_> = fits.iter().filter(|(it, _)| Some(it.symbol) != own).collect();
            if let [(only, _)] = others[..]
                && !only.has_twin
            {
                return chosen(only.symbol, HANDED_ON);
            }
            let nearest = others.into_iter().rev().max_by_key(|(_, compared)| total(compared));
            let symbol = nearest.map_or(symbol, |(candidate, _)| candidate.symbol);
            ChosenOverload { symbol, sure: UNDECIDED, candidates: left }
        }
    }

    /// What a call returns of a function that may be one of several: what any of them returns.
    pub(super) fn result_of(&mut self, symbol: SymbolAt, on: Option<&AbstractValue>) -> ValueSet {
        let first = self.return_type(symbol, on);
        let is_overloaded = self.on.language_traits(symbol.file).is_some_and(|traits| traits.has_overloads);
        let Some(owner) = is_overloaded.then(|| self.owner_of(symbol)).flatten() else { return first };
        let mut merged = first.clone();
        for other in self.members_named(owner, self.on.definition(symbol).name) {
            if other != symbol && self.on.definition(other).kind.is_function() {
                let given = self.return_type(other, on);
                if given.values != first.values {
                    merged.merge_with(given.at_most(FITS_BETTER));
                }
            }
        }
        merged
    }

    fn owner_of(&self, symbol: SymbolAt) -> Option<SymbolAt> {
        let parent = self.on.definition(symbol).parent.map(|place| SymbolAt::new(symbol.file, place));
        self.member_owner(symbol).or(parent).filter(|owner| self.on.definition(*owner).kind.is_type())
    }

    /// The functions with the name of one: members of its type and of the bases, or what else is in its namespace.
    fn candidates_of(&mut self, symbol: SymbolAt, asking: u32) -> Vec<Candidate> {
        let name = self.on.definition(symbol).name;
        let mut all = Vec::new();
        if let Some(owner) = self.owner_of(symbol) {
            // In C++ a member hides those of the bases, whatever they take.
            let has_inherited = self.module_style(symbol.file) == ModuleStyle::Namespace;
            let mut seen = HashSet::new();
            let mut next = vec![owner];
            while let Some(of) = next.pop() {
                if seen.insert(of) {
                    all.extend(self.members_named(of, name));
                    if has_inherited {
                        next.extend(self.base_types(of));
                    }
                }
            }
        } else {
            all.extend(self.functions_beside(symbol, asking));
        }
        if all.is_empty() {
            all.push(symbol);
        }
        let mut candidates: Vec<Candidate> = Vec::new();
        for other in all {
            let definition = self.on.definition(other);
            if !definition.kind.is_function() || candidates.iter().any(|known| known.symbol == other) {
                continue;
            }
            let least = self.least_of(other);
            match candidates.iter_mut().find(|known| self.takes_the_same(known.symbol, other)) {
                Some(known) => {
                    let is_written = self.on.definition(known.symbol).is_prototype && !definition.is_prototype;
                    let is_both = !self.on.definition(known.symbol).is_prototype && !definition.is_prototype;
                    // A method of a base that is overridden is no other choice.
                    known.has_twin |= is_both && self.owner_of(known.symbol) == self.owner_of(other);
                    known.least = known.least.min(least);
                    if is_written {
                        known.symbol = other;
                    }
                }
                None => candidates.push(Candidate { symbol: other, least, has_twin: false }),
            }
        }
        candidates
    }

    /// The functions of one name in the same namespace, or at the top, as far as the asking file may know of them.
    fn functions_beside(&mut self, symbol: SymbolAt, asking: u32) -> Vec<SymbolAt> {
        let definition = self.on.definition(symbol);
        let Some(traits) = self.on.language_traits(symbol.file) else { return Vec::new() };
        let around = definition.parent.map(|place| SymbolAt::new(symbol.file, place));
        if around.is_some_and(|around| self.on.definition(around).kind.is_function()) {
            return Vec::new();
        }
        let namespace = around.and_then(|around| self.on.namespaces.module_namespace(around));
        let all = match namespace {
            Some(namespace) => self.on.namespaces.members_named(traits.family, namespace, definition.name).to_vec(),
            None if around.is_none() => self.on.top_symbols(traits.family, definition.name),
            None => Vec::new(),
        };
        let is_known: Vec<bool> = all.iter().map(|other| self.is_included(asking, other.file)).collect();
        let seen = || all.iter().zip(&is_known).filter(|(_, is_known)| **is_known).map(|(other, _)| *other);
        // What a header declares is known wherever it is written out.
        let is_declared = |other: SymbolAt| {
            seen().any(|known| self.on.definition(known).is_prototype && self.takes_the_same(known, other))
        };
        all.iter()
            .zip(&is_known)
            .filter(|(other, is_known)| **is_known || is_declared(**other))
            .map(|it| *it.0)
            .collect()
    }

    fn takes_the_same(&self, a: SymbolAt, b: SymbolAt) -> bool {
        let parameters = |symbol: SymbolAt| self.on.definition(symbol).parameters.as_deref();
        let (Some(mine), Some(other)) = (parameters(a), parameters(b)) else {
            // Without a list nothing tells them apart but that one is written out.
            return self.on.definition(a).is_prototype != self.on.definition(b).is_prototype;
        };
        let is_same = |(mine, other): (&InternedParameter, &InternedParameter)| {
            mine.is_repeated == other.is_repeated
                && self.type_head(a.file, mine.says) == self.type_head(b.file, other.says)
        };
        mine.len() == other.len() && mine.iter().zip(other).all(is_same)
    }

    fn least_of(&self, symbol: SymbolAt) -> usize {
        let parameters = self.on.definition(symbol).parameters.as_deref().unwrap_or_default();
        parameters.iter().filter(|parameter| !parameter.is_repeated && !parameter.has_default).count()
    }

    fn takes_count(&self, candidate: &Candidate, count: usize) -> bool {
        let Some(parameters) = self.on.definition(candidate.symbol).parameters.as_deref() else { return true };
        let is_open = parameters.last().is_some_and(|last| last.is_repeated);
        candidate.least <= count && (is_open || count <= parameters.len())
    }

    fn takes_exactly(&self, candidate: &Candidate, count: usize) -> bool {
        let parameters = self.on.definition(candidate.symbol).parameters.as_deref();
        parameters.is_some_and(|all| all.len() == count && !all.iter().any(|parameter| parameter.is_repeated))
    }

    fn parameter_at(&self, symbol: SymbolAt, at: usize) -> Option<InternedParameter> {
        let parameters = self.on.definition(symbol).parameters.as_deref()?;
        let repeated = parameters.last().filter(|last| last.is_repeated);
        parameters.get(at).or(repeated).copied()
    }
}
