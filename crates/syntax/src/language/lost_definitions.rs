//! Recovers definitions that are missing from the tree after a syntax error: one construct that a grammar does not know
//! can destroy the class around it. Where a tree has errors, lines are compared with the language's regular expressions
//! for definitions, and each definition that is in no tree is parsed again alone, as far as brackets and indentation
//! say it goes. If that fails too, only its name is known.

use crate::harvest::{DefinitionKind, RawDefinition, WalkHarvest, trim_span};
use crate::line_table::LineTable;
use foldhash::{HashMap, HashSet};
use model::{ByteSpan, SymbolKind};
use regex::bytes::Regex;
use tree_sitter::{Node, Point, Range, Tree};

/// More matches than this in one file are no definitions.
const MAX_LOST_DEFINITIONS: usize = 1_000;

/// The patterns of lines that define something.
#[derive(Default)]
pub(crate) struct DefinitionPatterns {
    definitions: Vec<(SymbolKind, Regex)>,
    /// Text that may cost definitions without an error.
    silent: Option<Regex>,
    /// Kinds of texts that end with their line.
    line_texts: Vec<String>,
}

/// A line that looks like a definition and is in no tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LostDefinition {
    kind: SymbolKind,
    pub(crate) name: ByteSpan,
    span: ByteSpan,
    /// The definition continues to here at least: a tree in which it ends earlier lost the rest of it.
    needs: u32,
}

impl DefinitionPatterns {
    /// Each pattern comes behind a kind of symbol; its group `name` is the name.
    pub(crate) fn compile(
        patterns: &[(String, String)],
        silent: Option<&str>,
        line_texts: &[String],
    ) -> Result<Self, String> {
        // With `m`, `^` matches at the start of every line.
        let regex = |pattern: &str| Regex::new(&format!("(?m){pattern}")).map_err(|error| error.to_string());
        let read = |(kind, pattern): &(String, String)| {
            let kind = SymbolKind::parse(kind).ok_or_else(|| format!("`{kind}` is no kind of symbol"))?;
            let regex = regex(pattern)?;
            if regex.capture_names().flatten().any(|name| name == "name") {
                Ok((kind, regex))
            } else {
                Err(format!("`{pattern}` has no group `name`"))
            }
        };
        let definitions = patterns.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Self { definitions, silent: silent.map(regex).transpose()?, line_texts: line_texts.to_vec() })
    }

    /// Whether definitions may be lost in a text that was parsed with or without errors.
    pub(crate) fn may_be_lost(&self, has_errors: bool, text: &[u8]) -> bool {
        !self.definitions.is_empty() && (has_errors || self.silent.as_ref().is_some_and(|silent| silent.is_match(text)))
    }

    /// The lost definitions in a stretch of a file, in order of place, outer before inner. `is_comment` tells the kinds
    /// of node that are comments.
    pub(crate) fn find_lost(
        &self,
        tree: &Tree,
        is_comment: impl Fn(u16) -> bool,
        lines: &LineTable,
        harvest: &WalkHarvest,
        stretch: ByteSpan,
    ) -> Vec<LostDefinition> {
        let known: HashMap<u32, u32> = definition_ends(harvest);
        let text = &lines.bytes()[stretch.to_range()];
        let at = |byte: usize| stretch.start + byte as u32;
        let mut all: Vec<LostDefinition> = Vec::new();
        for (kind, shape) in &self.definitions {
            for found in shape.captures_iter(text) {
                let (Some(whole), Some(name)) = (found.get(0), found.name("name")) else { continue };
                let blanks = whole.as_bytes().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                let name = ByteSpan { start: at(name.start()), end: at(name.end()) };
                let span = ByteSpan { start: at(whole.start() + blanks), end: at(whole.end()) };
                let lost = LostDefinition { kind: *kind, name, span, needs: span.end };
                if !lost.is_in(&known) && !self.is_text(tree, &is_comment, name) {
                    all.push(lost);
                }
            }
        }
        // Of several patterns that match one name the first counts.
        all.sort_by_key(|lost| lost.name.start);
        all.dedup_by_key(|lost| lost.name.start);
        all.truncate(MAX_LOST_DEFINITIONS);
        let rows: HashSet<u32> = all.iter().map(|lost| lines.row_of(lost.span.start)).collect();
        for lost in &mut all {
            let last = last_row(lines, lines.row_of(lost.span.start), lines.row_of(lost.needs - 1), &rows);
            let end = lines.span_of(last, last + 1).end.min(stretch.end).max(lost.needs);
            lost.span = trim_span(ByteSpan { end, ..lost.span }, lines.bytes());
        }
        all
    }

    /// Whether a name is inside of a comment or a string.
    fn is_text(&self, tree: &Tree, is_comment: impl Fn(u16) -> bool, name: ByteSpan) -> bool {
        let mut node: Option<Node> = tree.root_node().descendant_for_byte_range(name.start as usize, name.end as usize);
        while let Some(inner) = node {
            let around = inner.parent();
            // A parser in recovery takes code for the content of a string, without a string around it.
            let is_stray = inner.child_count() == 0 && around.is_none_or(|around| around.is_error());
            // Grammars agree on these words in their kinds of strings.
            let is_string = ["string", "heredoc"].iter().any(|word| inner.kind().contains(word));
            // A string that should end with its line and does not is code behind an unclosed quote.
            let is_endless = || {
                let rows = inner.end_position().row - inner.start_position().row;
                rows > 0 && self.line_texts.iter().any(|kind| kind == inner.kind())
            };
            if is_comment(inner.kind_id()) || (is_string && !is_stray && !is_endless()) {
                return true;
            }
            node = around;
        }
        false
    }
}

