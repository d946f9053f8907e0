//! A matcher for simple tree-sitter query patterns, tried at one node. Tree-sitter's own query engine first analyses
//! every state of the grammar, which takes longer than parsing a small project, and follows all patterns at once. Only
//! plain patterns are supported, of certain meaning: nothing optional or repeated, no supertypes, captures in every
//! part with children. Node kinds with other patterns are left to the parser's engine; a test compares the two.

mod capture;
mod finder;
mod parser;
mod pattern_filter;
mod settings;
#[cfg(test)]
mod tests;
mod token;

pub(crate) use capture::{CaptureRole, KindCapture, UnknownCapture, parse_capture};
pub(crate) use finder::PatternFinder;
pub(crate) use parser::{parse_pattern, split_patterns};
pub(crate) use pattern_filter::PatternFilter;
pub(crate) use settings::{PatternSettings, SettingsError};

use regex::bytes::Regex;

/// A plain pattern.
#[derive(Clone)]
pub(crate) struct QueryPattern {
    /// Its place in the language's query.
    pub(crate) index: usize,
    root: PatternNode,
    predicates: Vec<TextPredicate>,
}

/// A node of a pattern.
#[derive(Clone)]
struct PatternNode {
    kind: KindMatcher,
    /// The field of the node, if the pattern names one.
    field: Option<u16>,
    /// Fields that it must not have.
    absent: Vec<u16>,
    captures: Vec<PatternCapture>,
    /// Whether it comes directly behind the part before it, or first; only named nodes count.
    is_next: bool,
    /// Whether no named node comes behind it.
    is_last: bool,
    parts: Vec<PatternPart>,
}

/// One child that a pattern requires: any of these.
type PatternPart = Vec<PatternNode>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum KindMatcher {
    Any,
    Named,
    Is(u16),
}

/// A capture: its role, and the number of its name in the pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct PatternCapture {
    means: CaptureRole,
    name: usize,
}

/// A condition on the text of every node that is captured under a name.
#[derive(Clone)]
struct TextPredicate {
    name: usize,
    is_negated: bool,
    test: PredicateTest,
}

#[derive(Clone)]
enum PredicateTest {
    IsOneOf(Vec<String>),
    Fits(Regex),
}

impl TextPredicate {
    fn is_satisfied(&self, text: &[u8]) -> bool {
        let holds = match &self.test {
            PredicateTest::IsOneOf(words) => words.iter().any(|word| word.as_bytes() == text),
            PredicateTest::Fits(regex) => regex.is_match(text),
        };
        holds != self.is_negated
    }
}
