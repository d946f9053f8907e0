//! Splits a file into regions, the pieces a person would paste as an answer. A function or method with its comments and
//! decorators is a region; a type that is small or has no functions is one, and so is the head of a larger type up to
//! its first function. Text between them (imports, constants, statements) is cut as `units` cuts any text. A function
//! is cut only where it is too long to paste.

use crate::harvest::LeadingTrivia;
use crate::line_table::LineTable;
use crate::symbols::symbol_text::start_of_leads;
use model::{Symbol, SymbolKind};
use std::collections::BTreeSet;

/// A function or type of more rows is cut where its syntax allows.
const MAX_WHOLE_ROWS: u32 = 150;
/// Neighbouring functions of so few rows each, such as getters, are put together up to `MAX_MERGED_ROWS` rows.
const TINY_FUNCTION_ROWS: u32 = 4;
const MAX_MERGED_ROWS: u32 = 16;
/// A type without functions and with fewer rows stays with the text around it.
const SMALL_TYPE: u32 = 6;
/// A type of so few rows is one region with all its functions, and so is a file.
const WHOLE_TYPE: u32 = 16;
/// Rows between two regions belong to the region before them if fewer of them have words than this.
const CRUMB: u32 = 3;

/// Rows from `start` up to, not including, `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RegionRows {
    start: u32,
    end: u32,
}

impl RegionRows {
    fn row_count(self) -> u32 {
        self.end - self.start
    }

    fn contains_row(self, row: u32) -> bool {
        self.start <= row && row < self.end
    }
}

/// The rows at which regions begin, from the rows at which plain units would.
pub(crate) fn region_starts(
    lines: &LineTable,
    plain: &[u32],
    symbols: &[Symbol],
    prototypes: &[usize],
    leads: &[LeadingTrivia],
) -> Vec<u32> {
    if lines.line_count() <= WHOLE_TYPE {
        return plain.to_vec();
    }
    let functions = function_rows(lines, symbols, prototypes, leads);
    let types = type_rows(lines, symbols, &functions, leads);
    if functions.is_empty() && types.is_empty() {
        return plain.to_vec();
    }
    // The functions of a small type are part of its region.
    let small: Vec<RegionRows> =
        types.iter().map(|(rows, _)| *rows).filter(|rows| rows.row_count() <= WHOLE_TYPE).collect();
    let is_in_small = |rows: &RegionRows| small.iter().any(|small| small.start <= rows.start && rows.end <= small.end);
    let functions: Vec<RegionRows> = functions.into_iter().filter(|rows| !is_in_small(rows)).collect();
    let types: Vec<(RegionRows, bool)> =
        types.into_iter().map(|(rows, is_whole)| (rows, is_whole || rows.row_count() <= WHOLE_TYPE)).collect();
    let mut cuts: BTreeSet<u32> = BTreeSet::from([0]);
    let whole = || functions.iter().chain(types.iter().filter(|(_, is_whole)| *is_whole).map(|(rows, _)| rows));
    let stays_whole =
        |row: u32| whole().any(|rows| rows.row_count() <= MAX_WHOLE_ROWS && rows.start < row && row < rows.end);
    for rows in whole() {
        cuts.extend([rows.start, rows.end]);
    }
    cuts.extend(types.iter().map(|(rows, _)| rows.start));
    // Plain cuts stay between regions; inside of a region they would part it.
    cuts.extend(plain.iter().filter(|row| !stays_whole(**row)));
    cuts.retain(|row| *row < lines.line_count());
    join_regions(lines, &cuts.into_iter().collect::<Vec<_>>(), &functions)
}

