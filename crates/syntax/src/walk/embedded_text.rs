//! Prepares and merges ranges of a file that are parsed by themselves; the parsing itself is in `extract`. Takes the
//! embedded ranges out of a harvest, each with its language: code of another language, such as in a page's `<script>`,
//! or of the same, such as the items in a macro. Merges what was found in a range, or in a lost definition that was
//! parsed again, into the harvest around it. A range in an unknown language is dropped, and so are the findings of one
//! of the same language in which nothing is defined.

use crate::harvest::{
    DefinitionKind, EmbeddedLanguage, EmbeddedText, ErrorCount, LONGEST_WHOLE, RawDefinition, WalkHarvest,
};
use crate::language::{Language, language_called};
use foldhash::HashMap;
use std::cmp::Reverse;
use tree_sitter::Range;

/// Macros in macros are read up to this depth; each level reads its text once more.
pub(crate) const MAX_MACRO_DEPTH: u8 = 4;

/// Takes the embedded texts out of a harvest, each with its language, in order of place.
pub(crate) fn take_stretches(
    harvest: &mut WalkHarvest,
    around: &'static Language,
) -> Vec<(EmbeddedText, &'static Language)> {
    let mut all = std::mem::take(&mut harvest.embedded);
    all.retain(|embedded| embedded.range.start_byte < embedded.range.end_byte);
    // Where two patterns match one text, the earlier pattern decides the language.
    all.sort_by_key(|embedded| (embedded.range.start_byte, embedded.pattern));
    all.dedup_by_key(|embedded| embedded.range.start_byte);
    let with_language = |embedded: EmbeddedText| {
        let language = match &embedded.written {
            EmbeddedLanguage::In(word) => language_called(word).filter(|language| language.query_rules().is_some())?,
            EmbeddedLanguage::Again => around,
        };
        Some((embedded, language))
    };
    all.into_iter().filter_map(with_language).collect()
}

/// Replaces what was found of a definition by what it gives when it is parsed alone.
pub(crate) fn replace_definition(
    harvest: &mut WalkHarvest,
    mut inner: WalkHarvest,
    range: Range,
    known: &mut HashMap<u32, u32>,
) {
    remove_range(harvest, &range);
    let mut is_new = |found: &RawDefinition| known.insert(found.name.start, found.span.end).is_none();
    inner.found.retain(|found| found.what == DefinitionKind::Scope || is_new(found));
    // The errors of this range are counted already.
    inner.errors = None;
    let rows = range.start_point.row as u32..=range.end_point.row as u32;
    // These rows were parsed again, so only the second parse says which of them make no sense.
    harvest.senseless.retain(|row| !rows.contains(row));
    harvest.senseless.append(&mut inner.senseless);
    // The pieces of the first parse cover these rows.
    inner.pieces.clear();
    merge_harvest(harvest, inner);
}

/// Adds what was found in an embedded text to what was found around it.
pub(crate) fn merge_embedded(harvest: &mut WalkHarvest, mut inner: WalkHarvest, embedded: &EmbeddedText) {
    if embedded.is_again() {
        // Most macros take expressions, of which the outer walk has read the calls already.
        if inner.found.is_empty() {
            return;
        }
        // The arguments of a macro need not be code, so errors in them mean nothing.
        inner.errors = None;
        inner.senseless.clear();
        remove_range(harvest, &embedded.range);
        let (first, last) = rows_of(&embedded.range);
        harvest.pieces.retain(|piece| piece.row <= first || piece.row > last);
    }
    let rows = embedded.range.end_point.row - embedded.range.start_point.row + 1;
    // An embedded text that is short enough to stay whole needs no places to cut.
    if rows as u32 > LONGEST_WHOLE {
        inner.pieces.iter_mut().for_each(|piece| piece.depth = piece.depth.saturating_add(embedded.depth));
    } else {
        inner.pieces.clear();
    }
    merge_harvest(harvest, inner);
}

fn merge_harvest(harvest: &mut WalkHarvest, mut inner: WalkHarvest) {
    harvest.pieces.extend(inner.pieces);
    harvest.senseless.append(&mut inner.senseless);
    harvest.found.extend(inner.found);
    harvest.wraps.extend(inner.wraps);
    harvest.leads.extend(inner.leads);
    harvest.docstrings.extend(inner.docstrings);
    harvest.errors = merge_counts(harvest.errors, inner.errors);
    harvest.too_deep = merge_counts(harvest.too_deep, inner.too_deep);
    let uses = &mut harvest.uses;
    let inner = inner.uses;
    uses.references.extend(inner.references);
    uses.imports.extend(inner.imports);
    uses.bindings.extend(inner.bindings);
    uses.returns.extend(inner.returns);
    uses.results.extend(inner.results);
    uses.uncalled.extend(inner.uncalled);
    uses.names.bound.extend(inner.names.bound);
    uses.names.used.extend(inner.names.used);
}

/// Removes what was guessed about a range before it was parsed.
fn remove_range(harvest: &mut WalkHarvest, range: &Range) {
    let (first, last) = rows_of(range);
    let holds = |byte: u32| (range.start_byte..range.end_byte).contains(&(byte as usize));
    harvest.leads.retain(|lead| !holds(lead.span.start));
    harvest.uses.references.retain(|reference| !holds(reference.at));
    harvest.uses.imports.retain(|import| !(first + 1..=last + 1).contains(&import.line));
    harvest.uses.names.bound.retain(|(at, _)| !holds(*at));
    harvest.uses.names.used.retain(|(at, _)| !holds(*at));
    harvest.uses.bindings.retain(|(at, _)| !holds(*at));
    harvest.uses.returns.retain(|(at, _)| !holds(*at));
    harvest.uses.results.retain(|(at, _)| !holds(*at));
}

fn rows_of(range: &Range) -> (u32, u32) {
    (range.start_point.row as u32, range.end_point.row as u32)
}

/// Restores the order of places after texts were merged.
pub(crate) fn in_order(harvest: &mut WalkHarvest) {
    harvest.pieces.sort_by_key(|piece| piece.row);
    harvest.wraps.sort_by_key(|wrap| (wrap.start, Reverse(wrap.end)));
    harvest.leads.sort_by_key(|lead| lead.span.start);
    harvest.docstrings.sort_by_key(|docstring| docstring.body);
    harvest.uses.imports.sort_by_key(|import| import.line);
}

fn merge_counts(one: Option<ErrorCount>, other: Option<ErrorCount>) -> Option<ErrorCount> {
    match (one, other) {
        (Some(one), Some(other)) => Some(ErrorCount { count: one.count + other.count, row: one.row.min(other.row) }),
        (one, other) => one.or(other),
    }
}
