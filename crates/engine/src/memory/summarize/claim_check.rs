//! Checks what a model wrote against what it was given: every path, name and number of the text has to be in the rows.
//!
//! A summary takes the place of messages, so an invented number would be believed from then on. Words in general
//! are not checked: a model may say the same in others.

use super::notes::names_path;
use super::salience::find_names;

/// Smaller numbers count things, and a model may count.
const MAX_COUNTED_NUMBER: u64 = 20;

/// The paths, names and numbers of a text that the rows do not have, each once.
pub(crate) fn find_unsupported(text: &str, rows: &str) -> Vec<String> {
    let rows_lower = rows.to_lowercase();
    let mut found: Vec<String> = Vec::new();
    let names = find_names(text).filter(|name| !is_supported_name(name, rows, &rows_lower));
    let numbers = find_numbers(text).filter(|number| !find_numbers(rows).any(|known| known == *number));
    for claim in names.chain(numbers) {
        if !found.iter().any(|known| known == claim) {
            found.push(claim.to_owned());
        }
    }
    found
}

fn is_supported_name(name: &str, rows: &str, rows_lower: &str) -> bool {
    // `a.rs/b.rs` and `and/or` join words: each of them has to be there, or to be too short for a name.
    let is_word = |piece: &str| piece.len() < 4 && piece.bytes().all(|byte| byte.is_ascii_lowercase());
    let has = |name: &str| rows_lower.contains(&name.to_lowercase()) || names_path(rows, name);
    has(name) || name.split('/').filter(|piece| !piece.is_empty()).all(|piece| has(piece) || is_word(piece))
}

/// Numbers as they are written, without their signs; small ones and parts of names are left out.
fn find_numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | ',' | '_')))
        .map(|word| word.trim_matches(['.', ',', '_']))
        .filter(|word| {
            word.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',')) && !word.is_empty()
        })
        .filter(|word| word.parse::<u64>().map_or(true, |number| number > MAX_COUNTED_NUMBER))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = "Asked: Make src/cache.rs hold 64 MB.\nDid: `cargo test`: 112 passed\nResult: It holds 64 MB, in 1.5 s.\n\
                        Paths are under /w/app/\nChanged files:\nsrc/loader.rs";

    #[test]
    fn what_the_rows_have_is_supported() {
        for text in [
            "The cache in src/cache.rs holds 64 MB; 112 tests pass.",
            "/w/app/src/loader.rs was changed, and cache.rs too.",
            "2 files changed in 3 steps, 1.5 s each.",
            "It works and/or it does not.",
        ] {
            assert_eq!(find_unsupported(text, ROWS), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn what_nobody_said_is_found() {
        assert_eq!(
            find_unsupported("src/store.rs holds 128 MB, says evict_all. 128 MB!", ROWS),
            ["src/store.rs", "evict_all", "128"]
        );
    }
}
