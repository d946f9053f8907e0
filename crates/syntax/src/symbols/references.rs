//! Builds the references of a file: assigns each use (call, type, import) that the walk found to the innermost symbol
//! around it.

use crate::expression::Expression;
use crate::file_extract::{
    FileExtract, ImportDeclaration, ImportManner, ImportedItem, Reference, ReferenceKind, TypeBinding, TypeSource,
};
use crate::harvest::{LeadingTrivia, NewBinding, RawReference, RawUses};
use crate::line_table::LineTable;
use foldhash::{HashMap, HashSet};
use model::{ByteSpan, Symbol};

/// Puts the uses into the extract of a file, whose symbols are there already, with the byte at which the name of each starts.
pub(crate) fn place_uses(
    extract: &mut FileExtract,
    uses: RawUses,
    lines: &LineTable,
    names: &[u32],
    leads: &[LeadingTrivia],
) {
    let mut within = ScopeFinder::new(&extract.symbols);
    let mut references = uses.references;
    // Whether a bare name is a call depends on the variables of the symbol around it.
    let bare = uses.names.into_calls(|at| within.innermost_at(at));
    references.extend(bare.into_iter().map(|(at, name)| RawReference::new(at, ReferenceKind::Call, name)));
    references.sort_by_key(|reference| (reference.at, reference.kind));
    // Two patterns may match the same type: a parameter that is a field as well.
    references.dedup();
    leave_out(&mut references, uses.uncalled);
    let mut within = ScopeFinder::new(&extract.symbols);
    extract.references = references
        .into_iter()
        .filter_map(|RawReference { at, kind, target, passed }| {
            let mut inner = within.innermost_at(at);
            // A call in a decorator is made by the code around the definition, not by the definition.
            if kind == ReferenceKind::Call && inner.is_some_and(|symbol| at < names[symbol]) && is_in_lead(leads, at) {
                inner = within.after_its_name(at, names);
            }
            // `super` alone (Ruby) calls the member of the base that has the name of the method around.
            let target = if target == Expression::Super {
                Expression::Member(Box::new(target), extract.symbols[inner?].name.clone())
            } else {
                target
            };
            Some(Reference { kind, target, passed, line: lines.row_of(at) + 1, within: inner })
        })
        .collect();
    let mut within = ScopeFinder::new(&extract.symbols);
    let mut bindings = uses.bindings;
    // Of two statements about one name, a type counts more than a value. Return types are handled below.
    let worth = |says: &TypeSource| match says {
        TypeSource::Type(Expression::Unknown) | TypeSource::Value(Expression::Unknown) => 2,
        TypeSource::Value(_) => 1,
        TypeSource::Type(_) => 0,
    };
    bindings.sort_by_key(|(at, binding)| (*at, worth(&binding.says)));
    let mut said = HashSet::default();
    bindings.retain(|(at, binding)| said.insert((*at, binding.is_field)));
    // Reversed, so that of several symbols with one name the first stays in the map.
    let symbols: HashMap<u32, usize> = names.iter().enumerate().rev().map(|(symbol, at)| (*at, symbol)).collect();
    let functions: HashSet<u32> =
        uses.returns.iter().map(|(at, _)| *at).filter(|at| symbols.contains_key(at)).collect();
    // A function that is declared like a variable (C) has its type among the return types already.
    bindings.retain(|(at, _)| !functions.contains(at));
    extract.bindings = bindings
        .into_iter()
        .map(|(at, NewBinding { name, is_field, says, reach })| {
            let (own, around) = within.scopes_around(at, names);
            // A symbol that is written in a type binds a member of that type.
            let is_member = own.is_some() && around.is_some_and(|around| extract.symbols[around].kind.is_type());
            let is_field = is_field || is_member;
            let line = lines.row_of(at) + 1;
            TypeBinding { name, is_field, says, within: around, line, reach }
        })
        .collect();
    let mut within = ScopeFinder::new(&extract.symbols);
    let mut results = uses.results;
    results.sort_by_key(|(at, _)| *at);
    extract.results = results.into_iter().filter_map(|(at, says)| Some((within.innermost_at(at)?, says))).collect();
    extract.imports = without_repeats(uses.imports);
    extract.package = uses.package;
    extract.extensions = uses.extensions;
    let mut returns: Vec<(usize, Expression)> =
        uses.returns.into_iter().filter_map(|(at, says)| Some((*symbols.get(&at)?, says))).collect();
    // A known return type sorts before an unknown one of another pattern and stays.
    returns.sort_by_key(|(symbol, says)| (*symbol, *says == Expression::Unknown));
    returns.dedup_by_key(|(symbol, _)| *symbol);
    extract.returns = returns;
}

