//! A range of a file that still has to be parsed by itself (`EmbeddedText`), such as embedded code of another language,
//! and its language.

use tree_sitter::Range;

/// One stretch of text to be read by itself.
pub(crate) struct EmbeddedText {
    pub(crate) range: Range,
    pub(crate) written: EmbeddedLanguage,
    /// Where two patterns find the same stretch, the earlier counts.
    pub(crate) pattern: usize,
    /// Its depth in the tree of the file.
    pub(crate) depth: u16,
}

/// The language of an embedded text.
pub(crate) enum EmbeddedLanguage {
    /// The word for the language in the file.
    In(String),
    /// The language around it.
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
