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

/// The key whose opening dashes start at a place; more than one stretch when it was never closed.
pub(super) fn find_bodies(text: &[u8], start: usize) -> Vec<Range<usize>> {
    let Some(body) = behind_head(text, start) else { return Vec::new() };
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
    let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let mut found = Vec::new();
    let mut at = 0;
    let mut last = 0;
    for chunk in view.as_bytes().chunk_by(|a, b| is_key(a) == is_key(b)) {
        let start = at;
        let end = at + chunk.len();
        at = end;
        // Headers of old keys stand before the first run; text long after the last run is no key.
        if start > last + 4 * LONGEST_HEAD {
            break;
        }
        if chunk.len() >= SHORTEST_RUN && is_key(&chunk[0]) {
            found.push(view.source_range(start..end));
            last = end;
        }
    }
    found
}