/// Removes calls, sorted by place, that are inside of one of the spans.
fn leave_out(references: &mut Vec<RawReference>, mut spans: Vec<ByteSpan>) {
    spans.sort_unstable_by_key(|span| span.start);
    let mut spans = spans.into_iter().peekable();
    let mut until = 0;
    references.retain(|RawReference { at, kind, .. }| {
        while let Some(span) = spans.next_if(|span| span.start <= *at) {
            until = until.max(span.end);
        }
        *kind != ReferenceKind::Call || *at >= until
    });
}

fn is_in_lead(leads: &[LeadingTrivia], at: u32) -> bool {
    let before = leads.partition_point(|lead| lead.span.start <= at);
    leads[..before].last().is_some_and(|lead| !lead.is_comment && at < lead.span.end)
}

/// An import that a specific pattern finds, with its manner or alias, is found by a plain pattern as well.
fn without_repeats(mut imports: Vec<ImportDeclaration>) -> Vec<ImportDeclaration> {
    let is_plain = |import: &ImportDeclaration| import.what == ImportedItem::Module && import.alias.is_none();
    let place = |import: &ImportDeclaration| (import.module.clone(), import.line);
    let known: HashSet<(String, u32)> = imports.iter().filter(|import| !is_plain(import)).map(place).collect();
    imports.retain(|import| !is_plain(import) || !known.contains(&place(import)));
    let is_static = |import: &ImportDeclaration| import.manner == ImportManner::Static && !import.exported;
    let as_static = |import: &ImportDeclaration| ImportDeclaration {
        manner: ImportManner::Static,
        exported: false,
        ..import.clone()
    };
    let special: HashSet<ImportDeclaration> =
        imports.iter().filter(|import| !is_static(import)).map(as_static).collect();
    if !special.is_empty() {
        imports.retain(|import| !is_static(import) || !special.contains(import));
        imports.dedup();
    }
    imports
}

/// Finds the innermost symbol around a place, for places in rising order.
struct ScopeFinder<'a> {
    symbols: &'a [Symbol],
    next: usize,
    open: Vec<(usize, ByteSpan)>,
}

impl<'a> ScopeFinder<'a> {
    fn new(symbols: &'a [Symbol]) -> Self {
        Self { symbols, next: 0, open: Vec::new() }
    }

    fn innermost_at(&mut self, at: u32) -> Option<usize> {
        while let Some(symbol) = self.symbols.get(self.next).filter(|symbol| symbol.span.start <= at) {
            while self.open.pop_if(|(_, span)| span.end <= symbol.span.start).is_some() {}
            self.open.push((self.next, symbol.span));
            self.next += 1;
        }
        while self.open.pop_if(|(_, span)| span.end <= at).is_some() {}
        self.open.last().map(|(symbol, _)| *symbol)
    }

    /// The innermost symbol whose name comes before a place that was just asked for.
    fn after_its_name(&self, at: u32, names: &[u32]) -> Option<usize> {
        self.open.iter().rev().map(|(symbol, _)| *symbol).find(|symbol| names[*symbol] < at)
    }

    /// The symbol that a binding at a place defines, if any, and the innermost symbol around it.
    fn scopes_around(&mut self, at: u32, names: &[u32]) -> (Option<usize>, Option<usize>) {
        self.innermost_at(at);
        let own = self.open.iter().find(|(symbol, _)| names[*symbol] == at);
        let around = self.open.iter().rev().find(|(_, span)| own.is_none_or(|(_, own)| span != own));
        (own.map(|(symbol, _)| *symbol), around.map(|(symbol, _)| *symbol))
    }
}