/// The outermost functions with the leads directly above them. A long function that is mostly other functions, like a
/// module in JavaScript, counts as those.
fn function_rows(
    lines: &LineTable,
    symbols: &[Symbol],
    prototypes: &[usize],
    leads: &[LeadingTrivia],
) -> Vec<RegionRows> {
    let is_function = |at: usize| {
        let symbol = &symbols[at];
        matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro)
            && !prototypes.contains(&at)
    };
    let inner = |outer: &Symbol, at: usize| {
        let inside = (at + 1..symbols.len()).take_while(|other| symbols[*other].span.start < outer.span.end);
        inside.filter(|other| is_function(*other)).map(|other| symbols[other].lines.count()).collect::<Vec<u32>>()
    };
    let mut found: Vec<RegionRows> = Vec::new();
    let mut end = 0;
    for (at, symbol) in symbols.iter().enumerate().filter(|(at, _)| is_function(*at)) {
        let is_inside = symbol.span.start < end;
        // A declaration on one row is part of its type.
        if is_inside || (symbol.lines.count() < 2 && symbol.container.is_some()) {
            continue;
        }
        let inner = inner(symbol, at);
        let is_module = symbol.lines.count() > MAX_WHOLE_ROWS
            && inner.len() > 2
            && inner.iter().sum::<u32>() * 2 > symbol.lines.count();
        if is_module {
            continue;
        }
        end = symbol.span.end;
        let start = lines.row_of(start_of_leads(lines, symbol.span.start, leads));
        // Leads may reach up to the row on which the function before ends.
        found.push(RegionRows { start: start.max(found.last().map_or(0, |last| last.end)), end: symbol.lines.end });
    }
    found
}

/// Types outside of functions, and whether all of each is one region: that is so where no function is inside of it.
fn type_rows(
    lines: &LineTable,
    symbols: &[Symbol],
    functions: &[RegionRows],
    leads: &[LeadingTrivia],
) -> Vec<(RegionRows, bool)> {
    let kinds = [SymbolKind::Class, SymbolKind::Struct, SymbolKind::Enum, SymbolKind::Interface, SymbolKind::Trait];
    let mut found: Vec<(RegionRows, bool)> = Vec::new();
    for symbol in symbols.iter().filter(|symbol| kinds.contains(&symbol.kind)) {
        let start = lines.row_of(start_of_leads(lines, symbol.span.start, leads));
        let rows = RegionRows { start, end: symbol.lines.end };
        // A type inside of a function, or of a type that is one region, is part of that region.
        let is_inside = functions
            .iter()
            .any(|function| function.start < rows.end && rows.end <= function.end && function.contains_row(rows.start))
            || found.iter().any(|(outer, is_whole)| *is_whole && outer.start <= rows.start && rows.end <= outer.end);
        let is_whole = !functions.iter().any(|function| rows.start <= function.start && function.end <= rows.end);
        if is_inside || (is_whole && rows.row_count() < SMALL_TYPE) {
            continue;
        }
        found.push((rows, is_whole));
    }
    found
}

/// Joins crumbs to the region before them, and tiny functions to each other.
fn join_regions(lines: &LineTable, cuts: &[u32], functions: &[RegionRows]) -> Vec<u32> {
    let mut starts: Vec<u32> = Vec::with_capacity(cuts.len());
    let is_function = |row: u32| functions.iter().any(|function| function.start == row);
    // Whether the region at the end of the list is made of tiny functions only.
    let mut is_tiny = false;
    for (at, &start) in cuts.iter().enumerate() {
        let end = cuts.get(at + 1).copied().unwrap_or(lines.line_count());
        let worded = (start..end).filter(|row| has_word(lines, *row)).count() as u32;
        let this_is_tiny = is_function(start) && worded <= TINY_FUNCTION_ROWS;
        let joins = match starts.last() {
            None => false,
            Some(_) if !is_function(start) && worded < CRUMB => true,
            // Functions with another indentation belong to another type.
            Some(last) => {
                is_tiny
                    && this_is_tiny
                    && end - last <= MAX_MERGED_ROWS
                    && lines.indent_width(*last) == lines.indent_width(start)
            }
        };
        if joins {
            continue;
        }
        is_tiny = this_is_tiny;
        starts.push(start);
    }
    starts
}

fn has_word(lines: &LineTable, row: u32) -> bool {
    lines.row_bytes(row).iter().any(u8::is_ascii_alphanumeric)
}
