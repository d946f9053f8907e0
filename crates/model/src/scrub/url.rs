//! Finds the password in a URL for the secret scanner: `postgres://user:password@host`.

use super::escape;
use std::ops::Range;

const LONGEST_USER: usize = 100;
const LONGEST_PASSWORD: usize = 200;
const SHORTEST_PASSWORD: usize = 6;
/// Passwords that people write in example addresses.
const WRITTEN: [&str; 5] = ["password", "passwd", "secret", "postgres", "username"];

/// The password of the address whose `://` ends at a place.
pub(super) fn find_password(text: &[u8], start: usize) -> Option<Range<usize>> {
    let user = find_terminator(text, start, LONGEST_USER, b':', |byte| {
        byte.is_ascii_alphanumeric() || b"._~%+-".contains(&byte)
    })?;
    let (_, start) = escape::read_unescaped(text, user)?;
    // A password that is filled in elsewhere is written as a variable, in braces or with a dollar sign.
    let in_password = |byte: u8| byte.is_ascii_graphic() && !b"@/\"'`<>{}[]$\\|".contains(&byte);
    let end = find_terminator(text, start, LONGEST_PASSWORD, b'@', in_password)?;
    // `postgres://user:password@host` is what every manual shows.
    let is_word = WRITTEN.iter().any(|word| text[start..end].eq_ignore_ascii_case(word.as_bytes()));
    (end - start >= SHORTEST_PASSWORD && !is_word).then_some(start..end)
}

/// Where the mark stands that ends a run of bytes that fit.
fn find_terminator(text: &[u8], start: usize, most: usize, mark: u8, fits: impl Fn(u8) -> bool) -> Option<usize> {
    let mut at = start;
    loop {
        let (byte, next) = escape::read_unescaped(text, at)?;
        if byte == mark {
            return Some(at);
        }
        if !fits(byte) || at - start > most {
            return None;
        }
        at = next;
    }
}
