//! Cuts a file into chunks (units) of about fifty lines that begin and end where the syntax does. The walk splits every
//! node that is too long into its children, so a short function is one piece, a long one several. Here neighbours are
//! joined again, as long as the result is small, no large piece is swallowed, and nothing reaches across the end of a
//! split node. A file without a tree is cut at blank lines, a document at its headings.

mod regions;

use crate::file_extract::{FileExtract, SearchUnit};
use crate::harvest::{CutPoint, LONGEST_WHOLE, WalkHarvest};
use crate::language::ContentKind;
use crate::line_table::LineTable;
use crate::symbols::sections;
use model::{LineRange, Symbol, SymbolKind};
use std::cmp::Reverse;

/// Small neighbours are put together up to this.
const TARGET: u32 = 50;
/// A piece this long says enough alone.
const STANDALONE_ROWS: u32 = 25;
/// Less than this is a crumb: a heading, a closing brace.
const CRUMB: u32 = 8;
/// A comment longer than this may be parted from a long declaration below it.
const LONGEST_WITH_LEAD: u32 = 90;

/// Cuts a file without a tree.
pub(crate) fn by_lines(lines: &LineTable) -> Vec<SearchUnit> {
    let mut starts = Vec::new();
    cut_text(lines, 0, lines.line_count(), &mut starts);
    build_units(lines, &starts, &[])
}

/// Cuts a file at its pieces.
pub(crate) fn by_pieces(
    lines: &LineTable,
    harvest: &WalkHarvest,
    extract: &FileExtract,
    holds: ContentKind,
) -> Vec<SearchUnit> {
    if lines.line_count() == 0 {
        return Vec::new();
    }
    // A page with scripts has other symbols than sections and is cut like code.
    let is_document =
        holds == ContentKind::Prose && extract.symbols.iter().all(|symbol| symbol.kind == SymbolKind::Section);
    let starts = if is_document {
        by_sections(lines, harvest, &extract.symbols)
    } else {
        let mut starts = Vec::new();
        cut_stretches(lines, &build_stretches(lines, harvest.pieces.clone()), &mut starts);
        regions::region_starts(lines, &starts, &extract.symbols, &extract.prototypes, &harvest.leads)
    };
    build_units(lines, &starts, &extract.symbols)
}

/// The rows at which the units of a document begin: each section is one, and a long one is cut between its paragraphs.
fn by_sections(lines: &LineTable, harvest: &WalkHarvest, symbols: &[Symbol]) -> Vec<u32> {
    let sections = sections::section_starts(lines, symbols, &harvest.leads);
    let mut pieces = harvest.pieces.clone();
    pieces.extend(sections.iter().map(|row| CutPoint { row: *row, depth: 0, is_lead: false }));
    pieces.sort_by_key(|piece| (piece.row, piece.depth));
    let mut starts = Vec::new();
    for section in build_stretches(lines, pieces).chunk_by(|_, next| sections.binary_search(&next.row).is_err()) {
        let rows: u32 = section.iter().map(|stretch| stretch.row_count()).sum();
        match rows {
            ..=LONGEST_WHOLE => starts.push(section[0].row),
            _ => cut_stretches(lines, section, &mut starts),
        }
    }
    starts
}

/// Joins neighbours, and gives the rows at which the results begin.
fn cut_stretches(lines: &LineTable, stretches: &[CutStretch], starts: &mut Vec<u32>) {
    let mut from = 0;
    while from < stretches.len() {
        let to = unit_end(stretches, from, lines);
        let first = stretches[from].row;
        let last = stretches[to - 1].end;
        if to == from + 1 && last - first > LONGEST_WITH_LEAD {
            // Nothing to cut at, such as a very long comment or string.
            cut_text(lines, first, last, starts);
        } else {
            starts.push(first);
        }
        from = to;
    }
}

/// A piece with its end.
#[derive(Clone, Copy)]
struct CutStretch {
    row: u32,
    end: u32,
    depth: u16,
}

impl CutStretch {
    fn row_count(self) -> u32 {
        self.end - self.row
    }
}

