//! Writes and parses the markers of a shortened view: lines that name a range left out, to restore it.
//!
//! | marker | left out |
//! |---|---|
//! | `…:12-40` | lines 12 to 40 |
//! | `…:12` | line 12 |
//! | `…~2,1 40=3` | whitespace, at the end of a view: see [`super::whitespace`] |
//! | `…@4096-9000` | the bytes from 4096 up to, not including, 9000; the line end before the marker is its own |
//!
//! The ellipsis is in place of the path: with the path it is a target that can be read. A marker is a line of its own,
//! at its start; words may follow after a blank. A file may have lines that look like markers (this one has), so its
//! markers have one ellipsis more than any such line: the longest are the markers. At six tokens a marker is about as
//! cheap as a comment sign with two numbers, and unlike words or brackets it cannot be taken for code.

use super::mask::RowCut;
use super::whitespace::{SqueezedView, WhitespaceNote};
use crate::line_table::LineTable;
use model::{LineRange, count_tokens};
use std::borrow::Cow;

const SIGN: &str = "…";

/// A part of a file that a view leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HiddenRange {
    /// Whole lines.
    Lines(LineRange),
    /// Bytes of a text too long to be shown, counted from 0.
    Bytes {
        /// The first.
        start: u64,
        /// One past the last.
        end: u64,
    },
}

/// A piece of a view's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewPiece<'t> {
    /// Shown as it is in the file.
    Kept(&'t [u8]),
    /// Left out.
    Cut(HiddenRange),
}

/// Splits a view's text at its markers. Not for a raw text, which has no markers and may have lines that look like
/// some. Kept pieces lack the whitespace that a lightweight view removes; [`restore_view`] restores it.
pub fn split_view(text: &[u8]) -> Vec<ViewPiece<'_>> {
    take_apart(text).0
}

fn take_apart(text: &[u8]) -> (Vec<ViewPiece<'_>>, Option<WhitespaceNote>) {
    // Only the longest runs are markers; shorter ones are lines of the file.
    let signs = longest_run(text.split_inclusive(|byte| *byte == b'\n'));
    let mut pieces = Vec::new();
    let mut whitespace = None;
    let mut kept = 0;
    let mut at = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        if let Some((count, mark)) = parse_marker(line)
            && count == signs
        {
            let owns_line_end = match &mark {
                MarkerContent::Hidden(hidden) => matches!(hidden, HiddenRange::Bytes { .. }),
                MarkerContent::Whitespace(note) => note.is_open(),
            };
            // The line end before such a marker was written with the marker and is not the file's.
            let end = at - usize::from(owns_line_end && at > kept);
            pieces.extend((end > kept).then(|| ViewPiece::Kept(&text[kept..end])));
            match mark {
                MarkerContent::Hidden(hidden) => pieces.push(ViewPiece::Cut(hidden)),
                MarkerContent::Whitespace(note) => whitespace = Some(note),
            }
            kept = at + line.len();
        }
        at += line.len();
    }
    pieces.extend((at > kept).then(|| ViewPiece::Kept(&text[kept..])));
    (pieces, whitespace)
}

/// Restores what a view leaves out, with `read` to get it: the very bytes that the view was made from.
pub fn restore_view<E>(text: &[u8], mut read: impl FnMut(HiddenRange) -> Result<Vec<u8>, E>) -> Result<Vec<u8>, E> {
    let mut whole = Vec::with_capacity(text.len());
    let (pieces, whitespace) = take_apart(text);
    let mut line = whitespace.as_ref().map_or(1, WhitespaceNote::first_line);
    for piece in pieces {
        match (piece, &whitespace) {
            (ViewPiece::Kept(bytes), Some(whitespace)) => line = whitespace.restore_lines(bytes, line, &mut whole),
            (ViewPiece::Kept(bytes), None) => whole.extend_from_slice(bytes),
            (ViewPiece::Cut(hidden), _) => {
                if let HiddenRange::Lines(lines) = hidden {
                    // The text is the caller's, and may claim any line.
                    line = lines.end.saturating_add(1);
                }
                whole.append(&mut read(hidden)?);
            }
        }
    }
    Ok(whole)
}

/// The beginning of a text that is too long to be shown, with a marker for the rest of it.
pub fn render_window(path: &str, shown: &[u8], rest: std::ops::Range<u64>, words: &str) -> Vec<u8> {
    let signs = SIGN.repeat(longest_run(shown.split_inclusive(|byte| *byte == b'\n')) + 1);
    let mut text = shown.to_vec();
    let start = rest.start;
    let end = rest.end;
    text.extend_from_slice(
        format!("\n{signs}@{start}-{end} {words}; read {}@{start}-{end}\n", plain_path(path)).as_bytes(),
    );
    text
}

