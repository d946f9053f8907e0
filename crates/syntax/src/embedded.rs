//! Text of another language inside a file, such as the code in a page's `<script>`.
//!
//! The other language's parser reads it where it stands, so every byte and row is the file's own, and what it finds
//! joins what the file's own language found. Each stretch is read alone: an error in one does not reach the next. A
//! stretch in a language that is not known is left alone.

use crate::language::{Language, language_called};
use crate::units::LONGEST_WHOLE;
use crate::walk::{Harvest, Trouble};
use std::cmp::Reverse;
use tree_sitter::Range;

/// One stretch of text in another language.
pub(crate) struct Embedded {
    pub(crate) range: Range,
    /// What the file calls the language.
    pub(crate) word: String,
    /// Where two patterns find the same stretch, the earlier counts.
    pub(crate) pattern: usize,
    /// How deep in the file's own tree it stands.
    pub(crate) depth: u16,
}

impl Embedded {
    pub(crate) fn row(&self) -> u32 {
        self.range.start_point.row as u32
    }
}

/// Takes the stretches to read out of a harvest, each with its language, in order of place.
pub(crate) fn take(harvest: &mut Harvest) -> Vec<(Embedded, &'static Language)> {
    let mut all = std::mem::take(&mut harvest.embedded);
    all.retain(|embedded| embedded.range.start_byte < embedded.range.end_byte);
    all.sort_by_key(|embedded| (embedded.range.start_byte, embedded.pattern));
    all.dedup_by_key(|embedded| embedded.range.start_byte);
    all.into_iter()
        .filter_map(|embedded| language_called(&embedded.word).map(|language| (embedded, language)))
        .collect()
}

/// Adds what was found in a stretch to what was found around it.
pub(crate) fn join(harvest: &mut Harvest, inner: Harvest, embedded: &Embedded) {
    let rows = embedded.range.end_point.row - embedded.range.start_point.row + 1;
    if rows as u32 > LONGEST_WHOLE {
        let deeper = inner.pieces.into_iter().map(|mut piece| {
            piece.depth = piece.depth.saturating_add(embedded.depth);
            piece
        });
        harvest.pieces.extend(deeper);
    }
    harvest.found.extend(inner.found);
    harvest.wraps.extend(inner.wraps);
    harvest.leads.extend(inner.leads);
    harvest.docstrings.extend(inner.docstrings);
    harvest.errors = both(harvest.errors, inner.errors);
    harvest.too_deep = both(harvest.too_deep, inner.too_deep);
    let (uses, inner) = (&mut harvest.uses, inner.uses);
    uses.references.extend(inner.references);
    uses.imports.extend(inner.imports);
    uses.bindings.extend(inner.bindings);
    uses.returns.extend(inner.returns);
    uses.results.extend(inner.results);
    uses.uncalled.extend(inner.uncalled);
    uses.names.bound.extend(inner.names.bound);
    uses.names.used.extend(inner.names.used);
}

/// Puts everything back into order of place after stretches were joined.
pub(crate) fn in_order(harvest: &mut Harvest) {
    harvest.pieces.sort_by_key(|piece| piece.row);
    harvest.wraps.sort_by_key(|wrap| (wrap.start, Reverse(wrap.end)));
    harvest.leads.sort_by_key(|lead| lead.span.start);
    harvest.docstrings.sort_by_key(|docstring| docstring.body);
    harvest.uses.imports.sort_by_key(|import| import.line);
}

fn both(one: Option<Trouble>, other: Option<Trouble>) -> Option<Trouble> {
    match (one, other) {
        (Some(one), Some(other)) => Some(Trouble { count: one.count + other.count, row: one.row.min(other.row) }),
        (one, other) => one.or(other),
    }
}
