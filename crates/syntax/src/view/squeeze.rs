//! The lightweight view: every statement stays, long comments and tables keep their beginning.
//!
//! Blank lines stay too. They cost nothing: a run of line ends is one token, however long; a marker is six.

use super::mask::Mask;
use super::outline::Outline;
use super::rows::Rows;
use crate::lines::Lines;

/// A comment shows its first sentence, and of that no more rows than this.
const SENTENCE_ROWS: u32 = 3;
/// Rows of a table that are shown.
const TABLE_ROWS: u32 = 4;

pub(super) fn mask(outline: &Outline, lines: &Lines) -> Mask {
    let mut mask = Mask::new(lines);
    shorten_prose(&mut mask, outline, lines, SENTENCE_ROWS);
    // Where there is nothing but data, its rows are what is being read.
    if outline.is_code {
        shorten_tables(&mut mask, outline);
    }
    mask
}

/// Hides the middle of tables.
pub(super) fn shorten_tables(mask: &mut Mask, outline: &Outline) {
    for list in &outline.lists {
        mask.hide(&(list.start + TABLE_ROWS..list.end - 1));
    }
}

/// Hides what comments say after their first sentence or `shown` rows of it, and documenting texts but for the words of
/// their first line.
pub(super) fn shorten_prose(mask: &mut Mask, outline: &Outline, lines: &Lines, shown: u32) {
    for comment in &outline.comments {
        mask.hide(&rest_of(comment, lines, shown));
    }
    for docstring in &outline.docstrings {
        mask.hide(&docstring.rows);
        mask.note(docstring.rows.start, &docstring.first_line);
    }
}

fn rest_of(comment: &Rows, lines: &Lines, shown: u32) -> Rows {
    let (mut seen, mut ended) = (0, false);
    for row in comment.clone() {
        let text = lines.row(row).trim_ascii_end();
        let says = text.iter().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
        if ended || seen == shown || (seen > 0 && !says) {
            return row..comment.end;
        }
        seen += u32::from(says);
        ended = says && (text.ends_with(b".") || text.ends_with(b":") || text.windows(2).any(|pair| pair == b". "));
    }
    comment.end..comment.end
}
