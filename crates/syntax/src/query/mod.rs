//! Patterns of a language's query, asked at one node.
//!
//! The parser's own query engine goes through every state of the grammar before it can be asked, which takes longer than
//! to parse a small project, and then follows all patterns at once. Here a pattern is what is written, and is tried on
//! the children of the one node it may start at. Only plain patterns are read, whose meaning leaves no doubt: nothing
//! optional or repeated, no supertypes, captures in every part that is looked into. Kinds of node with others are left
//! to the parser's engine, which a test holds this one against.

mod find;
mod read;
#[cfg(test)]
mod tests;
mod token;

pub(crate) use find::Finder;
pub(crate) use read::{patterns, read};

use crate::rules::Capture;
use regex::bytes::Regex;

/// A plain pattern.
#[derive(Clone)]
pub(crate) struct Pattern {
    /// Its place in the language's query.
    pub(crate) index: usize,
    root: Step,
    predicates: Vec<Predicate>,
}

/// A node of a pattern.
#[derive(Clone)]
struct Step {
    kind: Kind,
    /// The field it stands in, where that is said.
    field: Option<u16>,
    /// Fields that it must not have.
    absent: Vec<u16>,
    captures: Vec<Captured>,
    /// Whether it comes directly behind the part before it, or first; only named nodes count.
    is_next: bool,
    /// Whether no named node comes behind it.
    is_last: bool,
    parts: Vec<Part>,
}

/// One child that a pattern wants: any of these.
type Part = Vec<Step>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Any,
    Named,
    Is(u16),
}

/// A capture: what it means, and the number of its name in the pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Captured {
    means: Capture,
    name: usize,
}

/// What must hold for the text of every node that is captured under a name.
#[derive(Clone)]
struct Predicate {
    name: usize,
    is_negated: bool,
    test: Test,
}

#[derive(Clone)]
enum Test {
    IsOneOf(Vec<String>),
    Fits(Regex),
}

impl Predicate {
    fn holds(&self, text: &[u8]) -> bool {
        let holds = match &self.test {
            Test::IsOneOf(words) => words.iter().any(|word| word.as_bytes() == text),
            Test::Fits(regex) => regex.is_match(text),
        };
        holds != self.is_negated
    }
}