/// Some lines of a file without the cuts, which are inside of them, and without some whitespace; and whether none of
/// the lines looks like a marker.
pub(super) fn write_view(
    path: &str,
    lines: &LineTable,
    shown: LineRange,
    cuts: &[RowCut],
    squeezed: Option<&SqueezedView>,
) -> (Vec<u8>, bool) {
    let last = shown.end.min(lines.line_count());
    let run = longest_run((shown.start - 1..last).map(|row| lines.row_bytes(row)));
    let sign = SIGN.repeat(run + 1);
    let mut text = Vec::new();
    let keep = |text: &mut Vec<u8>, start: u32, end: u32| match squeezed {
        Some(squeezed) => squeezed.write_rows(start..end, text),
        None => text.extend_from_slice(&lines.bytes()[lines.span_of(start, end).to_range()]),
    };
    let mut next = shown.start - 1;
    for (at, cut) in cuts.iter().enumerate() {
        keep(&mut text, next, cut.rows.start);
        // The legend is written once: the form of the first marker explains the others.
        let words = match (at, cut.note.as_str()) {
            (0, "") => render_legend(path, cut.line_range()),
            (0, note) => format!("{note} {}", render_legend(path, cut.line_range())),
            (_, note) => note.to_owned(),
        };
        let blank = if words.is_empty() { "" } else { " " };
        text.extend_from_slice(format!("{sign}:{}{blank}{words}\n", render_range(cut.line_range())).as_bytes());
        next = cut.rows.end;
    }
    keep(&mut text, next, last);
    if let Some(squeezed) = squeezed {
        // The note is a line of its own; a line end that the file does not have is removed again by `restore_view`.
        let newline = if squeezed.whitespace_note().is_open() { "\n" } else { "" };
        text.extend_from_slice(
            format!("{newline}{sign}{} (whitespace)\n", squeezed.whitespace_note().render_note()).as_bytes(),
        );
    }
    (text, run == 0)
}

/// The tokens of the marker of a cut, without the legend.
pub(super) fn marker_cost(cut: &RowCut) -> u32 {
    count_tokens(&format!("{SIGN}:{} {}\n", render_range(cut.line_range()), cut.note)).0
}

/// The text of the first marker that explains all of them.
pub(super) fn render_legend(path: &str, lines: LineRange) -> String {
    format!("(left out: read {}:{})", plain_path(path), render_range(lines))
}

fn render_range(lines: LineRange) -> String {
    if lines.start == lines.end { lines.start.to_string() } else { format!("{}-{}", lines.start, lines.end) }
}

/// A path that can be part of a line.
fn plain_path(path: &str) -> Cow<'_, str> {
    if path.contains(char::is_control) { path.replace(char::is_control, "?").into() } else { path.into() }
}

/// The most signs of any line that looks like a marker.
fn longest_run<'a>(lines: impl Iterator<Item = &'a [u8]>) -> usize {
    lines.filter_map(parse_marker).map(|(count, _)| count).max().unwrap_or(0)
}

/// The content of a marker.
enum MarkerContent {
    Hidden(HiddenRange),
    Whitespace(WhitespaceNote),
}

/// A line that looks like a marker: its signs, and what it leaves out.
fn parse_marker(line: &[u8]) -> Option<(usize, MarkerContent)> {
    if !line.starts_with(SIGN.as_bytes()) {
        return None;
    }
    let line = String::from_utf8_lossy(line);
    let rest = line.trim_start_matches(SIGN);
    let count = (line.len() - rest.len()) / SIGN.len();
    let place = rest.trim_end_matches(['\n', '\r']);
    if place.starts_with('~') {
        return Some((count, MarkerContent::Whitespace(WhitespaceNote::parse(place)?)));
    }
    let place = place.split_once(' ').map_or(place, |(place, _)| place);
    // `+5` would parse as a number, but no marker is written so.
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<u64>().ok())?;
    let (start, end) = place.get(1..)?.split_once('-').unwrap_or((&place[1..], &place[1..]));
    let start = number(start)?;
    let end = number(end)?;
    let hidden = match place.as_bytes()[0] {
        b':' if 1 <= start && start <= end => {
            HiddenRange::Lines(LineRange { start: u32::try_from(start).ok()?, end: u32::try_from(end).ok()? })
        }
        b'@' if start < end => HiddenRange::Bytes { start, end },
        _ => return None,
    };
    Some((count, MarkerContent::Hidden(hidden)))
}
