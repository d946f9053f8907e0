//! From what the walk saw used to references that know which symbol they stand in.

use crate::expression::Expression;
use crate::file_extract::{
    FileExtract, ImportDeclaration, ImportManner, ImportedItem, Reference, ReferenceKind, TypeBinding, TypeSource,
};
use crate::harvest::{LeadingTrivia, NewBinding, RawUses};
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
    let bare = uses.names.into_calls(|at| within.innermost_at(at));
    references.extend(bare.into_iter().map(|(at, name)| (at, ReferenceKind::Call, name)));
    references.sort_by_key(|(at, kind, _)| (*at, *kind));
    // Two patterns may speak of the same type: a parameter that is a field too.
    references.dedup();
    leave_out(&mut references, uses.uncalled);
    let mut within = ScopeFinder::new(&extract.symbols);
    extract.references = references
        .into_iter()
        .filter_map(|(at, kind, target)| {
            let mut inner = within.innermost_at(at);
            // What a decorator calls is called by what stands around the definition.
            if kind == ReferenceKind::Call && inner.is_some_and(|symbol| at < names[symbol]) && is_in_lead(leads, at) {
                inner = within.after_its_name(at, names);
            }
            let target = if target == Expression::Super {
                Expression::Member(Box::new(target), extract.symbols[inner?].name.clone())
            } else {
                target
            };
            Some(Reference { kind, target, line: lines.row_of(at) + 1, within: inner })
        })
        .collect();
    let mut within = ScopeFinder::new(&extract.symbols);
    let mut bindings = uses.bindings;
    // Of what is said twice of one name, a type counts more than a value. What a function gives back is told below.
    let worth = |says: &TypeSource| match says {
        TypeSource::Type(Expression::Unknown) | TypeSource::Value(Expression::Unknown) => 2,
        TypeSource::Value(_) => 1,
        TypeSource::Type(_) => 0,
    };
    bindings.sort_by_key(|(at, binding)| (*at, worth(&binding.says)));
    let mut said = HashSet::default();
    bindings.retain(|(at, binding)| said.insert((*at, binding.is_field)));
    let symbols: HashMap<u32, usize> = names.iter().enumerate().rev().map(|(symbol, at)| (*at, symbol)).collect();
    let functions: HashSet<u32> =
        uses.returns.iter().map(|(at, _)| *at).filter(|at| symbols.contains_key(at)).collect();
    bindings.retain(|(at, _)| !functions.contains(at));
    extract.bindings = bindings
        .into_iter()
        .map(|(at, NewBinding { name, is_field, says, reach })| {
            let (own, around) = within.scopes_around(at, names);
            // What a symbol of a type binds, the type has.
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
    returns.sort_by_key(|(symbol, says)| (*symbol, *says == Expression::Unknown));
    returns.dedup_by_key(|(symbol, _)| *symbol);
    extract.returns = returns;
}

/// Takes out the calls, sorted by place, that stand in one of the spans.
fn leave_out(references: &mut Vec<(u32, ReferenceKind, Expression)>, mut spans: Vec<ByteSpan>) {
    spans.sort_unstable_by_key(|span| span.start);
    let mut spans = spans.into_iter().peekable();
    let mut until = 0;
    references.retain(|(at, kind, _)| {
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

/// An import found by a pattern that knows more of it, such as its manner or what it is called here, is found by one
/// that does not, too.
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

    /// The innermost symbol whose name stands before a place just asked for.
    fn after_its_name(&self, at: u32, names: &[u32]) -> Option<usize> {
        self.open.iter().rev().map(|(symbol, _)| *symbol).find(|symbol| names[*symbol] < at)
    }

    /// The symbol that something bound there is itself, if it is one, and the innermost around that.
    fn scopes_around(&mut self, at: u32, names: &[u32]) -> (Option<usize>, Option<usize>) {
        self.innermost_at(at);
        let own = self.open.iter().find(|(symbol, _)| names[*symbol] == at);
        let around = self.open.iter().rev().find(|(_, span)| own.is_none_or(|(_, own)| span != own));
        (own.map(|(symbol, _)| *symbol), around.map(|(symbol, _)| *symbol))
    }
}
