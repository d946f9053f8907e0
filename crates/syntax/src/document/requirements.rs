//! Finds requirements: what has a key (`REQ-123`), and sentences with the words of RFC 2119 in capitals. In lower case
//! those words are everyday language; beside a key they say how urgent it is.

use super::blocks::{Block, BlockKind};
use super::keys::{has_known_prefix, leading_key, normalize_key};
use super::{Requirement, section_around};
use model::{LineRange, Symbol};
use regex::Regex;
use std::collections::HashSet;
use std::sync::LazyLock;

/// A longer text is cut.
const LONGEST_TEXT: usize = 600;
/// A requirement without words says nothing.
const LEAST_WORDS: usize = 2;
const LEAST_SENTENCE_WORDS: usize = 4;
/// In so many lines of a section its priority and status are looked for.
const MOST_FIELD_LINES: usize = 12;

/// The words in capitals, and what says that they stand for themselves.
static DEMAND: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(MUST|SHALL|REQUIRED|SHOULD|RECOMMENDED)\b").expect("the pattern is ours"));
static ANY_DEMAND: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(must|shall|required|should|recommended|may|optional)\b").expect("the pattern is ours")
});
static FIELD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^[\s>*_|+-]*(priority|status)[*_\s]*[:=|][*_\s]*([A-Za-z0-9][\w -]{0,30})")
        .expect("the pattern is ours")
});

pub(super) fn find_requirements(blocks: &[Block], lines: &[&str], sections: &[&Symbol]) -> Vec<Requirement> {
    let mut found: Vec<Requirement> = Vec::new();
    let mut keys: HashSet<String> = HashSet::new();
    // The last line that belongs to a requirement with a key: its sentences are parts of it.
    let mut taken = 0;
    for (at, block) in blocks.iter().enumerate() {
        if block.kind == BlockKind::Code {
            continue;
        }
        if let Some((key, rest)) = leading_key(&block.text)
            && is_definition(block, key, rest)
            // A table that lists keys again defines none of them.
            && keys.insert(normalize_key(key))
        {
            let requirement = keyed_requirement(key, rest, block, &blocks[at + 1..], lines, sections);
            taken = taken.max(requirement.lines.end);
            found.push(requirement);
        } else if block.first_line() > taken && matches!(block.kind, BlockKind::Paragraph | BlockKind::Item) {
            found.extend(demanding_sentences(block));
        }
    }
    found
}

fn is_definition(block: &Block, key: &str, rest: &str) -> bool {
    let words = rest.split_whitespace().count();
    let demands = ANY_DEMAND.is_match(rest);
    match block.kind {
        BlockKind::Heading => has_known_prefix(key) || demands,
        BlockKind::Item | BlockKind::Row => words >= LEAST_WORDS && (has_known_prefix(key) || demands),
        BlockKind::Paragraph => {
            let is_marked = block
                .text
                .trim_start_matches(['*', '_', '`', '['])
                .get(key.len()..)
                .is_some_and(|behind| behind.trim_start_matches(['*', '_', '`', ']']).starts_with(':'));
            words >= LEAST_WORDS && (demands || (is_marked && has_known_prefix(key)))
        }
        BlockKind::Code => false,
    }
}

fn keyed_requirement(
    key: &str,
    rest: &str,
    block: &Block,
    following: &[Block],
    lines: &[&str],
    sections: &[&Symbol],
) -> Requirement {
    let mut text = if block.kind == BlockKind::Row {
        let cells = rest.split('|').map(str::trim).filter(|cell| !cell.is_empty());
        cells.collect::<Vec<_>>().join(" – ")
    } else {
        rest.trim_end().to_owned()
    };
    let mut place = LineRange { start: block.first_line(), end: block.last_line() };
    if block.kind == BlockKind::Heading {
        let section = section_around(sections, block.first_line()).map(|at| sections[at]);
        place = section.map_or(place, |section| section.lines);
        // The heading is a title; what is required stands below it.
        let below = following.iter().take_while(|below| below.kind != BlockKind::Heading);
        let first = below.into_iter().find(|below| matches!(below.kind, BlockKind::Paragraph | BlockKind::Item));
        if let Some(below) = first.filter(|below| !FIELD.is_match(&below.text)) {
            text = if text.is_empty() { below.text.clone() } else { format!("{text}: {}", below.text) };
        }
    } else {
        // Lines below an item that are indented belong to it: its fields.
        let indent = |line: &str| line.len() - line.trim_start().len();
        let own = lines.get(place.start as usize - 1).map_or(0, |line| indent(line));
        let more = lines[place.end as usize..].iter().take(MOST_FIELD_LINES);
        let more = more.take_while(|line| !line.trim().is_empty() && indent(line) > own).count();
        if block.kind == BlockKind::Item {
            place.end += more as u32;
        }
    }
    let own_lines = &lines[place.start as usize - 1..(place.end as usize).min(lines.len())];
    // Fields in the lines of an item are no part of what it demands.
    for name in [" Status:", " Priority:"] {
        text.truncate(text.find(name).unwrap_or(text.len()));
    }
    let field = |name: &str| {
        let fields = own_lines.iter().take(MOST_FIELD_LINES).filter_map(|line| FIELD.captures(line));
        let mut of_name = fields.filter(|found| found[1].eq_ignore_ascii_case(name));
        of_name.next().map(|found| found[2].trim().to_lowercase())
    };
    Requirement {
        key: Some(normalize_key(key)),
        priority: field("priority").or_else(|| ANY_DEMAND.find(&text).map(|word| priority_of(word.as_str()))),
        status: field("status"),
        text: cut(text),
        lines: place,
    }
}

