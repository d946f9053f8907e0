//! What a file says about its code: comments, and texts that document what they stand in or above.

use super::rows::{Rows, after, rows_of, says};
use crate::lines::Lines;
use crate::prose;
use crate::walk::{Harvest, Lead};
use model::ByteSpan;

/// Longer first lines are cut: a note is read in passing.
const LONGEST_NOTE: usize = 100;

#[derive(Clone)]
pub(super) struct Docstring {
    pub(super) rows: Rows,
    pub(super) first_line: String,
}

/// Rows with a comment and nothing else, as runs.
pub(super) fn comment_runs(harvest: &Harvest, lines: &Lines) -> Vec<Rows> {
    let mut runs: Vec<Rows> = Vec::new();
    for lead in harvest.leads.iter().filter(|lead| lead.is_comment) {
        let rows = rows_of(lead.span, lines);
        if !lines.starts_its_row(lead.span.start) || says(after(lead.span, lines)) {
            continue;
        }
        match runs.last_mut() {
            Some(run) if run.end >= rows.start => run.end = run.end.max(rows.end),
            _ => runs.push(rows),
        }
    }
    runs
}

/// The rows of an attribute that documents what stands below it, if it has them for itself.
pub(super) fn documenting_lead(lead: &Lead, lines: &Lines) -> Option<Docstring> {
    let text = lead.says.filter(|_| !lead.is_comment)?;
    let is_alone = lines.starts_its_row(lead.span.start) && !says(after(lead.span, lines));
    is_alone.then_some(Docstring { rows: rows_of(lead.span, lines), first_line: first_line(text, lines)? })
}

/// The rows of a documenting text, if it has them for itself.
pub(super) fn docstring(text: ByteSpan, solids: &[Rows], lines: &Lines) -> Option<Docstring> {
    let inner = rows_of(text, lines);
    let at = solids.partition_point(|solid| solid.end <= inner.start);
    let rows = solids.get(at).filter(|solid| solid.contains(&inner.start)).cloned().unwrap_or(inner);
    let before =
        lines.bytes()[lines.span_of(rows.start, rows.start + 1).start as usize..text.start as usize].trim_ascii();
    // Letters before the quotes say how the text is written; more of them are a statement, unless it is an attribute
    // that holds the text and nothing else.
    let is_alone = (before.len() <= 5 || before.starts_with(b"@"))
        && !says(after(text, lines))
        && rows.contains(&(rows_of(text, lines).end - 1));
    is_alone.then_some(Docstring { rows, first_line: first_line(text, lines)? })
}

fn first_line(text: ByteSpan, lines: &Lines) -> Option<String> {
    let words = prose::docstring(&lines.bytes()[text.range()])?;
    let mut line = words.lines().next()?.replace(char::is_control, " ");
    prose::cut(&mut line, LONGEST_NOTE);
    Some(line)
}
