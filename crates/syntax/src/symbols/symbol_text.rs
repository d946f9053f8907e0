//! Extracts the text of a symbol: its signature on one line, and its documentation without comment markers.

use crate::harvest::LeadingTrivia;
use crate::language::CommentMarkers;
use crate::line_table::LineTable;
use model::ByteSpan;

const LONGEST_SIGNATURE: usize = 400;
const LONGEST_DOC: usize = 2_000;
/// How much of a declaration is read for its signature: a value may go on for megabytes.
const SIGNATURE_READ: u32 = 4_096;
/// How many comments above a symbol are read; more would not fit into its documentation.
const MOST_ABOVE: usize = 1_000;
const TRUNCATION_MARK: char = '…';

/// The text from `start` to `body` on one line, without comments, attributes and decorators.
pub(crate) fn render_signature(bytes: &[u8], start: u32, body: u32, leads: &[LeadingTrivia]) -> String {
    let end = body.min(start.saturating_add(SIGNATURE_READ));
    let mut signature = String::new();
    let mut at = start;
    let first = leads.partition_point(|lead| lead.span.end <= start);
    for lead in leads[first..].iter().take_while(|lead| lead.span.start < end) {
        push_words(&mut signature, bytes, at, lead.span.start);
        at = at.max(lead.span.end);
    }
    push_words(&mut signature, bytes, at, end);
    if end < body {
        signature.push(TRUNCATION_MARK);
    } else {
        // Signs that connect a signature to its body or to the next statement.
        let kept = signature.trim_end_matches([' ', ';', ':', '{', ',', '=']).len();
        signature.truncate(kept);
    }
    truncate_text(&mut signature, LONGEST_SIGNATURE);
    signature
}

/// The documentation in attributes directly above `start`, or in the comments there, attributes between them allowed; a
/// definition may begin with them, too.
pub(crate) fn comments_above(
    lines: &LineTable,
    start: u32,
    leads: &[LeadingTrivia],
    markers: &CommentMarkers,
) -> Option<String> {
    let above = leads_above(lines, after_comments(lines, start, leads), leads);
    // An attribute with a text, such as `@doc "…"` (Elixir), is documentation by intent; a comment beside it is not.
    if let Some(says) = above.iter().rev().find_map(|lead| lead.says) {
        return parse_docstring(&lines.bytes()[says.to_range()]);
    }
    let mut doc = String::new();
    for lead in above.iter().filter(|lead| lead.is_comment) {
        let text = String::from_utf8_lossy(&lines.bytes()[lead.span.to_range()]);
        let text = text.trim();
        if markers.inner.iter().any(|marker| text.starts_with(marker)) {
            // `//!` documents the module around, and so do the comments above it.
            doc.clear();
        } else {
            push_comment(&mut doc, text, markers);
        }
    }
    finish_doc(&doc)
}

/// Where the comments, attributes and decorators directly above `start` begin; `start` itself where there are none.
pub(crate) fn start_of_leads(lines: &LineTable, start: u32, leads: &[LeadingTrivia]) -> u32 {
    leads_above(lines, start, leads).first().map_or(start, |lead| lead.span.start)
}

/// The comment behind or directly below a definition that ends at `end`, where the language has documentation there.
pub(crate) fn comment_below(
    lines: &LineTable,
    end: u32,
    leads: &[LeadingTrivia],
    markers: &CommentMarkers,
) -> Option<String> {
    if markers.after.is_empty() {
        return None;
    }
    let lead = leads.get(leads.partition_point(|lead| lead.span.start < end)).filter(|lead| lead.is_comment)?;
    let text = String::from_utf8_lossy(&lines.bytes()[lead.span.to_range()]);
    let marker = markers.after.iter().find(|marker| text.starts_with(marker.as_str()))?;
    let between = &lines.bytes()[ByteSpan { start: end, end: lead.span.start }.to_range()];
    let last = lines.range_of(lead.span).end;
    let rows = between.split(|b| *b == b'\n').count();
    let is_near = rows <= 2 && between.iter().all(|b| b" \t\r\n;,".contains(b));
    // A comment between two lines of code is about the lower one, unless its marker says otherwise.
    let is_free = rows == 1 || last >= lines.line_count() || lines.is_blank(last);
    if !is_near || !(is_free || markers.inner.contains(marker)) {
        return None;
    }
    let mut doc = String::new();
    push_comment(&mut doc, text.trim(), markers);
    finish_doc(&doc)
}

