//! Finding messages by pattern or by words, newest first.

use super::existing;
use crate::{Engine, Error, Result};
use model::{Message, terms};
use regex::{Regex, RegexBuilder};
use store::MessageScan;

/// How the pattern is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrepMode {
    /// As a regular expression, matched in linear time.
    Regex,
    /// As words that must all occur.
    FullText,
}

/// What to look for.
#[derive(Clone, Debug)]
pub struct GrepRequest {
    /// The pattern.
    pub pattern: String,
    /// How it is read.
    pub mode: GrepMode,
    /// Only this conversation, by name or id.
    pub conversation: Option<String>,
    /// How many matches at most.
    pub limit: u32,
}

/// One message that matches.
#[derive(Clone, Debug)]
pub struct GrepMatch {
    /// The message.
    pub message: Message,
    /// The text around the first match, cuts marked by `…`.
    pub snippet: String,
}

/// The matches, newest first.
#[derive(Clone, Debug)]
pub struct GrepReply {
    /// At most as many as asked for.
    pub matches: Vec<GrepMatch>,
    /// How many there are in all.
    pub total: u64,
}

/// A longer pattern is not written by a person.
const LONGEST_PATTERN: usize = 1_024;
/// What one compiled pattern may take.
const PATTERN_BYTES: usize = 10 << 20;
/// Characters of context on each side of a match.
const AROUND: usize = 80;
/// Messages looked through at a time.
const PAGE: u32 = 512;

pub(crate) async fn grep(engine: &Engine, request: GrepRequest) -> Result<GrepReply> {
    let matcher = Matcher::new(&request)?;
    let conversation = match &request.conversation {
        Some(name) => Some(existing(engine, name).await?),
        None => None,
    };
    let mut reply = GrepReply { matches: Vec::new(), total: 0 };
    let mut scan = MessageScan { conversation, terms: matcher.terms(), before: None, limit: PAGE };
    loop {
        let page = engine.store.scan_messages(scan.clone()).await?;
        let Some((last, _)) = page.last() else { return Ok(reply) };
        scan.before = Some(*last);
        for (_, message) in page {
            let content = message.body.content();
            if let Some(found) = matcher.find(&content) {
                reply.total += 1;
                if reply.matches.len() < request.limit as usize {
                    let snippet = snippet(&content, found);
                    reply.matches.push(GrepMatch { message, snippet });
                }
            }
        }
    }
}

enum Matcher {
    Pattern(Regex),
    Words(Vec<String>),
}

impl Matcher {
    fn new(request: &GrepRequest) -> Result<Self> {
        let invalid = |reason: String| Error::Parameter { field: "pattern", reason };
        if request.pattern.is_empty() || request.pattern.len() > LONGEST_PATTERN {
            return Err(invalid(format!("must have 1 to {LONGEST_PATTERN} bytes")));
        }
        match request.mode {
            GrepMode::Regex => {
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

    fn terms(&self) -> Vec<String> {
        match self {
            Self::Pattern(_) => Vec::new(),
            Self::Words(words) => words.clone(),
        }
    }

    /// Where the text matches first. The store has already checked the words.
    fn find(&self, content: &str) -> Option<usize> {
        match self {
            Self::Pattern(pattern) => pattern.find(content).map(|found| found.start()),
            Self::Words(words) => {
                let lower = content.to_lowercase();
                let first = words.iter().filter_map(|word| lower.find(word.as_str())).min();
                // Lower-casing may move bytes; a snippet a little off is better than none.
                Some(first.unwrap_or_default().min(content.len()))
            }
        }
    }
}

/// The text around a place, on one line, cut at characters.
fn snippet(content: &str, at: usize) -> String {
    let at = floor(content, at);
    let before = content[..at].char_indices().rev().take(AROUND).last().map_or(at, |(start, _)| start);
    let after = content[at..].char_indices().nth(AROUND * 2).map_or(content.len(), |(end, _)| at + end);
    let text: String =
        content[before..after].chars().map(|c| if c.is_whitespace() || c.is_control() { ' ' } else { c }).collect();
    let (head, tail) = (if before > 0 { "…" } else { "" }, if after < content.len() { "…" } else { "" });
    format!("{head}{}{tail}", text.trim())
}

fn floor(text: &str, mut at: usize) -> usize {
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
        assert_eq!(snippet("short\ntext", 6), "short text");
        let long = format!("{}needle{}", "é".repeat(300), "ü".repeat(300));
        let cut = snippet(&long, 600);
        assert!(cut.starts_with('…') && cut.ends_with('…') && cut.contains("needle"));
    }
}
