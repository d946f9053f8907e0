//! Finds a secret assigned to a telling name, for the secret scanner: `api_key = "…"`, `"apiKey": "…"`, `--token …` do
//! not differ here.

use super::escape::{self, UnescapedView};
use super::finder::run_end;
use super::inspect;
use super::rules::SecretRule;
use std::ops::Range;

/// Where a value may start.
pub(super) struct ValuePosition {
    /// Behind what separates the name from the value, quotes included.
    start: usize,
    /// Behind the sign itself: an `=` among the rest may belong to the value.
    earliest: usize,
}

/// How much of a name may follow the keyword.
const REST_OF_NAME: usize = 40;
/// Blanks and quotes between a name and the sign, and between the sign and the value.
const MAX_GAP_BYTES: usize = 8;
/// A shorter value is no secret.
const MIN_VALUE_BYTES: usize = 8;

impl ValuePosition {
    /// Reads from the end of a keyword to the start of the value, if there is one.
    pub(super) fn find_after(text: &[u8], end: usize) -> Option<Self> {
        let in_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b' ' | b'\t');
        let at = skip_matching(text, end, REST_OF_NAME, in_name);
        // `"apiKey": "…"` has quotes and blanks around the sign, in JSON as in code.
        let at = skip_matching(text, at, MAX_GAP_BYTES, |byte| is_blank(byte) || matches!(byte, b'"' | b'\'' | b'`'));
        let earliest = skip_separator(text, at)?;
        // A list of names is no assignment, and the next name of an object no value: only arguments of a call are.
        if text[earliest - 1] == b',' && !is_argument(text, end) {
            return None;
        }
        let start = skip_matching(text, earliest, MAX_GAP_BYTES, |byte| {
            is_blank(byte) || matches!(byte, b'"' | b'\'' | b'`' | b'=')
        });
        Some(Self { start, earliest })
    }

    /// The stretch that the rule takes for a secret.
    pub(super) fn find_secret(&self, text: &[u8], rule: &SecretRule) -> Option<Range<usize>> {
        let mut start = self.start;
        loop {
            let found = match_value(text, start, rule);
            if found.is_some() || start == self.earliest || text[start - 1] != b'=' {
                // The gap may have skipped an `=` that belongs to the value, so the value is tried again one sign
                // earlier.
                return found;
            }
            start -= 1;
        }
    }
}

fn match_value(text: &[u8], start: usize, rule: &SecretRule) -> Option<Range<usize>> {
    let end = run_end(text, start);
    // Short values such as `none` and `true` follow these names in every configuration.
    if end - start < MIN_VALUE_BYTES {
        return None;
    }
    let view = UnescapedView::new(text, start..end);
    let run = view.as_bytes();
    let found = rule.compiled_regex().captures(run)?.get(1)?;
    let secret = found.as_bytes();
    let range = view.source_range(0..secret.len());
    // A value that is called or indexed (`token(`, `keys[`) is a name in a program.
    let is_name = escape::read_unescaped(text, range.end).is_some_and(|(byte, _)| matches!(byte, b'(' | b'[' | b'{'));
    (!is_name
        && inspect::byte_entropy(secret) > rule.entropy
        && !inspect::is_stand_in(secret)
        && !inspect::reads_as_words(secret))
    .then_some(range)
}

/// Whether a bracket of a call was opened shortly before the end of a name.
fn is_argument(text: &[u8], end: usize) -> bool {
    let before = text[end.saturating_sub(REST_OF_NAME)..end].iter().rev();
    before.take_while(|byte| !matches!(byte, b'[' | b'{' | b',' | b'\n')).any(|byte| *byte == b'(')
}

/// The place behind the sign that separates a name from its value.
fn skip_separator(text: &[u8], at: usize) -> Option<usize> {
    let (first, mut next) = escape::read_unescaped(text, at)?;
    if !matches!(first, b'=' | b':' | b'>' | b'|' | b'?' | b',') {
        return None;
    }
    // The signs `:=`, `::=`, `=>`, `||` and `?=` separate; a single `?` or `|` does not.
    let mut previous = first;
    while let Some((byte @ (b'=' | b':' | b'>' | b'|'), behind)) = escape::read_unescaped(text, next) {
        if behind - at > MAX_GAP_BYTES
            || !matches!((previous, byte), (b':' | b'?', b'=') | (b':', b':') | (b'=', b'>') | (b'|', b'|'))
        {
            break;
        }
        (previous, next) = (byte, behind);
    }
    let is_half = matches!(first, b'?' | b'|') && previous == first && next == at + 1;
    (!is_half).then_some(next)
}

/// The vertical tab too, which Rust leaves out.
fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0B
}

/// The place behind at most `most` characters that fit.
fn skip_matching(text: &[u8], mut at: usize, most: usize, mut fits: impl FnMut(u8) -> bool) -> usize {
    for _ in 0..most {
        match escape::read_unescaped(text, at) {
            Some((byte, next)) if fits(byte) => at = next,
            _ => break,
        }
    }
    at
}