/// Where each definition that was found ends, by where its name starts.
pub(crate) fn definition_ends(harvest: &WalkHarvest) -> HashMap<u32, u32> {
    let definitions = harvest.found.iter().filter(|found| found.what != DefinitionKind::Scope);
    definitions.map(|found| (found.name.start, found.span.end)).collect()
}

impl LostDefinition {
    /// Whether the whole definition is known.
    pub(crate) fn is_in(&self, known: &HashMap<u32, u32>) -> bool {
        known.get(&self.name.start).is_some_and(|end| *end >= self.needs)
    }

    /// The stretch that is read again.
    pub(crate) fn reparse_range(&self, lines: &LineTable) -> Range {
        let point = |byte: u32| {
            let row = lines.row_of(byte);
            Point { row: row as usize, column: (byte - lines.span_of(row, row + 1).start) as usize }
        };
        let ByteSpan { start, end } = self.span;
        // A span that ends with its row ends before the line end.
        let end_point = Point { column: point(end - 1).column + 1, ..point(end - 1) };
        Range { start_byte: start as usize, end_byte: end as usize, start_point: point(start), end_point }
    }

    /// The definition as far as it is known without a tree. `pattern` is its place among the patterns of the query.
    pub(crate) fn raw_definition(&self, pattern: usize, bytes: &[u8]) -> RawDefinition {
        let after = &bytes[self.name.end as usize..self.span.end as usize];
        // Without a tree, a signature ends with its line or at its brace.
        let header = after.iter().position(|byte| matches!(byte, b'{' | b'\n')).unwrap_or(after.len());
        RawDefinition {
            what: DefinitionKind::Symbol(self.kind),
            span: self.span,
            name: self.name,
            body: self.name.end + header as u32,
            owner: None,
            is_prototype: false,
            seen_as: None,
            clause: None,
            level: None,
            pattern,
        }
    }
}

/// The last row of a definition whose first words stand on row `first` and that goes on to row `least` at least.
fn last_row(lines: &LineTable, first: u32, least: u32, starts: &HashSet<u32>) -> u32 {
    let indent = lines.indent_width(first);
    let mut depth = 0_i32;
    let mut has_opened = false;
    let mut row = first;
    loop {
        let (change, opens) = brace_change(lines.row_bytes(row));
        depth += change;
        has_opened |= opens;
        // A brace closes that this definition did not open, so the definition ended above.
        if depth < 0 {
            return row.saturating_sub(1).max(least);
        }
        let Some(next) = (row + 1..lines.line_count()).find(|row| !lines.is_blank(*row)) else { return row.max(least) };
        let is_level = lines.indent_width(next) == indent;
        let sign = lines.row_bytes(next).trim_ascii_start().first();
        // A sign that closes what the definition opened, or opens its body on the row below.
        let belongs = match depth {
            0 => is_level && !has_opened && matches!(sign, Some(b'{' | b')' | b']')),
            // A preprocessor directive inside of a body is written at the margin.
            _ => (is_level || lines.row_bytes(next).starts_with(b"#")) && !starts.contains(&next),
        };
        if row >= least && lines.indent_width(next) <= indent && !belongs {
            return row;
        }
        row = next;
    }
}

/// How much deeper braces are at the end of a line, and whether it has any that open.
fn brace_change(line: &[u8]) -> (i32, bool) {
    let mut depth = 0;
    let mut opens = false;
    let mut at = 0;
    let mut quote = None;
    while at < line.len() {
        match (line[at], quote) {
            (b'\\', Some(_)) => at += 1,
            (byte, Some(open)) if byte == open => quote = None,
            (b'"', None) => quote = Some(b'"'),
            // `'{'` is a character; elsewhere a single quote may be a lifetime or an apostrophe.
            (b'\'', None) if line.get(at + 2) == Some(&b'\'') => at += 2,
            (b'/', None) if line.get(at + 1) == Some(&b'/') => break,
            (b'{', None) => {
                depth += 1;
                opens = true;
            }
            (b'}', None) => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    (depth, opens)
}