/// The sentences of a block that demand something in capitals.
fn demanding_sentences(block: &Block) -> Vec<Requirement> {
    let mut found = Vec::new();
    for (start, sentence) in split_sentences(&block.text) {
        let Some(word) = demanding_word(sentence) else { continue };
        let is_boilerplate = ["2119", "8174", "BCP 14"].iter().any(|name| sentence.contains(name));
        let letters = |sentence: &str| sentence.chars().filter(|c| c.is_alphabetic()).count();
        let capitals = sentence.chars().filter(|c| c.is_uppercase()).count();
        // A text all in capitals shouts, and a question demands nothing yet.
        let is_shouted = capitals * 2 > letters(sentence);
        let words = sentence.split_whitespace().count();
        if is_boilerplate || is_shouted || words < LEAST_SENTENCE_WORDS || sentence.trim_end().ends_with('?') {
            continue;
        }
        let end = start + sentence.trim_end().len().saturating_sub(1);
        found.push(Requirement {
            key: None,
            priority: Some(priority_of(word)),
            status: None,
            text: cut(sentence.trim().to_owned()),
            lines: LineRange { start: block.line_at(start), end: block.line_at(end) },
        });
    }
    found
}

/// The first word in capitals that is meant, and not quoted.
fn demanding_word(sentence: &str) -> Option<&str> {
    let quotes = ['"', '\'', '“', '‘', '`'];
    let is_bare = |word: &regex::Match<'_>| {
        let before = sentence[..word.start()].chars().next_back();
        let after = sentence[word.end()..].chars().next();
        // `MUST` in code is a name; `MUST_BE` is no word.
        !before.is_some_and(|c| quotes.contains(&c) || c == '_' || c == '-' || c == '.')
            && !after.is_some_and(|c| c == '_' || c == '-' || c == '(')
            && sentence[..word.start()].matches('`').count().is_multiple_of(2)
    };
    DEMAND.find_iter(sentence).find(is_bare).map(|word| word.as_str())
}

fn priority_of(word: &str) -> String {
    match word.to_lowercase().as_str() {
        "must" | "shall" | "required" => "must",
        "should" | "recommended" => "should",
        _ => "may",
    }
    .to_owned()
}

/// The sentences of a text, each with the byte where it begins.
pub(super) fn split_sentences(text: &str) -> Vec<(usize, &str)> {
    const ABBREVIATIONS: [&str; 9] = ["e.g.", "i.e.", "etc.", "vs.", "cf.", "resp.", "approx.", "no.", "sec."];
    let mut sentences = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices(['.', '!', '?']) {
        let end = at + 1;
        let next = text[end..].trim_start_matches(['"', '\'', ')', '”', '*', '`']);
        let Some(after) = next.strip_prefix(' ') else { continue };
        let begins = after.trim_start().chars().next().is_some_and(|c| !c.is_lowercase());
        let word = text[start..end].rsplit([' ', '(']).next().unwrap_or_default().to_lowercase();
        if begins && !ABBREVIATIONS.contains(&word.as_str()) {
            let stop = text.len() - next.len();
            sentences.push((start, &text[start..stop]));
            start = text.len() - after.trim_start().len();
        }
    }
    if start < text.len() {
        sentences.push((start, &text[start..]));
    }
    sentences
}

fn cut(mut text: String) -> String {
    if text.len() > LONGEST_TEXT {
        text.truncate(text.floor_char_boundary(LONGEST_TEXT));
        text.push('…');
    }
    text
}
