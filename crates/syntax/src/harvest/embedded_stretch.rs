//! Stretches of a file that are still to be read by themselves.

use tree_sitter::Range;

/// One stretch of text to be read by itself.
pub(crate) struct EmbeddedText {
    pub(crate) range: Range,
    pub(crate) written: EmbeddedLanguage,
    /// Where two patterns find the same stretch, the earlier counts.
    pub(crate) pattern: usize,
    /// How deep in the file's own tree it stands.
    pub(crate) depth: u16,
}

/// What a stretch is written in.
pub(crate) enum EmbeddedLanguage {
    /// What the file calls the language.
    In(String),
    /// The language of what is around it.
    Again,
}

impl EmbeddedText {
    pub(crate) fn first_row(&self) -> u32 {
        self.range.start_point.row as u32
    }

    pub(crate) fn is_again(&self) -> bool {
        matches!(self.written, EmbeddedLanguage::Again)
    }
}
