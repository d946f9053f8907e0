//! Finds the rows of a file that are documentation, for shortened views: comments, docstrings and documenting
//! attributes.

use super::rows::{RowRange, bytes_after, has_content, rows_of};
use crate::harvest::{LeadingTrivia, WalkHarvest};
use crate::line_table::LineTable;
use crate::symbols::symbol_text;
use model::ByteSpan;

/// Longer first lines are cut: a note is read in passing.
const LONGEST_NOTE: usize = 100;

#[derive(Clone)]
pub(super) struct DocstringRows {
    pub(super) rows: RowRange,
    pub(super) first_line: String,
}

/// Rows with a comment and nothing else, as runs.
pub(super) fn comment_runs(harvest: &WalkHarvest, lines: &LineTable) -> Vec<RowRange> {
    let mut runs: Vec<RowRange> = Vec::new();
    for lead in harvest.leads.iter().filter(|lead| lead.is_comment) {
        let rows = rows_of(lead.span, lines);
        if !lines.starts_its_row(lead.span.start) || has_content(bytes_after(lead.span, lines)) {
            continue;
        }
        match runs.last_mut() {
            Some(run) if run.end >= rows.start => run.end = run.end.max(rows.end),
            _ => runs.push(rows),
        }
    }
    runs
}

/// The rows of an attribute that documents the definition below it, if it has them for itself.
pub(super) fn documenting_lead(lead: &LeadingTrivia, lines: &LineTable) -> Option<DocstringRows> {
    let text = lead.says.filter(|_| !lead.is_comment)?;
    let is_alone = lines.starts_its_row(lead.span.start) && !has_content(bytes_after(lead.span, lines));
    is_alone.then_some(DocstringRows { rows: rows_of(lead.span, lines), first_line: first_line(text, lines)? })
}

/// The rows of a documenting text, if it has them for itself.
pub(super) fn docstring_rows(text: ByteSpan, solids: &[RowRange], lines: &LineTable) -> Option<DocstringRows> {
    let inner = rows_of(text, lines);
    let at = solids.partition_point(|solid| solid.end <= inner.start);
    // The node of the text may lack the rows of its quotes, which are hidden with it.
    let rows = solids.get(at).filter(|solid| solid.contains(&inner.start)).cloned().unwrap_or(inner);
    let before =
        lines.bytes()[lines.span_of(rows.start, rows.start + 1).start as usize..text.start as usize].trim_ascii();
    // A few letters before the quotes are a prefix of the string (`r"""`); more of them are a statement, unless it is
    // an attribute that holds the text and nothing else.
    let is_alone = (before.len() <= 5 || before.starts_with(b"@"))
        && !has_content(bytes_after(text, lines))
        && rows.contains(&(rows_of(text, lines).end - 1));
    is_alone.then_some(DocstringRows { rows, first_line: first_line(text, lines)? })
}

fn first_line(text: ByteSpan, lines: &LineTable) -> Option<String> {
    let words = symbol_text::parse_docstring(&lines.bytes()[text.to_range()])?;
    let mut line = words.lines().next()?.replace(char::is_control, " ");
    symbol_text::truncate_text(&mut line, LONGEST_NOTE);
    Some(line)
}
