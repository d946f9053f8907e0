//! Renders the map view of a file as text: its definitions, one line each, nested, with the lines to read for the rest.
//! Of code it shows functions and types; constants and fields are counted. An id that is not the container's qualified
//! name and the name is printed behind its line.

use super::symbol_text::truncate_text;
use crate::file_extract::FileExtract;
use crate::line_table::LineTable;
use model::{LineRange, Symbol, SymbolKind};
use std::collections::HashMap;
use std::fmt::Write;

/// A map is read whole, so no line of it may be long.
const LONGEST_LINE: usize = 160;

/// How many unparsed stretches are listed.
const MOST_UNPARSED: usize = 3;

/// Draws the map of a file. One without symbols shows the first line of each unit instead.
pub fn render_map(path: &str, bytes: &[u8], extract: &FileExtract) -> String {
    map_within(path, bytes, extract, LineRange { start: 1, end: extract.lines })
}

/// The map of some lines of a file: the definitions inside of them.
pub(crate) fn map_within(path: &str, bytes: &[u8], extract: &FileExtract, shown: LineRange) -> String {
    let is_whole = shown.start <= 1 && extract.lines <= shown.end;
    let lies_inside = |lines: LineRange| shown.start <= lines.start && lines.end <= shown.end;
    let mut symbols: Vec<&Symbol> = extract.symbols.iter().filter(|symbol| lies_inside(symbol.lines)).collect();
    let all = symbols.len();
    // In a file of data, constants and fields are all that there is.
    if symbols.iter().any(|symbol| is_code(symbol.kind)) {
        symbols.retain(|symbol| !matches!(symbol.kind, SymbolKind::Constant | SymbolKind::Field));
    }
    let values = all - symbols.len();
    let (place, count) = if is_whole {
        (path.to_owned(), extract.lines)
    } else {
        (format!("{path}:{}-{}", shown.start, shown.end), shown.count())
    };
    let not_shown = if values > 0 { format!("; {values} constants and fields left out") } else { String::new() };
    // One example shows a reader how to write the id of any line.
    let like = symbols.iter().find(|symbol| symbol.container.is_some()).or(symbols.first());
    let like = like.map(|symbol| format!("; ids like …#{}", symbol.id.qualified_name())).unwrap_or_default();
    let mut out = format!("{place} ({count} lines{not_shown}{like})\n");
    let unparsed = extract.unparsed.iter().filter(|lines| lines.start <= shown.end && shown.start <= lines.end);
    for lines in unparsed.take(MOST_UNPARSED) {
        let LineRange { start, end } = lines;
        out.push_str(&format!("lines {start}-{end} could not be parsed: names defined there may be missing\n"));
    }
    if symbols.is_empty() {
        let lines = LineTable::new(bytes);
        for unit in extract.units.iter().filter(|unit| unit.lines.start <= shown.end && shown.start <= unit.lines.end) {
            let part = LineRange { start: unit.lines.start.max(shown.start), end: unit.lines.end.min(shown.end) };
            let mut rows = (part.start - 1..part.end).filter(|row| !lines.is_blank(*row));
            let text = rows.next().map(|row| String::from_utf8_lossy(lines.row_bytes(row)).trim().to_owned());
            push_map_line(&mut out, 0, Some(part), text.unwrap_or_default());
        }
        return out;
    }
    render_symbols(&mut out, &symbols);
    out
}

/// The map of symbols that are known without their file.
pub fn map_of(heading: &str, symbols: &[Symbol]) -> String {
    let mut out = format!("{heading}\n");
    render_symbols(&mut out, &symbols.iter().collect::<Vec<_>>());
    out
}

fn render_symbols(out: &mut String, symbols: &[&Symbol]) {
    let by_id: HashMap<_, _> = symbols.iter().enumerate().map(|(at, symbol)| (&symbol.id, at)).collect();
    let container = |symbol: &Symbol| symbol.container.as_ref().and_then(|id| by_id.get(id).copied());
    let mut children: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    for (at, symbol) in symbols.iter().enumerate() {
        children.entry(container(symbol)).or_default().push(at);
    }
    // A list in place of recursion, the next line last: a file may nest deeper than a call stack should.
    let mut pending = vec![MapLine::Children { of: None, depth: 0 }];
    while let Some(line) = pending.pop() {
        match line {
            MapLine::Symbol { at, depth } => {
                push_map_line(out, depth, Some(symbols[at].lines), symbols[at].signature.clone());
                let qualified_name = symbols[at].id.qualified_name();
                // A reader cannot derive the suffix of a repeated qualified name, so the whole qualified name is printed.
                if plain_name(qualified_name) != qualified_name {
                    out.truncate(out.trim_end().len());
                    out.push_str(&format!(" #{qualified_name}\n"));
                }
                pending.push(MapLine::Children { of: Some(at), depth: depth + 1 });
            }
            MapLine::Heading { text, depth } => push_map_line(out, depth, None, text.to_owned()),
            MapLine::Children { of, depth } => {
                let own = of.map_or("", |at| plain_name(symbols[at].id.qualified_name()));
                let mut lines = Vec::new();
                let mut heading = own;
                for &at in children.get(&of).map_or(&[][..], Vec::as_slice) {
                    let prefix = name_prefix(symbols[at]);
                    if prefix != heading && prefix != own {
                        lines.push(MapLine::Heading { text: prefix, depth });
                    }
                    heading = prefix;
                    lines.push(MapLine::Symbol { at, depth: depth + usize::from(prefix != own) });
                }
                pending.extend(lines.into_iter().rev());
            }
        }
    }
}

fn is_code(kind: SymbolKind) -> bool {
    use SymbolKind::{Class, Enum, Function, Interface, Macro, Method, Struct, Trait};
    matches!(kind, Class | Enum | Function | Interface | Macro | Method | Struct | Trait)
}

enum MapLine<'a> {
    Symbol {
        at: usize,
        depth: usize,
    },
    /// The owner of members, where it is not drawn as a symbol: a trait's implementation, a type of another file.
    Heading {
        text: &'a str,
        depth: usize,
    },
    Children {
        of: Option<usize>,
        depth: usize,
    },
}

/// The part of a symbol's qualified name before its name.
fn name_prefix(symbol: &Symbol) -> &str {
    let qualified_name = plain_name(symbol.id.qualified_name());
    qualified_name
        .strip_suffix(symbol.name.replace("::", ".").as_str())
        .and_then(|rest| rest.strip_suffix('.'))
        .unwrap_or("")
}

/// A qualified name without the suffix that makes a repeated id unique.
fn plain_name(qualified_name: &str) -> &str {
    // A name may start with `~`: that of a destructor does.
    let starts_a_name = |at: usize| at == 0 || qualified_name[..at].ends_with('.');
    let mark = qualified_name.match_indices('~').find(|(at, _)| !starts_a_name(*at));
    mark.map_or(qualified_name, |(at, _)| &qualified_name[..at])
}

fn push_map_line(out: &mut String, depth: usize, lines: Option<LineRange>, mut text: String) {
    truncate_text(&mut text, LONGEST_LINE);
    out.extend(std::iter::repeat_n("  ", depth));
    let written = match lines {
        Some(lines) if lines.start == lines.end => write!(out, "{} ", lines.start),
        Some(lines) => write!(out, "{}-{} ", lines.start, lines.end),
        None => Ok(()),
    };
    written.expect("writing to a string cannot fail");
    out.push_str(text.trim_end());
    out.push('\n');
}