/// A docstring's text without its quotes or comment marks, and without the indentation of its lines.
pub(crate) fn parse_docstring(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let quotes = [("\"\"\"", "\"\"\""), ("\"", "\""), ("<#", "#>")];
    let unquoted = quotes.iter().find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close));
    let text = unquoted.unwrap_or(&text);
    // The first line starts behind the quotes, so its indentation says nothing about the others.
    let indents =
        text.lines().skip(1).filter(|line| !line.trim().is_empty()).map(|line| line.len() - line.trim_start().len());
    let indent = indents.min().unwrap_or(0);
    let mut doc = String::new();
    for (at, line) in text.lines().enumerate() {
        let line = if at == 0 { line.trim_start() } else { line.get(indent..).unwrap_or_default() };
        push_line(&mut doc, line);
    }
    finish_doc(&doc)
}

/// Cuts `text` to at most `longest` bytes, and marks the cut with an ellipsis.
pub(crate) fn truncate_text(text: &mut String, longest: usize) {
    if text.len() > longest {
        let room = longest - TRUNCATION_MARK.len_utf8();
        let end = (0..=room).rev().find(|at| text.is_char_boundary(*at));
        text.truncate(end.unwrap_or(0));
        text.push(TRUNCATION_MARK);
    }
}

/// Where the definition at `start` begins, without the comments it may begin with.
fn after_comments(lines: &LineTable, mut start: u32, leads: &[LeadingTrivia]) -> u32 {
    let first = leads.partition_point(|lead| lead.span.start < start);
    for lead in leads[first..].iter().take_while(|lead| lead.is_comment).take(MOST_ABOVE) {
        if lead.span.start != start {
            break;
        }
        let blanks = lines.bytes()[lead.span.end as usize..].iter().take_while(|byte| byte.is_ascii_whitespace());
        start = lead.span.end + blanks.count() as u32;
    }
    start
}

/// The run of comments, attributes and decorators that ends directly above `start`, in order of place.
fn leads_above<'a>(lines: &LineTable, start: u32, leads: &'a [LeadingTrivia]) -> &'a [LeadingTrivia] {
    let end = leads.partition_point(|lead| lead.span.start < start);
    if !lines.starts_its_row(start) {
        return &[];
    }
    let mut first = end;
    let mut below = lines.row_of(start);
    for (at, lead) in leads[..end].iter().enumerate().rev().take(MOST_ABOVE) {
        let range = lines.range_of(lead.span);
        let lead_row = range.start - 1;
        let last_row = range.end - 1;
        // Some authors leave a blank line below a block comment that documents a definition; then there is one above it
        // as well.
        let is_free = lines.is_blank(below.saturating_sub(1)) && (lead_row == 0 || lines.is_blank(lead_row - 1));
        let gap = if lead.is_comment && last_row > lead_row && at + 1 == end && is_free { 2 } else { 1 };
        if last_row > below || below - last_row > gap || !lines.starts_its_row(lead.span.start) {
            break;
        }
        // A lead on the row of another declaration belongs to that one.
        if last_row < below && !lines.ends_its_row(lead.span.end) {
            break;
        }
        (first, below) = (at, lead_row);
    }
    &leads[first..end]
}

fn push_words(out: &mut String, bytes: &[u8], start: u32, end: u32) {
    if start >= end || out.len() > LONGEST_SIGNATURE {
        return;
    }
    for word in String::from_utf8_lossy(&bytes[ByteSpan { start, end }.to_range()]).split_whitespace() {
        // A list over several lines becomes one on a single line.
        if word.starts_with([')', ']']) {
            let kept = out.trim_end_matches(',').len();
            out.truncate(kept);
        } else if !out.is_empty() && !out.ends_with(['(', '[']) {
            out.push(' ');
        }
        out.push_str(word);
    }
}

fn push_comment(doc: &mut String, text: &str, markers: &CommentMarkers) {
    let block = markers.block.iter().find_map(|(open, close)| Some((text.strip_prefix(open.as_str())?, close)));
    if let Some((inside, close)) = block {
        for line in inside.strip_suffix(close.as_str()).unwrap_or(inside).lines() {
            let line = line.trim_start();
            push_line(doc, line.strip_prefix('*').map_or(line, |line| line.strip_prefix(' ').unwrap_or(line)));
        }
        return;
    }
    // Some grammars have one node for a run of line comments.
    for line in text.lines().map(str::trim_start) {
        let line = markers.line.iter().find_map(|marker| line.strip_prefix(marker.as_str())).unwrap_or(line);
        push_line(doc, line.strip_prefix(' ').unwrap_or(line));
    }
}

fn push_line(doc: &mut String, line: &str) {
    let line = line.trim_end();
    // A line of signs above the words, such as the second sign of `##`, is no text.
    if doc.is_empty() && !line.contains(char::is_alphanumeric) {
        return;
    }
    if !doc.is_empty() {
        doc.push('\n');
    }
    doc.push_str(line);
}

fn finish_doc(doc: &str) -> Option<String> {
    let mut doc = doc.trim_end().to_owned();
    truncate_text(&mut doc, LONGEST_DOC);
    (!doc.is_empty()).then_some(doc)
}
