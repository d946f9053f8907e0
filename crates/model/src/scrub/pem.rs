//! Finds PEM private keys for the secret scanner, from the line that opens one to the line that closes it.
//!
//! The body goes, not only the line that names it. In transcripts a key arrives with escaped line ends, with line
//! numbers in front, as a list of strings, or cut off in the middle, so what counts is where it starts and ends; only
//! without an end does it matter what the lines look like.

use super::escape::UnescapedView;
use memchr::memmem;
use std::ops::Range;

/// The longest first line.
const LONGEST_HEAD: usize = 140;
/// A longer body was never closed.
const LONGEST_BODY: usize = 64 << 10;
/// The shortest body, closing line included, of a key in a form that we do not know.
const SHORTEST_BODY: usize = 80;
/// A line of a body has at least one run of so many characters of base 64; the last one may be shorter.
const SHORTEST_RUN: usize = 24;

/// What opens the private part of a key file of `PuTTY`.
const PPK_HEAD: &[u8] = b"Private-Lines:";
/// How far before a closing line the body of a key is looked for.
const LONGEST_TAIL: usize = 8 << 10;
/// The most that stands between two lines of a body: a line break, a number, an arrow.
const LONGEST_GAP: usize = 24;

/// The key whose opening or closing dashes, or head in the form of `PuTTY`, start at a place; more than one stretch when it was never closed.
pub(super) fn find_bodies(text: &[u8], start: usize) -> Vec<Range<usize>> {
    if text[start..].len() >= PPK_HEAD.len() && text[start..start + PPK_HEAD.len()].eq_ignore_ascii_case(PPK_HEAD) {
        return ppk_lines(text, start + PPK_HEAD.len());
    }
    let Some(body) = behind_head(text, start) else { return tail_before(text, start) };
    let limit = text.len().min(body + LONGEST_BODY);
    // Another opening line means that this key was never closed.
    let limit = memmem::find(&text[body..limit], b"-----BEGIN").map_or(limit, |next| body + next);
    match find_closing(&text[body..limit]) {
        Some(end) if is_body(text, body..body + end) => std::iter::once(start..body + end).collect(),
        Some(_) => Vec::new(),
        // Cut off in the middle, as in a shortened tool output: the lines of base 64 go, one by one.
        None => base64_runs(text, body..limit),
    }
}

/// The private lines of a key file of `PuTTY`, whose head says how many there are.
fn ppk_lines(text: &[u8], start: usize) -> Vec<Range<usize>> {
    let limit = text.len().min(start + LONGEST_BODY);
    let end = memmem::find(&text[start..limit], b"Private-MAC").map_or(limit, |end| start + end);
    base64_runs(text, start..end)
}

/// The end of a key whose opening line was cut off: the lines of base 64 before the line that closes it.
fn tail_before(text: &[u8], closing: usize) -> Vec<Range<usize>> {
    let line = &text[closing..text.len().min(closing + LONGEST_HEAD)];
    let Some(name) = line.strip_prefix(b"-----END") else { return Vec::new() };
    let is_private = memmem::find(name, b"-----")
        .is_some_and(|end| name[..end].ends_with(b"PRIVATE KEY") || name[..end].ends_with(b"PRIVATE KEY BLOCK"));
    let from = closing.saturating_sub(LONGEST_TAIL);
    // With its opening line the key is found from there; another key or certificate ends the search.
    let before = memmem::rfind(&text[from..closing], b"-----").map(|at| from + at);
    let is_opened = before.is_some_and(|at| behind_head_before(text, at));
    if !is_private || is_opened {
        return Vec::new();
    }
    let mut from = before.map_or(from, |at| at + b"-----".len());
    // The search must not start within an escape.
    while from < closing && (text[from] == b'\\' || (from > 0 && text[from - 1] == b'\\')) {
        from += 1;
    }
    let view = UnescapedView::new(text, from..closing);
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = view.as_bytes().len();
    for chunk in view.as_bytes().chunk_by(|a, b| is_of_key(*a) == is_of_key(*b)).rev() {
        let range = at - chunk.len()..at;
        at = range.start;
        let is_run = is_of_key(chunk[0]);
        // Line numbers and marks stand between the lines of a key, other text does not; the last line may be short.
        let is_short = chunk.len() < SHORTEST_RUN;
        if is_run && (!is_short || (found.is_empty() && chunk.len() > 3)) {
            found.push(view.source_range(range));
        } else if (is_run && chunk.len() > 7) || (!is_run && chunk.len() > LONGEST_GAP) {
            break;
        }
    }
    found.reverse();
    found
}

/// Whether the dashes that end at a place close an opening line.
fn behind_head_before(text: &[u8], dashes: usize) -> bool {
    let line = &text[dashes.saturating_sub(LONGEST_HEAD)..dashes];
    memmem::rfind(line, b"-----BEGIN").is_some_and(|at| !line[at..].contains(&b'\n'))
}

fn is_of_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Whether a key stands between the two lines: programs that read keys have both lines and code between them.
fn is_body(text: &[u8], range: Range<usize>) -> bool {
    let view = UnescapedView::new(text, range.clone());
    let blanks = memchr::memchr_iter(b' ', view.as_bytes()).count();
    !base64_runs(text, range).is_empty()
        || (view.as_bytes().len() >= SHORTEST_BODY && blanks * 10 <= view.as_bytes().len())
}

/// The place behind `-----BEGIN … PRIVATE KEY-----`.
fn behind_head(text: &[u8], start: usize) -> Option<usize> {
    let head = &text[start..text.len().min(start + LONGEST_HEAD)];
    if !head.get(..b"-----BEGIN".len())?.eq_ignore_ascii_case(b"-----BEGIN") {
        return None;
    }
    let words = &head[b"-----BEGIN".len()..];
    let end = memmem::find(words, b"-----")?;
    let name = words[..end].to_ascii_uppercase();
    let is_name = name.iter().all(|byte| byte.is_ascii_alphanumeric() || b" _-".contains(byte));
    let is_private = name.ends_with(b"PRIVATE KEY") || name.ends_with(b"PRIVATE KEY BLOCK");
    (is_name && is_private).then_some(start + b"-----BEGIN".len() + end + b"-----".len())
}

/// Where the closing line ends.
fn find_closing(body: &[u8]) -> Option<usize> {
    let closes = |at: &usize| {
        let before = body[at.saturating_sub(b"KEY BLOCK".len())..*at].to_ascii_uppercase();
        before.ends_with(b"KEY") || before.ends_with(b"KEY BLOCK")
    };
    memmem::find_iter(body, b"-----").find(closes).map(|at| at + b"-----".len())
}

/// The runs of base 64 that follow each other closely from the start on.
fn base64_runs(text: &[u8], range: Range<usize>) -> Vec<Range<usize>> {
    let view = UnescapedView::new(text, range.start..range.end);
    let mut found = Vec::new();
    let mut at = 0;
    let mut last = 0;
    for chunk in view.as_bytes().chunk_by(|a, b| is_of_key(*a) == is_of_key(*b)) {
        let start = at;
        let end = at + chunk.len();
        at = end;
        // Headers of old keys stand before the first run; text long after the last run is no key.
        if start > last + 4 * LONGEST_HEAD {
            break;
        }
        if chunk.len() >= SHORTEST_RUN && is_of_key(chunk[0]) {
            found.push(view.source_range(start..end));
            last = end;
        }
    }
    found
}
