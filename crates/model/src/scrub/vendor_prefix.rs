//! Finds tokens of vendors that no rule knows, for the secret scanner: a short word, `_`, and a long run of letters and
//! digits that only a generator makes.
//!
//! Ids have the same form and are everywhere (`toolu_…`, `call_…`, `price_…`), but are shorter, or hexadecimal.

use super::escape;
use std::ops::Range;

/// Letters and digits behind the last `_`, at least: ids have up to 29.
const MIN_RUN_BYTES: usize = 32;
/// The same behind a word that says what it is.
const MIN_MARKED_RUN_BYTES: usize = 24;
const MAX_RUN_BYTES: usize = 200;
/// Letters before the last `_`.
const MAX_PREFIX_BYTES: usize = 20;
/// Capitals, small letters and digits, each at least: a run of 32 has seldom fewer.
const MIN_OF_EACH_KIND: usize = 3;
/// What vendors put before the generated part.
const VENDOR_MARKS: [&str; 9] = ["live", "test", "prod", "pat", "sk", "secret", "key", "token", "api"];
/// What keys that may be published start with.
const PUBLISHED_PREFIXES: [&str; 5] = ["pk", "phc", "pub", "public", "publishable"];

/// The token whose last `_` stands at a place.
pub(super) fn find_token(text: &[u8], mark: usize) -> Option<Range<usize>> {
    let run = &text[mark + 1..];
    // Asked first, because it is false for nearly every `_`.
    let is_at = |at: usize| run.get(at).is_some_and(u8::is_ascii_alphanumeric);
    if !(is_at(MIN_MARKED_RUN_BYTES - 1) && is_at(MIN_MARKED_RUN_BYTES / 2) && is_at(MIN_MARKED_RUN_BYTES / 4)) {
        return None;
    }
    let length = run.iter().take(MAX_RUN_BYTES + 1).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let in_prefix = |byte: &&u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || **byte == b'_';
    let before = &text[mark.saturating_sub(MAX_PREFIX_BYTES)..mark];
    let mut start = mark - before.iter().rev().take_while(in_prefix).count();
    // The letter of an escape (`\nxyz_…`) is no part of the word.
    if start > 0 && text[start - 1] == b'\\' && start < mark {
        start += 1;
    }
    let prefix = &text[start..mark];
    let mut words = prefix.split(|byte| *byte == b'_');
    let is_marked = words.clone().count() > 1
        && words.clone().next_back().is_some_and(|word| VENDOR_MARKS.iter().any(|mark| word == mark.as_bytes()));
    let is_published = words.any(|word| PUBLISHED_PREFIXES.iter().any(|known| word == known.as_bytes()));
    let count = |fits: fn(&u8) -> bool| run[..length].iter().filter(|byte| fits(byte)).count();
    let is_mixed =
        count(u8::is_ascii_uppercase) >= MIN_OF_EACH_KIND && count(u8::is_ascii_lowercase) >= MIN_OF_EACH_KIND;
    let least = if is_marked { MIN_MARKED_RUN_BYTES } else { MIN_RUN_BYTES };
    let is_generated = (least..=MAX_RUN_BYTES).contains(&length)
        && count(u8::is_ascii_digit) >= MIN_OF_EACH_KIND
        && (is_mixed || is_marked)
        && run.get(length).is_none_or(|byte| !matches!(byte, b'_' | b'-' | b'+' | b'/'));
    // In base 64 of the kind for addresses every short word stands by chance.
    let is_apart = start == 0 || !matches!(text[start - 1], b'-' | b'+' | b'.');
    let is_word = prefix.len() >= 2 && prefix[0].is_ascii_lowercase() && escape::starts_word(text, start);
    (is_generated && is_word && is_apart && !is_published).then_some(start..mark + 1 + length)
}
