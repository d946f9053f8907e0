//! Compiles the pattern of a `grep` request (regular expression or words), matches it against texts, and cuts the
//! snippet around the first match.

use super::{GrepMode, GrepRequest};
use crate::base::{Error, Result};
use model::terms;
use regex::bytes::{Regex, RegexBuilder};

/// A longer pattern is not written by a person.
const LONGEST_PATTERN: usize = 1_024;
/// The most memory of one compiled pattern.
const PATTERN_BYTES: usize = 10 << 20;
/// Characters of context on each side of a match.
const MATCH_CONTEXT_CHARS: usize = 80;

pub(super) enum GrepMatcher {
    Pattern(Regex),
    Words(Vec<String>),
}

impl GrepMatcher {
    pub(super) fn new(request: &GrepRequest) -> Result<Self> {
        let invalid = |reason: String| Error::Parameter { field: "pattern", reason };
        if request.pattern.is_empty() || request.pattern.len() > LONGEST_PATTERN {
            return Err(invalid(format!("must have 1 to {LONGEST_PATTERN} bytes")));
        }
        match request.mode {
            GrepMode::Regex => {
                // The crate matches in linear time; the size limit keeps `(a{1000}){1000}` from filling the memory.
                let built = RegexBuilder::new(&request.pattern).size_limit(PATTERN_BYTES).build();
                built.map(Self::Pattern).map_err(|error| {
                    let text = error.to_string();
                    let cause = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
                    invalid(format!("`{}` is not a regular expression: {cause}", request.pattern))
                })
            }
            GrepMode::FullText => {
                let words = terms::distinct_terms(&request.pattern);
                if words.is_empty() {
                    return Err(invalid("has no word to look for; try mode regex".to_owned()));
                }
                Ok(Self::Words(words))
            }
        }
    }

    /// The words that a matching message must contain.
    pub(super) fn required_terms(&self) -> Vec<String> {
        match self {
            Self::Pattern(_) => Vec::new(),
            Self::Words(words) => words.clone(),
        }
    }

    /// Whether a text matches.
    pub(super) fn is_match(&self, content: &str) -> bool {
        match self {
            Self::Pattern(pattern) => pattern.is_match(content.as_bytes()),
            Self::Words(words) => {
                let held = terms::distinct_terms(content);
                words.iter().all(|word| held.contains(word))
            }
        }
    }

    /// The text around the first match, cuts marked by `…`.
    pub(super) fn match_snippet(&self, content: &str) -> String {
        snippet_around(content, self.match_start(content))
    }

    /// Where a text that matches does so first.
    pub(super) fn match_start(&self, content: &str) -> usize {
        match self {
            Self::Pattern(pattern) => pattern.find(content.as_bytes()).map_or(0, |found| found.start()),
            Self::Words(words) => {
                let lower = content.to_lowercase();
                let first = words.iter().filter_map(|word| lower.find(word.as_str())).min();
                // Lower-casing may move bytes; a snippet a little off is better than none.
                first.unwrap_or_default().min(content.len())
            }
        }
    }
}

/// The text around a place, on one line, cut at characters.
fn snippet_around(content: &str, at: usize) -> String {
    let at = floor_boundary(content, at);
    let before = content[..at].char_indices().rev().take(MATCH_CONTEXT_CHARS).last().map_or(at, |(start, _)| start);
    let after = content[at..].char_indices().nth(MATCH_CONTEXT_CHARS * 2).map_or(content.len(), |(end, _)| at + end);
    let text: String =
        content[before..after].chars().map(|c| if c.is_whitespace() || c.is_control() { ' ' } else { c }).collect();
    let head = if before > 0 { "…" } else { "" };
    let tail = if after < content.len() { "…" } else { "" };
    format!("{head}{}{tail}", text.trim())
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_is_cut_at_characters_and_marked() {
        assert_eq!(snippet_around("short\ntext", 6), "short text");
        let long = format!("{}needle{}", "é".repeat(300), "ü".repeat(300));
        let cut = snippet_around(&long, 600);
        assert!(cut.starts_with('…') && cut.ends_with('…') && cut.contains("needle"));
    }
}
