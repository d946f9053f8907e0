//! The aggressive (skeleton) view, which chooses the rows of a file to leave out: declarations without implementation.
//! Kept are the first imports, types with fields, signatures, first lines of documentation, headings with a first
//! paragraph. Left out are comments with the licence, other imports, function bodies, the inside of long values and of
//! long statements outside of symbols (cases of a test, a script's main part), except for the first line of each part.

use super::lightweight::{shorten_docstrings, shorten_tables};
use super::mask::RowMask;
use super::outline::{FileOutline, StatementRows};
use super::rows::RowRange;
use crate::line_table::LineTable;

/// How many tokens a cut has to save: a reader who asks for a skeleton wants it small.
const LEAST_SAVED: u32 = 4;
/// How many imports are shown; they show what a file is about, and the others add little.
const SHOWN_IMPORTS: usize = 5;
/// Words of a comment at the top that make it a licence.
const LICENCE: &[&str] = &["license", "licence", "copyright", "spdx-"];
/// A value of more rows loses its middle.
const LONG_VALUE: u32 = 10;
/// How many of its first rows are shown.
const VALUE_ROWS: u32 = 3;
/// Rows of the first paragraph of a section that are shown.
const PARAGRAPH_ROWS: usize = 3;
/// A statement of more rows loses its inside.
const LONG_STATEMENT: u32 = 12;
/// A body of more rows shows the signatures in it.
const LONG_BODY: u32 = 60;

pub(super) fn skeleton_mask(outline: &FileOutline, lines: &LineTable) -> RowMask {
    let mut mask = RowMask::new(lines, LEAST_SAVED).taking_blanks();
    for comment in &outline.comments {
        // The line that says how to run a script is no comment about the code.
        let is_run = comment.start == 0 && lines.row_bytes(0).starts_with(b"#!");
        let rows = comment.start + u32::from(is_run)..comment.end;
        if is_licence(&rows, outline, lines) { mask.hide_licence(&rows) } else { mask.hide_rows(&rows) }
    }
    shorten_docstrings(&mut mask, outline);
    for import in outline.imports.iter().skip(SHOWN_IMPORTS) {
        mask.hide_import(import);
    }
    shorten_tables(&mut mask, outline);
    for value in outline.values.iter().filter(|value| value.len() as u32 > LONG_VALUE) {
        // The last row closes the value and stays.
        mask.hide_rows(&(value.start + VALUE_ROWS..value.end - 1));
    }
    for section in &outline.sections {
        let mut text = section.clone().skip_while(|row| lines.is_blank(*row));
        let shown = text.by_ref().take_while(|row| !lines.is_blank(*row)).take(PARAGRAPH_ROWS).last();
        mask.hide_rows(&(shown.map_or(section.start, |row| row + 1)..section.end));
    }
    for StatementRows { rows, parts } in &outline.statements {
        if rows.len() as u32 > LONG_STATEMENT {
            mask.hide_rows(&(rows.start + 1..rows.end - 1));
            for row in parts {
                mask.show_rows(&(*row..row + 1));
            }
        }
    }
    // Outer bodies come first, so that a short body inside of a long one hides what the long one shows of it.
    for body in &outline.bodies {
        mask.hide_rows(&body.rows);
        if body.rows.len() as u32 > LONG_BODY {
            let first = outline.heads.partition_point(|head| head.start < body.rows.start);
            for head in outline.heads[first..].iter().take_while(|head| head.end <= body.rows.end) {
                mask.show_rows(head);
            }
        }
        if let Some(docstring) = &body.docstring {
            // One line costs less than a marker with its words.
            if docstring.rows.len() == 1 {
                mask.show_rows(&docstring.rows);
            } else {
                mask.add_note(body.rows.start, &docstring.first_line);
            }
        }
    }
    mask
}

/// Whether a comment is above all code and about copying it.
fn is_licence(rows: &RowRange, outline: &FileOutline, lines: &LineTable) -> bool {
    let is_first = outline.comments.first().is_some_and(|first| first.end == rows.end);
    let says = |row: u32| {
        let text = String::from_utf8_lossy(lines.row_bytes(row)).to_lowercase();
        LICENCE.iter().any(|word| text.contains(word))
    };
    is_first && rows.clone().any(says)
}
