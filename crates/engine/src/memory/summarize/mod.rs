//! The built-in summarizer. It writes nothing of its own: every line is a fact, or a sentence as somebody said it.
//!
//! No model, no clock, no chance: the same material gives the same text, in as many tokens as it is told. What does not
//! fit is pointed at in the last line; expanding the summary gives all of it back.

mod condense;
mod fit;
mod kept;
mod leaf;
mod notes;
mod salience;
#[cfg(test)]
mod tests;

pub(crate) use notes::names_path;

use fit::{closing, fit};
use model::{KeptFacts, Message, Tokens, count_tokens};
use notes::Notes;

/// What a summary is made of, in order.
pub(crate) enum Piece<'a> {
    /// Messages one after the other.
    Messages(&'a [Message]),
    /// A summary of some.
    Summary(&'a str),
}

/// A text that may stand for its material.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Draft {
    pub(crate) content: String,
    pub(crate) tokens: Tokens,
    pub(crate) kept: KeptFacts,
}

/// Tokens of the line that names what is found by expanding, where somebody else wrote the rest.
const CLOSING: u32 = 60;

/// Everything a summary of the material could say.
pub(crate) struct Outline(Notes);

impl Outline {
    /// Reads the material.
    pub(crate) fn of(pieces: &[Piece<'_>]) -> Self {
        let read = |(at, piece): (usize, &Piece<'_>)| match piece {
            Piece::Messages(messages) => leaf::notes(messages),
            Piece::Summary(text) => Notes::parse(text, at as u64),
        };
        let mut stretches: Vec<Notes> = pieces.iter().enumerate().map(read).collect();
        Self(match stretches.len() {
            1 => stretches.remove(0),
            _ => condense::merge(stretches),
        })
    }

    /// Writes the summary that fits `target`.
    pub(crate) fn draft(&self, target: Tokens) -> Draft {
        self.judge(fit(&self.0, target))
    }

    /// Any text with the line that names what is found by expanding it.
    pub(crate) fn closed(&self, text: &str) -> String {
        format!("{text}\n{}", closing(&self.0, text, CLOSING))
    }

    /// Says of any text how much of the material it kept.
    pub(crate) fn judge(&self, content: String) -> Draft {
        Draft { tokens: count_tokens(&content), kept: kept::kept(&self.0.lines, &content), content }
    }
}
