//! The lightweight view of a file, which chooses the rows to leave out: every statement stays, long comments and tables
//! keep their beginning, a run of blank lines is one, and nothing stands at the ends of lines ([`super::whitespace`]).

use super::mask::RowMask;
use super::outline::FileOutline;
use super::rows::RowRange;
use crate::line_table::LineTable;

/// A comment shows its first sentence, and of that no more rows than this.
const SENTENCE_ROWS: u32 = 3;
/// How many tokens a cut has to save: few are not worth a second read.
const LEAST_SAVED: u32 = 8;
/// Rows of a table that are shown.
const TABLE_ROWS: u32 = 4;

pub(super) fn lightweight_mask(outline: &FileOutline, lines: &LineTable) -> RowMask {
    let mut mask = RowMask::new(lines, LEAST_SAVED);
    for comment in &outline.comments {
        mask.hide_rows(&rest_of(comment, lines));
    }
    shorten_docstrings(&mut mask, outline);
    // In a file of data, the rows are what a reader wants.
    if outline.is_code {
        shorten_tables(&mut mask, outline);
    }
    mask
}

/// Hides the middle of tables.
pub(super) fn shorten_tables(mask: &mut RowMask, outline: &FileOutline) {
    for list in &outline.lists {
        mask.hide_rows(&(list.start + TABLE_ROWS..list.end - 1));
    }
}

/// Hides documenting texts but for the words of their first line.
pub(super) fn shorten_docstrings(mask: &mut RowMask, outline: &FileOutline) {
    for docstring in &outline.docstrings {
        mask.hide_rows(&docstring.rows);
        mask.add_note(docstring.rows.start, &docstring.first_line);
    }
}

/// The rows of a comment after its first sentence.
fn rest_of(comment: &RowRange, lines: &LineTable) -> RowRange {
    let mut seen = 0;
    let mut ended = false;
    for row in comment.clone() {
        let text = lines.row_bytes(row).trim_ascii_end();
        let says = text.iter().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
        if ended || seen == SENTENCE_ROWS || (seen > 0 && !says) {
            return row..comment.end;
        }
        seen += u32::from(says);
        ended = says && (text.ends_with(b".") || text.ends_with(b":") || text.windows(2).any(|pair| pair == b". "));
    }
    comment.end..comment.end
}
