//! Builds the section outline of documents: extends each heading to the end of its section, leaves out the deeper
//! levels of files with more symbols than a reader can use, and chooses which sections are regions of their own.

use super::symbol_text;
use crate::harvest::{DefinitionKind, LeadingTrivia, RawDefinition, trim_span};
use crate::line_table::LineTable;
use model::{ByteSpan, Symbol, SymbolKind};

/// A section with fewer rows of words and fewer bytes, such as a title above the first chapter, says too little alone.
const TINY_SECTION_ROWS: usize = 6;
const TINY_BYTES: u32 = 400;
/// Sections are put together up to so many rows.
const MAX_MERGED_ROWS: u32 = 40;
/// Text that is indented less than this is no list or quotation.
const INDENT: usize = 2;

/// Extends each heading to the next heading of its level or a higher one.
///
/// Some grammars have a node for a heading and none for its section. A section ends with the definition or scope its
/// heading is inside of, and headings inside of another definition do not end it, so that symbols never overlap in part.
/// `found` has outer before inner.
pub(crate) fn extend_headings(found: &mut [RawDefinition], lines: &LineTable, leads: &[LeadingTrivia]) {
    // Code has no headings, and most grammars of documents have nodes for whole sections.
    if found.iter().all(|found| found.level.is_none()) {
        return;
    }
    let bytes = lines.bytes();
    let mut places = vec![HeadingScope { end: bytes.len() as u32, open: Vec::new() }];
    for at in 0..found.len() {
        let start = found[at].span.start;
        while places.len() > 1
            && let Some(place) = places.pop_if(|place| place.end <= start)
        {
            place.open.iter().for_each(|&open| end_section(&mut found[open], place.end, bytes));
        }
        let Some(level) = found[at].level else {
            places.push(HeadingScope { end: found[at].span.end, open: Vec::new() });
            continue;
        };
        let place = places.last_mut().expect("the file itself is never left");
        while let Some(open) = place.open.pop_if(|open| found[*open].level >= Some(level)) {
            // The comment above a heading belongs to it.
            end_section(&mut found[open], symbol_text::start_of_leads(lines, start, leads), bytes);
        }
        place.open.push(at);
    }
    for place in places {
        place.open.iter().for_each(|&open| end_section(&mut found[open], place.end, bytes));
    }
}

/// Leaves out the deeper levels of a file that would have more than `most` symbols. `found` has outer before inner.
pub(crate) fn keep_structure(found: &mut Vec<RawDefinition>, most: usize) {
    if found.len() <= most {
        return;
    }
    let mut open: Vec<ByteSpan> = Vec::new();
    let mut depths = Vec::with_capacity(found.len());
    let mut counts = Vec::new();
    for found in &*found {
        while open.pop_if(|open| *open == found.span || !open.contains(found.span)).is_some() {}
        depths.push(open.len());
        if found.what != DefinitionKind::Scope {
            counts.resize(counts.len().max(open.len() + 1), 0);
            counts[open.len()] += 1;
            open.push(found.span);
        }
    }
    let mut total = 0;
    // Whole levels: a level with some entries missing would look complete.
    let kept = counts.iter().take_while(|count| {
        total += **count;
        total <= most
    });
    let kept = kept.count();
    let mut depths = depths.into_iter();
    found.retain(|found| depths.next().is_some_and(|depth| depth < kept) || found.what == DefinitionKind::Scope);
}

/// The rows at which the regions of a document begin: at its headings, with the leads above them. A tiny section is
/// joined to the next one, unless that is a higher one; then to the one before.
pub(crate) fn section_starts(lines: &LineTable, symbols: &[Symbol], leads: &[LeadingTrivia]) -> Vec<u32> {
    let mut starts: Vec<(u32, usize)> = vec![(0, 0)];
    let mut open: Vec<ByteSpan> = Vec::new();
    let mut heads: Vec<(u32, usize)> = Vec::new();
    for symbol in symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Section) {
        while open.pop_if(|open| !open.contains(symbol.span)).is_some() {}
        let depth = open.len();
        open.push(symbol.span);
        let start = symbol.span.start;
        // A quoted or listed heading stays with the text around it.
        if lines.starts_its_row(start) && lines.indent_width(lines.row_of(start)) < INDENT {
            heads.push((lines.row_of(symbol_text::start_of_leads(lines, start, leads)), depth));
        }
    }
    let is_worded =
        |row: &u32| lines.row_bytes(*row).iter().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
    for (at, &(row, depth)) in heads.iter().enumerate() {
        let &(last, above) = starts.last().expect("the first row is one");
        let (end, below) = heads.get(at + 1).copied().unwrap_or((lines.line_count(), 0));
        let bytes = lines.span_of(last, row);
        let is_tiny = bytes.end - bytes.start < TINY_BYTES && (last..row).filter(is_worded).count() < TINY_SECTION_ROWS;
        // A heading above others belongs to them, and does not end the text before it.
        let goes_on = depth > above || (depth == above && below <= depth);
        if row == 0 || (is_tiny && goes_on && end - last <= MAX_MERGED_ROWS.max(end - row + TINY_SECTION_ROWS as u32)) {
            continue;
        }
        // A tiny section that cannot be joined to the next one is joined to the one before, if there is room.
        let before = starts.len().checked_sub(2).map(|at| starts[at].0);
        if is_tiny && before.is_some_and(|before| row - before <= MAX_MERGED_ROWS) {
            starts.pop();
        }
        starts.push((row, depth));
    }
    starts.into_iter().map(|(row, _)| row).collect()
}

/// A stretch of the file whose headings end each other.
struct HeadingScope {
    end: u32,
    /// Headings whose section goes on, the highest first.
    open: Vec<usize>,
}

fn end_section(found: &mut RawDefinition, end: u32, bytes: &[u8]) {
    found.span.end = end.max(found.span.end);
    found.span = trim_span(found.span, bytes);
}