/// Gives each piece the rows up to the next, and joins comments and attributes to the piece below them.
fn build_stretches(lines: &LineTable, mut pieces: Vec<CutPoint>) -> Vec<CutStretch> {
    pieces.dedup_by_key(|piece| piece.row);
    let mut stretches: Vec<CutStretch> = Vec::with_capacity(pieces.len() + 1);
    let mut lead = false;
    for (at, piece) in pieces.iter().enumerate() {
        let end = pieces.get(at + 1).map_or(lines.line_count(), |next| next.row);
        match stretches.last_mut() {
            Some(last) if lead && last.depth == piece.depth && end - last.row <= LONGEST_WITH_LEAD => last.end = end,
            // Rows before the first piece belong to it.
            None => stretches.push(CutStretch { row: 0, end, depth: piece.depth }),
            Some(_) => stretches.push(CutStretch { row: piece.row, end, depth: piece.depth }),
        }
        // A comment above a blank line is about the section; but some authors leave one below a block comment.
        let blanks = (piece.row..end).rev().take_while(|row| lines.is_blank(*row)).count() as u32;
        lead = piece.is_lead && (blanks == 0 || (blanks == 1 && end - piece.row > 2));
    }
    if stretches.is_empty() {
        stretches.push(CutStretch { row: 0, end: lines.line_count(), depth: 0 });
    }
    stretches
}

/// The end of the unit that begins with stretch `from`.
fn unit_end(stretches: &[CutStretch], from: usize, lines: &LineTable) -> usize {
    let start = stretches[from].row;
    // A large piece says enough alone and is not joined to others.
    let mut has_large = stretches[from].row_count() >= STANDALONE_ROWS;
    for to in from + 1..stretches.len() {
        let before = stretches[to - 1];
        let next = stretches[to];
        let size = before.end - start;
        let grown = next.end - start;
        // The next stretch is outside of the opened node, whose end no unit crosses.
        let leaves = next.depth < before.depth && size >= CRUMB;
        // A closing brace or a heading alone is no useful result of a search.
        let is_crumb = size < CRUMB || next.row_count() < CRUMB / 2;
        if is_crumb && !leaves && grown <= LONGEST_WHOLE {
            has_large |= next.row_count() >= STANDALONE_ROWS;
            continue;
        }
        if leaves || has_large || next.row_count() >= STANDALONE_ROWS {
            return to;
        }
        if grown > TARGET {
            // The best place to cut: the shallowest, then one after a blank line, then the latest.
            let later = (from + 1..=to).filter(|&at| stretches[at].row - start >= STANDALONE_ROWS);
            let quality = |at: &usize| (Reverse(stretches[*at].depth), follows_blank(lines, stretches[*at].row), *at);
            return later.max_by_key(quality).unwrap_or(to);
        }
    }
    stretches.len()
}

/// Cuts rows `first..end` near every fiftieth, before the least indented row that follows a blank one.
fn cut_text(lines: &LineTable, first: u32, end: u32, starts: &mut Vec<u32>) {
    let mut at = first;
    while at < end {
        starts.push(at);
        if end - at <= LONGEST_WHOLE {
            return;
        }
        let quality = |row: &u32| {
            let blank = follows_blank(lines, *row) && !lines.is_blank(*row);
            (blank, Reverse(lines.indent_width(*row)), Reverse(row.abs_diff(at + TARGET)))
        };
        at = (at + STANDALONE_ROWS..=at + LONGEST_WHOLE).max_by_key(quality).unwrap_or(at + TARGET);
    }
}

fn follows_blank(lines: &LineTable, row: u32) -> bool {
    row > 0 && lines.is_blank(row - 1)
}

/// Makes units from their first rows, and lists the symbols in each.
fn build_units(lines: &LineTable, starts: &[u32], symbols: &[Symbol]) -> Vec<SearchUnit> {
    let mut units: Vec<SearchUnit> = starts
        .iter()
        .enumerate()
        .map(|(at, &start)| {
            let end = starts.get(at + 1).copied().unwrap_or(lines.line_count());
            let lines_of = LineRange { start: start + 1, end };
            SearchUnit { lines: lines_of, span: lines.span_of(start, end), symbol: None, defines: Vec::new() }
        })
        .collect();
    for (index, symbol) in symbols.iter().enumerate() {
        let first = units.partition_point(|unit| unit.lines.end < symbol.lines.start);
        units[first].defines.push(index);
        for unit in units[first..].iter_mut().take_while(|unit| unit.lines.start <= symbol.lines.end) {
            let shared = unit.lines.end.min(symbol.lines.end) - unit.lines.start.max(symbol.lines.start) + 1;
            // Symbols come outer first, so the last to hold more than half is the innermost.
            if shared * 2 > unit.lines.count() {
                unit.symbol = Some(index);
            }
        }
    }
    units
}
