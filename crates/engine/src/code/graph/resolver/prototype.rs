//! Matches function prototypes, as in C headers, with their definitions in other files.
//!
//! A call means the definition, whichever declaration its file sees. Which of several definitions that is follows from
//! which of them includes the declaration; where that does not decide, the declaration is the answer.

use super::evaluator::ExpressionEvaluator;
use super::modules::ImportTarget;
use super::value::CERTAIN_CONFIDENCE;
use super::{Resolver, SymbolAt};
use syntax::ModuleStyle;

/// The definition does not include the declaration, and only the name connects the two.
const BY_NAME: u8 = 80;

/// Of several declarations of a member, parameters decide which one is meant, and the resolver does not compare
/// parameters.
const OVERLOAD_CONFIDENCE: u8 = 80;

impl Resolver {
    /// The definition of a function: itself, unless it is a prototype whose definition is known.
    pub(super) fn written_out(&self, symbol: SymbolAt) -> SymbolAt {
        if !self.definition(symbol).is_prototype {
            return symbol;
        }
        let written = self.functions_alike(symbol, false);
        match written.as_slice() {
            [only] => *only,
            several => {
                // Two programs of one repository may both define the function; the one that includes this header is
                // meant.
                let mut knowing = several.iter().filter(|other| self.includes_file(other.file, symbol.file));
                match (knowing.next(), knowing.next()) {
                    (Some(only), None) => *only,
                    _ => symbol,
                }
            }
        }
    }

    /// The declarations of a function at the top of its file, with their confidence.
    fn find_declarations(&self, symbol: SymbolAt) -> Vec<(SymbolAt, u8)> {
        let declared =
            self.functions_alike(symbol, true).into_iter().filter(|other| self.written_out(*other) == symbol);
        let sure =
            |other: SymbolAt| if self.includes_file(symbol.file, other.file) { CERTAIN_CONFIDENCE } else { BY_NAME };
        declared.map(|other| (other, sure(other))).collect()
    }

    /// The functions at the top of files that have the name of `symbol`.
    fn functions_alike(&self, symbol: SymbolAt, is_prototype: bool) -> Vec<SymbolAt> {
        let definition = self.definition(symbol);
        let is_top = definition.parent.is_none() && definition.container.is_none();
        let Some(traits) = self.language_traits(symbol.file).filter(|_| is_top) else { return Vec::new() };
        let mut all = self.top_symbols(traits.family, definition.name);
        all.retain(|other| {
            let other = self.definition(*other);
            other.kind.is_function() && other.is_prototype == is_prototype
        });
        all
    }

    /// The names of functions that this file and others define: the includes of the file decide which of them a
    /// declaration means.
    pub(super) fn told_by_includes(&self, file: u32) -> Vec<u32> {
        if self.module_style(file) != ModuleStyle::Path {
            return Vec::new();
        }
        let definitions = self.file_tables(file).uses.definitions.iter().zip(0..);
        let written = definitions.filter(|(it, _)| it.kind.is_function() && !it.is_prototype);
        let is_one_of_several = |place: u32| self.functions_alike(SymbolAt { file, place }, false).len() > 1;
        written.filter(|(_, place)| is_one_of_several(*place)).map(|(it, _)| it.name).collect()
    }

    fn includes_file(&self, file: u32, other: u32) -> bool {
        file == other || self.file_tables(file).targets.contains(&ImportTarget::File(other))
    }
}

impl ExpressionEvaluator<'_> {
    /// The declarations of a function or member that is defined here, with their confidence.
    pub(super) fn declared_as(&self, symbol: SymbolAt, of: Option<SymbolAt>) -> Vec<(SymbolAt, u8)> {
        let definition = self.on.definition(symbol);
        let may_be = self.module_style(symbol.file) == ModuleStyle::Path && definition.kind.is_function();
        if !may_be || definition.is_prototype {
            return Vec::new();
        }
        let Some(of) = of else { return self.on.find_declarations(symbol) };
        let mut members = self.members_named(of, definition.name);
        members.retain(|member| self.on.definition(*member).is_prototype);
        let sure = if members.len() == 1 { CERTAIN_CONFIDENCE } else { OVERLOAD_CONFIDENCE };
        members.into_iter().map(|member| (member, sure)).collect()
    }
}
