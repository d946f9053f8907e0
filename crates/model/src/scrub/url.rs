//! The password in an address: `postgres://user:password@host`.

use super::escape;
use std::ops::Range;

const LONGEST_USER: usize = 100;
const LONGEST_PASSWORD: usize = 200;
const SHORTEST_PASSWORD: usize = 6;

/// The password of the address whose `://` ends at a place.
pub(super) fn password(text: &[u8], start: usize) -> Option<Range<usize>> {
    let user =
        until(text, start, LONGEST_USER, b':', |byte| byte.is_ascii_alphanumeric() || b"._~%+-".contains(&byte))?;
    let (_, start) = escape::read(text, user)?;
    // A password that is asked for elsewhere is written as a variable: in braces, or with a dollar.
    let in_password = |byte: u8| byte.is_ascii_graphic() && !b"@/\"'`<>{}[]$\\|".contains(&byte);
    let end = until(text, start, LONGEST_PASSWORD, b'@', in_password)?;
    (end - start >= SHORTEST_PASSWORD).then_some(start..end)
}

/// Where the mark stands that ends a run of bytes that fit.
fn until(text: &[u8], start: usize, most: usize, mark: u8, fits: impl Fn(u8) -> bool) -> Option<usize> {
    let mut at = start;
    loop {
        let (byte, next) = escape::read(text, at)?;
        if byte == mark {
            return Some(at);
        }
        if !fits(byte) || at - start > most {
            return None;
        }
        at = next;
    }
}
