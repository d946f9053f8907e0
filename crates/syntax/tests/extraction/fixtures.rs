//! Every language's fixture states, in comments under the lines they speak of, all symbols the language finds:
//!
//! ```text
//! fn login() {}
//! // ^^^^^ function login
//! ```
//!
//! Carets stand under the name; after them come the symbol's kind and qualified name. `<-` instead of carets means that the
//! name starts where the comment does. The comments are taken out before the file is read, so that they are nobody's
//! documentation.

use crate::folders::{Sample, samples};
use model::Symbol;
use std::fmt::Write;
use syntax::{ExtractLimits, extract};

#[test]
fn every_fixture_finds_exactly_what_it_states() {
    let wrong: String = samples("fixture").iter().map(check).collect();
    assert!(wrong.is_empty(), "lines are counted without the expectations:\n{wrong}");
}

/// What a fixture states and does not find, and the other way round.
fn check(Sample { path, text }: &Sample) -> String {
    let (source, expected) = split(text);
    let extracted = extract(path, source.as_bytes(), &ExtractLimits::default());
    assert!(extracted.problems.is_empty(), "{path}: {:?}", extracted.problems);

    let lines: Vec<_> = source.lines().collect();
    let mut found: Vec<_> = extracted.symbols.iter().collect();
    let mut wrong = String::new();
    for Expected { line, column, width, what } in expected {
        let stands_there = |symbol: &&Symbol| {
            let there = lines.get(line - 1).and_then(|line| line.get(column..)).unwrap_or_default();
            symbol.name_line as usize == line
                && there.starts_with(&symbol.name)
                && width.is_none_or(|width| width == symbol.name.len())
                && what == format!("{} {}", symbol.kind, symbol.id.qualified_name())
        };
        match found.iter().position(stands_there) {
            Some(at) => drop(found.remove(at)),
            None => writeln!(wrong, "{path}:{line}:{column}: expected {what}").expect("a string takes all"),
        }
    }
    for symbol in found {
        let Symbol { name_line, kind, id, .. } = symbol;
        writeln!(wrong, "{path}:{name_line}: found {kind} {}", id.qualified_name()).expect("a string takes all");
    }
    wrong
}

pub(crate) struct Expected {
    line: usize,
    column: usize,
    /// Unknown where an arrow stands instead of carets.
    width: Option<usize>,
    /// Kind and qualified name.
    what: String,
}

/// Parts a fixture into its source and what it expects of it.
pub(crate) fn split(text: &str) -> (String, Vec<Expected>) {
    let mut source = String::new();
    let mut expected = Vec::new();
    let mut line = 0;
    for row in text.lines() {
        if let Some((column, width, what)) = expectation(row) {
            expected.push(Expected { line, column, width, what });
        } else {
            source.push_str(row);
            source.push('\n');
            line += 1;
        }
    }
    (source, expected)
}

fn expectation(row: &str) -> Option<(usize, Option<usize>, String)> {
    let marker = row.find(|c: char| !c.is_whitespace())?;
    let row = row.trim_end_matches("*)");
    let after = row[marker..].trim_start_matches(['/', '#', '-', ';', '%', '(', '*']);
    if after.len() == row[marker..].len() {
        return None;
    }
    let said = after.trim_start();
    if let Some(what) = said.strip_prefix("<- ") {
        return Some((marker, None, what.trim().to_owned()));
    }
    let what = said.trim_start_matches('^');
    let width = said.len() - what.len();
    (width > 0).then(|| (row.len() - said.len(), Some(width), what.trim().to_owned()))
}
