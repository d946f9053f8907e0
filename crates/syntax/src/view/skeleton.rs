//! The aggressive view: what a file declares, without how it is done.
//!
//! Imports, types with their fields, signatures and the first line of what is said about them stay, and so do headings
//! with their first paragraph. Bodies of
//! functions go, and so does the inside of long values and of long statements that no symbol stands in (the cases of a
//! test, a script's main part), except for the first line of each part.

use super::mask::Mask;
use super::outline::{Outline, Statement};
use super::squeeze::{shorten_prose, shorten_tables};
use crate::lines::Lines;

/// Rows of a comment that are shown.
const COMMENT_ROWS: u32 = 1;
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

pub(super) fn mask(outline: &Outline, lines: &Lines) -> Mask {
    let mut mask = Mask::new(lines);
    shorten_prose(&mut mask, outline, lines, COMMENT_ROWS);
    shorten_tables(&mut mask, outline);
    for value in outline.values.iter().filter(|value| value.len() as u32 > LONG_VALUE) {
        mask.hide(&(value.start + VALUE_ROWS..value.end - 1));
    }
    for section in &outline.sections {
        let mut text = section.clone().skip_while(|row| lines.is_blank(*row));
        let shown = text.by_ref().take_while(|row| !lines.is_blank(*row)).take(PARAGRAPH_ROWS).last();
        mask.hide(&(shown.map_or(section.start, |row| row + 1)..section.end));
    }
    for Statement { rows, parts } in &outline.statements {
        if rows.len() as u32 > LONG_STATEMENT {
            mask.hide(&(rows.start + 1..rows.end - 1));
            for row in parts {
                mask.show(&(*row..row + 1));
            }
        }
    }
    // Outer bodies come first, so that a short one inside of a long one hides what the long one shows of it.
    for body in &outline.bodies {
        mask.hide(&body.rows);
        if body.rows.len() as u32 > LONG_BODY {
            let first = outline.heads.partition_point(|head| head.start < body.rows.start);
            for head in outline.heads[first..].iter().take_while(|head| head.end <= body.rows.end) {
                mask.show(head);
            }
        }
        if let Some(docstring) = &body.docstring {
            if docstring.rows.len() == 1 {
                mask.show(&docstring.rows);
            } else {
                mask.note(body.rows.start, &docstring.first_line);
            }
        }
    }
    mask
}
