//! `UnescapedView`, a text with its escapes undone and a map from its offsets back to the original bytes, so that the
//! secret scanner finds secrets in escaped JSON.
//!
//! A transcript is JSON, a tool's output in it may be JSON again, and a key in that is a string with `\\\\n` for every
//! line. However many backslashes stand before a letter, they are one escape here: what is looked for is a secret, not
//! a faithful decoding. A character of the view always corresponds to whole escapes of the text, so that a piece cut
//! out along the view leaves the rest as well-formed as it was.

use std::borrow::Cow;
use std::ops::Range;

/// A stretch of a text with escapes undone.
pub(super) struct UnescapedView<'t> {
    bytes: Cow<'t, [u8]>,
    /// Where each byte of the view starts in the text, and where the last one ends; empty when nothing was escaped.
    starts: Vec<usize>,
    base: usize,
}

impl<'t> UnescapedView<'t> {
    pub(super) fn new(text: &'t [u8], range: Range<usize>) -> Self {
        let stretch = &text[range.clone()];
        // Most stretches have no backslash, and are then viewed without a copy.
        let Some(first) = memchr::memchr(b'\\', stretch) else {
            return Self { bytes: Cow::Borrowed(stretch), starts: Vec::new(), base: range.start };
        };
        let mut bytes = stretch[..first].to_vec();
        let mut starts: Vec<usize> = (range.start..=range.start + first).collect();
        let mut at = range.start + first;
        while at < range.end {
            let (byte, next) = read_unescaped(text, at).expect("the range lies in the text");
            bytes.push(byte);
            at = next;
            // The place behind each character leads back to the bytes, however many an escape took.
            starts.push(at);
        }
        Self { bytes: Cow::Owned(bytes), starts, base: range.start }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The place in the text of a place in the view.
    pub(super) fn source_offset(&self, at: usize) -> usize {
        self.starts.get(at).copied().unwrap_or(self.base + at)
    }

    /// The range of the text that corresponds to a range of the view.
    pub(super) fn source_range(&self, range: Range<usize>) -> Range<usize> {
        self.source_offset(range.start)..self.source_offset(range.end)
    }
}

/// The character at a place, undone, and the place behind it; nothing at the end. What is not ASCII counts as 0xFF when
/// it was escaped.
pub(super) fn read_unescaped(text: &[u8], at: usize) -> Option<(u8, usize)> {
    let first = *text.get(at)?;
    if first != b'\\' {
        return Some((first, at + 1));
    }
    // However many times a text was escaped, the backslashes before one letter are one escape.
    let letter = at + text[at..].iter().take_while(|byte| **byte == b'\\').count();
    let plain = |byte: u8| Some((byte, letter + 1));
    match text.get(letter) {
        Some(b'n') => plain(b'\n'),
        Some(b'r') => plain(b'\r'),
        Some(b't') => plain(b'\t'),
        Some(b'b' | b'f') => plain(b' '),
        Some(quote @ (b'"' | b'\'' | b'/')) => plain(*quote),
        // A broken escape is a backslash, so that nothing behind it is hidden.
        Some(b'u') => Some(parse_hex_code(text, letter + 1, 4).unwrap_or((b'\\', letter))),
        Some(b'x') => Some(parse_hex_code(text, letter + 1, 2).unwrap_or((b'\\', letter))),
        _ => Some((b'\\', letter)),
    }
}

/// The character that `digits` hexadecimal digits at a place encode.
fn parse_hex_code(text: &[u8], at: usize, digits: usize) -> Option<(u8, usize)> {
    let hex = std::str::from_utf8(text.get(at..at + digits)?).ok()?;
    let is_hex = hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    let value = u32::from_str_radix(hex, 16).ok().filter(|_| is_hex)?;
    Some((u8::try_from(value).ok().filter(u8::is_ascii).unwrap_or(0xFF), at + digits))
}

/// Whether a word may start at a place: no letter or digit stands before it. The letter of an escape, the last one of a
/// colour (`ESC [ 3 1 m`) and a percent code are none.
pub(super) fn starts_word(text: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| text[before]) else { return true };
    if !before.is_ascii_alphanumeric() {
        return before != b'\\' || follows_escaped_backslash(text, at);
    }
    let back = |by: usize| at.checked_sub(by).map(|place| text[place]);
    // `\ntoken` is a newline and a word, not the word `ntoken`.
    let is_letter_of_escape = matches!(before, b'n' | b'r' | b't' | b'b' | b'f') && back(2) == Some(b'\\');
    let is_code = |mark: u8, digits: usize| {
        let Some(start) = at.checked_sub(digits + 1) else { return false };
        text[start] == mark && text[start + 1..at].iter().all(u8::is_ascii_hexdigit)
    };
    is_letter_of_escape
        || is_code(b'%', 2)
        || (back(6) == Some(b'\\') && is_code(b'u', 4))
        || (back(4) == Some(b'\\') && is_code(b'x', 2))
        || (before == b'm' && ends_colour(&text[..at - 1]))
}

/// Behind an odd number of backslashes stands the letter of an escape, which cannot be parted from them.
fn follows_escaped_backslash(text: &[u8], at: usize) -> bool {
    text[..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0
}

fn ends_colour(text: &[u8]) -> bool {
    let codes = text.iter().rev().take(12).take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
    text[..text.len() - codes].last() == Some(&b'[')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone_however_deep_they_lie() {
        let rows: [(&str, &str); 7] = [
            (r"plain", "plain"),
            (r#"a\nb\\nc\\\"d"#, "a\nb\nc\"d"),
            (r"\u003d\x3d\/", "==/"),
            (r"C:\dir \q\", r"C:\dir \q\"),
            (r"\u12", r"\u12"),
            (r"\u00e9", "\u{fffd}"),
            (r"\\\\", r"\"),
        ];
        for (text, expected) in rows {
            let view = UnescapedView::new(text.as_bytes(), 0..text.len());
            assert_eq!(String::from_utf8_lossy(view.as_bytes()), expected, "{text}");
            assert_eq!(view.source_range(0..view.as_bytes().len()), 0..text.len(), "{text}");
        }
    }

    #[test]
    fn a_word_starts_behind_escapes_colours_and_percent_codes() {
        let rows = [
            ("^key", true),
            ("a^key", false),
            (r"\n^key", true),
            (r"n^key", false),
            (r"\u003d^key", true),
            (r"u003d^key", false),
            (r"\x3d^key", true),
            ("\u{1b}[0;31m^key", true),
            (r"\u001b[31m^key", true),
            ("m^key", false),
            ("%3D^key", true),
            ("_^key", true),
            (r"\^key", false),
            (r"\\^key", true),
        ];
        for (text, expected) in rows {
            let at = text.find('^').expect("a row has a mark");
            assert_eq!(starts_word(text.replace('^', "").as_bytes(), at), expected, "{text}");
        }
    }
}
