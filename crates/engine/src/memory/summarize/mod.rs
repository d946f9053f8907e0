//! The built-in extractive summarizer of conversations: turn by turn what was asked, done and what came out, then the
//! facts that hold. Every sentence is quoted from a message, every other word is a fact.
//!
//! No model, no clock, no chance: the same input gives the same text, within the given tokens. The last line names the
//! topics that do not fit; expanding the summary gives all of it back.

mod claim_check;
mod condense;
mod fact_retention;
mod leaf;
mod note_selection;
mod notes;
mod salience;
mod statement;
#[cfg(test)]
mod tests;
mod turn;
mod turn_actions;
mod turn_builder;
mod turn_fit;

pub(crate) use claim_check::find_unsupported;
pub(crate) use notes::{names_path, strip_closing};
pub(crate) use statement::{StatementPurpose, cut_text, shorten_text};
pub(crate) use turn::TurnNote;
pub(crate) use turn_builder::{TurnEnding, build_endings, build_turns, is_event, read_prompt};

use model::{KeptFacts, Message, TokenCount, count_tokens};
use note_selection::{fit_notes, render_closing};
use notes::SummaryNotes;

/// What a summary is made of, in order.
pub(crate) enum OutlineInput<'a> {
    /// Messages one after the other.
    Messages(&'a [Message]),
    /// A summary of some.
    Summary(&'a str),
}

/// The text of a summary that is not stored yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SummaryDraft {
    pub(crate) content: String,
    pub(crate) tokens: TokenCount,
    pub(crate) kept: KeptFacts,
}

/// Tokens of the line that names what is found by expanding, where a model wrote the rest of the summary.
const CLOSING_LINE_TOKENS: u32 = 60;
/// How many times as long as its summary the rows are that a model is given.
const ROWS_PER_TARGET: u32 = 8;

/// Everything a summary of the material could say.
pub(crate) struct SummaryOutline(SummaryNotes);

impl SummaryOutline {
    /// Reads the material.
    pub(crate) fn from_inputs(pieces: &[OutlineInput<'_>]) -> Self {
        let read = |(at, piece): (usize, &OutlineInput<'_>)| match piece {
            OutlineInput::Messages(messages) => leaf::build_notes(messages),
            OutlineInput::Summary(text) => SummaryNotes::parse(text, at as u64),
        };
        let mut stretches: Vec<SummaryNotes> = pieces.iter().enumerate().map(read).collect();
        Self(match stretches.len() {
            1 => stretches.remove(0),
            _ => condense::merge_notes(stretches),
        })
    }

    /// Writes the summary that fits `target`.
    pub(crate) fn write_draft(&self, target: TokenCount) -> SummaryDraft {
        self.build_draft(fit_notes(&self.0, target))
    }

    /// What a model is given to write a summary of `target` tokens from: the same rows in more words.
    pub(crate) fn render_rows(&self, TokenCount(target): TokenCount) -> String {
        strip_closing(&fit_notes(&self.0, TokenCount(target.saturating_mul(ROWS_PER_TARGET)))).to_owned()
    }

    /// Any text with the line that names what is found by expanding it.
    pub(crate) fn append_closing(&self, text: &str) -> String {
        format!("{text}\n{}", render_closing(&self.0, text, CLOSING_LINE_TOKENS))
    }

    /// Says of any text how much of the material it kept.
    pub(crate) fn build_draft(&self, content: String) -> SummaryDraft {
        SummaryDraft {
            tokens: count_tokens(&content),
            kept: fact_retention::count_kept(&self.0.lines, &content),
            content,
        }
    }
}
