//! Finds whole words and identifiers in text, for the tidy rules. Small enough to need no regular expressions, which
//! would be the slowest thing to build.

/// Byte offsets of `needle` in `text`, whole words only: where the needle begins or ends with a letter, digit or
/// `_`, its neighbour must not be one.
pub(super) fn word_offsets<'a>(text: &'a str, needle: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(needle).map(|(at, _)| at).filter(move |&at| {
        let before = text[..at].chars().next_back();
        let after = text[at + needle.len()..].chars().next();
        let grows_left = needle.starts_with(is_word) && before.is_some_and(is_word);
        let grows_right = needle.ends_with(is_word) && after.is_some_and(is_word);
        !grows_left && !grows_right
    })
}

pub(super) fn contains_word(text: &str, needle: &str) -> bool {
    word_offsets(text, needle).next().is_some()
}

/// Whether the words occur one after the other, with anything between.
pub(super) fn in_order(text: &str, words: &[&str]) -> bool {
    let mut rest = text;
    words.iter().all(|word| match word_offsets(rest, word).next() {
        Some(at) => {
            rest = &rest[at + word.len()..];
            true
        }
        None => false,
    })
}

/// Identifiers, numbers and keywords with their byte offsets.
pub(super) fn find_identifiers(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(is_word)?;
        at = start + text[start..].find(|c| !is_word(c)).unwrap_or(text.len() - start);
        Some((start, &text[start..at]))
    })
}

/// 1-based.
pub(super) fn line_at(text: &str, offset: usize) -> usize {
    text[..offset].bytes().filter(|&byte| byte == b'\n').count() + 1
}

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_needle_is_found_as_a_whole_word_only() {
        let text = "println!(a); eprintln!(b); my_println!(c)";
        assert_eq!(word_offsets(text, "println!").collect::<Vec<_>>(), [0]);
        assert!(!contains_word("recurrent_dir", "current_dir"));
        assert!(contains_word("std::env::current_dir()", "current_dir"));
    }

    #[test]
    fn words_must_come_in_order() {
        assert!(in_order("SELECT a\nFROM b", &["SELECT", "FROM"]));
        assert!(!in_order("FROM b SELECT a", &["SELECT", "FROM"]));
        assert!(!in_order("SELECTED FROM", &["SELECT", "FROM"]));
    }

    #[test]
    fn identifiers_come_with_their_place() {
        assert_eq!(find_identifiers("fn é_1(x)").collect::<Vec<_>>(), [(0, "fn"), (3, "é_1"), (8, "x")]);
        assert_eq!(line_at("a\nb\nc", 4), 3);
    }
}
