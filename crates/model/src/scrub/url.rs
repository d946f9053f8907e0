//! Finds the secret in a URL for the secret scanner: the password of `postgres://user:password@host`, and the token of
//! `https://token@host`.

use super::{escape, inspect};
use std::ops::Range;

const MAX_USER_BYTES: usize = 100;
const MAX_PASSWORD_BYTES: usize = 200;
const MIN_PASSWORD_BYTES: usize = 4;
/// A shorter user is the name of a person.
const MIN_TOKEN_BYTES: usize = 20;
/// Passwords that people write in example addresses.
const EXAMPLE_PASSWORDS: [&str; 12] =
    ["password", "passwd", "pass", "secret", "postgres", "username", "user", "guest", "token", "admin", "root", "pwd"];

/// The password of the address whose `://` ends at a place.
pub(super) fn find_password(text: &[u8], start: usize) -> Option<Range<usize>> {
    let in_user = |byte: u8| byte.is_ascii_alphanumeric() || b"._~%+-".contains(&byte);
    let Some(user) = find_terminator(text, start, MAX_USER_BYTES, b':', in_user) else {
        return find_token(text, start, in_user);
    };
    let (_, start) = escape::read_unescaped(text, user)?;
    // A password that is filled in elsewhere is written as a variable, in braces or with a dollar sign.
    let in_password = |byte: u8| byte.is_ascii_graphic() && !b"@/\"'`<>{}[]\\|".contains(&byte);
    let mut end = find_terminator(text, start, MAX_PASSWORD_BYTES, b'@', in_password)?;
    // An `@` of the password itself is often not encoded: the last one counts.
    while let Some(next) = find_terminator(text, end + 1, MAX_PASSWORD_BYTES, b'@', in_password) {
        end = next;
    }
    let password = &text[start..end];
    // `postgres://user:password@host` is what every manual shows.
    let is_word = EXAMPLE_PASSWORDS.iter().any(|word| password.eq_ignore_ascii_case(word.as_bytes()));
    let is_variable = password.first() == Some(&b'$') || password.iter().all(|byte| *byte == b'*');
    (password.len() >= MIN_PASSWORD_BYTES && !is_word && !is_variable).then_some(start..end)
}

/// A user that is no person's name: the token of a service.
fn find_token(text: &[u8], start: usize, in_user: impl Fn(u8) -> bool) -> Option<Range<usize>> {
    let end = find_terminator(text, start, MAX_USER_BYTES, b'@', in_user)?;
    let user = &text[start..end];
    let is_token = user.len() >= MIN_TOKEN_BYTES && user.iter().any(u8::is_ascii_digit);
    (is_token && !user.contains(&b'.') && !inspect::reads_as_words(user)).then_some(start..end)
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
