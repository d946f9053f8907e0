//! Splits a text into words for the built-in embedder and encoder: a hand-written scanner for the pattern of the model
//! card, `[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_A-Za-z]+`.
//!
//! By hand, because the look-ahead is beyond a linear-time regular expression. Outside ASCII the standard library's
//! tables stand in for `\w` and `\d`, and cut some scripts at other places than the reference does. No vector shows
//! it: a word outside ASCII has no token, unless it is made of [`KELVIN`] signs and nothing else; only such a sign
//! beside a combining vowel or a foreign digit, which the reference keeps apart from it, is lost.

/// Longer words are encoded data, not language.
pub(super) const MAX_WORD_LENGTH: usize = 24;
/// Longer numbers are values, not words.
const LONGEST_NUMBER: usize = 4;

/// The only character outside ASCII whose lower case is inside: a word of these is a word of `k`s.
pub(super) const KELVIN: char = '\u{212a}';

/// The words of `text` as they stand there, from left to right.
pub(crate) fn split_words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let bytes = rest.as_bytes();
            let class = CLASSES[usize::from(*bytes.first()?)];
            let (length, is_word) = match class {
                LetterClass::Gap => (class_run(bytes, class), false),
                LetterClass::Lower => within_limit(class_run(bytes, class), MAX_WORD_LENGTH),
                LetterClass::Upper => within_limit(capital_run(bytes), MAX_WORD_LENGTH),
                LetterClass::Digit => within_limit(class_run(bytes, class), LONGEST_NUMBER),
                LetterClass::Wide => non_ascii_run(rest),
            };
            // Every class takes at least one byte, so the loop moves on whether or not the run is a word.
            let (word, after) = rest.split_at(length);
            rest = after;
            if is_word {
                return Some(word);
            }
        }
    })
}

fn within_limit(length: usize, limit: usize) -> (usize, bool) {
    (length, length <= limit)
}

/// A capital and what belongs to it: the rest of its word, or of its acronym, which ends before the capital that
/// starts the next word.
fn capital_run(bytes: &[u8]) -> usize {
    let capitals = class_run(bytes, LetterClass::Upper);
    match (capitals, class_run(&bytes[capitals..], LetterClass::Lower)) {
        (_, 0) => capitals,
        (1, small) => 1 + small,
        // `HTTPServer`: the last capital belongs to the next word.
        _ => capitals - 1,
    }
}

/// Letters outside ASCII; a character that is no letter is skipped alone.
fn non_ascii_run(text: &str) -> (usize, bool) {
    let is_letter = |c: char| !c.is_ascii() && c.is_alphanumeric();
    match text.find(|c| !is_letter(c)).unwrap_or(text.len()) {
        0 => (text.chars().next().map_or(0, char::len_utf8), false),
        length => (length, text[..length].chars().nth(MAX_WORD_LENGTH).is_none()),
    }
}

fn class_run(bytes: &[u8], class: LetterClass) -> usize {
    bytes.iter().position(|byte| CLASSES[usize::from(*byte)] != class).unwrap_or(bytes.len())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LetterClass {
    Gap,
    Lower,
    Upper,
    Digit,
    Wide,
}

const CLASSES: [LetterClass; 256] = {
    let mut classes = [LetterClass::Gap; 256];
    let mut byte = 0;
    while byte < classes.len() {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' => LetterClass::Lower,
            b'A'..=b'Z' => LetterClass::Upper,
            b'0'..=b'9' => LetterClass::Digit,
            0x80.. => LetterClass::Wide,
            _ => LetterClass::Gap,
        };
        byte += 1;
    }
    classes
};

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, wanted: &[&str]) {
        assert_eq!(split_words(text).collect::<Vec<_>>(), wanted, "{text}");
    }

    #[test]
    fn identifiers_are_cut_where_their_case_changes() {
        check("parseHTTPHeader", &["parse", "HTTP", "Header"]);
        check("XMLHttpRequest2", &["XML", "Http", "Request", "2"]);
        check("snake_case __init__", &["snake", "case", "init"]);
        check("ABc Ab aB AB A", &["A", "Bc", "Ab", "a", "B", "AB", "A"]);
        check("utf8Decoder 1st", &["utf", "8", "Decoder", "1", "st"]);
    }

    #[test]
    fn encoded_data_and_long_numbers_are_left_out() {
        let fits = "a".repeat(24);
        let long = "a".repeat(25);
        check(&format!("{long} {fits}"), &[&fits]);
        check("12345 1234", &["1234"]);
        check(&format!("{}x", "A".repeat(26)), &["Ax"]);
        check(&"日".repeat(24), &[&"日".repeat(24)]);
        check(&"日".repeat(25), &[]);
    }

    #[test]
    fn other_scripts_are_words_of_their_own() {
        check("naïve → “日本語”", &["na", "ï", "ve", "日本語"]);
    }

    #[test]
    fn one_character_outside_ascii_has_its_lower_case_inside() {
        let folds = |c: &char| !c.is_ascii() && c.to_lowercase().all(|lower| lower.is_ascii());
        assert_eq!((char::MIN..=char::MAX).filter(folds).collect::<Vec<_>>(), [KELVIN]);
    }

    /// The pattern read literally, alternative by alternative, each taking as much as it can.
    fn literal(text: &str) -> Vec<String> {
        let chars: Vec<char> = text.chars().collect();
        let run = |from: usize, is: &dyn Fn(&char) -> bool| chars[from..].iter().take_while(|c| is(c)).count();
        let is = |at: usize, is: &dyn Fn(&char) -> bool| chars.get(at).is_some_and(is);
        let upper = char::is_ascii_uppercase;
        let lower = char::is_ascii_lowercase;
        let mut found = Vec::new();
        let mut at = 0;
        while at < chars.len() {
            let acronym = (1..=run(at, &upper)).rev().find(|n| is(at + n, &upper) && is(at + n + 1, &lower));
            let capital = usize::from(is(at, &upper));
            let word = Some(run(at + capital, &lower)).filter(|n| *n > 0).map(|n| capital + n);
            let some = |n: usize| Some(n).filter(|n| *n > 0);
            let length = acronym
                .or(word)
                .or_else(|| some(run(at, &upper)))
                .or_else(|| some(run(at, &char::is_ascii_digit)))
                .or_else(|| some(run(at, &|c| c.is_alphanumeric() && !c.is_ascii())));
            let limit = if is(at, &char::is_ascii_digit) { LONGEST_NUMBER } else { MAX_WORD_LENGTH };
            found.extend(length.filter(|n| *n <= limit).map(|n| chars[at..at + n].iter().collect()));
            at += length.unwrap_or(1);
        }
        found
    }

    proptest::proptest! {
        #[test]
        fn the_scanner_reads_the_pattern_literally(text in "([A-Z]{1,3}|[a-z]|[0-9]|[a-zA-Z]{20,30}|[_. é日→ \u{212a}\u{300}\u{1d400}]){0,30}") {
            proptest::prop_assert_eq!(split_words(&text).collect::<Vec<_>>(), literal(&text));
        }
    }
}
