//! The tokenizer of full-text search: cuts text and identifiers into the terms an index keeps.
//!
//! One tokenizer for both stores, and for code as well as conversations, so that the same question finds the same
//! things everywhere. An identifier is kept whole and also in pieces: `parseHTTPHeader_v2` gives `parsehttpheader_v2`,
//! `parse`, `http`, `header`, `v2`. Scripts written without spaces give overlapping pairs of characters.

use crate::compounds::is_compound;

/// Longer words are hashes, keys or encoded data: users do not search for them by word, and they would fill the index.
const MAX_TERM_BYTES: usize = 64;

/// Hands every term of `text` to `emit`, in order, repeated as often as it occurs.
pub fn each_term(text: &str, mut emit: impl FnMut(&str)) {
    let mut word = WordBuffer::default();
    each_word(text, |written| word.split_terms(written, &mut emit));
}

/// Hands every word of `text` to `emit` as it is written. Terms depend on nothing else: those of the text are those of
/// its words, one after the other, so a caller that has many words can look up what each of them gives.
pub fn each_word(text: &str, mut emit: impl FnMut(&str)) {
    let mut start = 0;
    loop {
        start += text.as_bytes()[start..].iter().take_while(|byte| is_between(**byte)).count();
        let Some(first) = char_at(text, start) else { return };
        let mut end = start + first.len_utf8();
        if !is_word(first) {
            start = end;
            continue;
        }
        if is_unspaced(first) {
            let next = char_at(text, end).filter(|c| is_unspaced(*c));
            let pair = next.map_or(end, |c| end + c.len_utf8());
            let alone = start == 0 || !text[..start].chars().next_back().is_some_and(is_unspaced);
            // A single character counts by itself only where no pair covers it.
            if next.is_some() || alone {
                emit(&text[start..pair]);
            }
            start = end;
            continue;
        }
        loop {
            end += text.as_bytes()[end..].iter().take_while(|byte| is_ascii_word(**byte)).count();
            let Some(c) = char_at(text, end).filter(|c| is_word(*c) && !is_unspaced(*c)) else { break };
            end += c.len_utf8();
        }
        emit(&text[start..end]);
        start = end;
    }
}

/// Whether an ASCII character parts words.
#[inline]
fn is_between(byte: u8) -> bool {
    byte.is_ascii() && !is_ascii_word(byte)
}

#[inline]
fn is_ascii_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The character that starts at a byte. Nearly all text is ASCII, where the byte is the character.
#[inline]
fn char_at(text: &str, at: usize) -> Option<char> {
    match text.as_bytes().get(at)? {
        byte if byte.is_ascii() => Some(char::from(*byte)),
        _ => text[at..].chars().next(),
    }
}

/// The distinct terms of `text`, in order of first occurrence.
pub fn distinct_terms(text: &str) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    let mut out = Vec::new();
    each_term(text, |term| {
        if !seen.contains(term) {
            seen.insert(term.to_owned());
            out.push(term.to_owned());
        }
    });
    out
}

#[inline]
fn is_word(c: char) -> bool {
    u8::try_from(c).is_ok_and(is_ascii_word) || (!c.is_ascii() && c.is_alphanumeric())
}

/// Scripts that do not put spaces between words: CJK, kana, Hangul, Thai.
#[inline]
fn is_unspaced(c: char) -> bool {
    !c.is_ascii()
        && matches!(c, '\u{0e00}'..='\u{0e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2fa1f}')
}

/// Buffers of one word, kept between words.
#[derive(Default)]
struct WordBuffer {
    lower: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CharClass {
    Lower,
    Upper,
    Digit,
    Gap,
}

fn char_class(c: char) -> CharClass {
    match c {
        '_' => CharClass::Gap,
        c if c.is_ascii_digit() || c.is_numeric() => CharClass::Digit,
        c if c.is_uppercase() => CharClass::Upper,
        _ => CharClass::Lower,
    }
}

impl WordBuffer {
    fn split_terms(&mut self, word: &str, emit: &mut impl FnMut(&str)) {
        let word = word.trim_matches('_');
        let Some(first) = word.chars().next() else { return };
        if is_unspaced(first) {
            // A pair of a script without spaces is a term as it is.
            return emit(word);
        }
        self.store_lowercase(word);
        if self.lower.len() <= MAX_TERM_BYTES {
            emit(&self.lower);
        }
        // Most words are all lower case and of one piece, which needs no cutting.
        if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return;
        }
        let mut pieces = split_identifier(word);
        let (Some(first), Some(second)) = (pieces.next(), pieces.next()) else { return };
        let mut before = [""; 2];
        for piece in [first, second].into_iter().chain(pieces) {
            // A word that people write as one (`GitHub`) is one term here, in addition to its pieces.
            for parts in [&[before[1], piece][..], &[before[0], before[1], piece]] {
                if !parts[0].is_empty() && self.join_pieces(parts) < word.len() && is_compound(&self.lower) {
                    emit(&self.lower);
                }
            }
            before = [before[1], piece];
            // A single letter says nothing once it is cut off its word.
            if piece.len() > 1 && piece.len() <= MAX_TERM_BYTES {
                self.store_lowercase(piece);
                emit(&self.lower);
            }
        }
    }

    /// Pieces as one word, and how long it is.
    fn join_pieces(&mut self, pieces: &[&str]) -> usize {
        self.lower.clear();
        self.lower.extend(pieces.iter().copied());
        self.lower.make_ascii_lowercase();
        self.lower.len()
    }

    fn store_lowercase(&mut self, text: &str) {
        self.lower.clear();
        if text.is_ascii() {
            self.lower.push_str(text);
            self.lower.make_ascii_lowercase();
        } else {
            self.lower.extend(text.chars().flat_map(char::to_lowercase));
        }
    }
}

/// Cuts at underscores and at changes of case; an acronym ends before the capital that starts the next word, and
/// digits stay with the letters before them.
fn split_identifier(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches('_');
        let mut chars = rest.char_indices().map(|(at, c)| (at, char_class(c))).peekable();
        let (_, mut before) = chars.next()?;
        let mut end = rest.len();
        while let Some((at, now)) = chars.next() {
            let next = chars.peek().map(|(_, class)| *class);
            let cut = match (before, now) {
                // `sha256sum` gives `sha256` and `sum`; `parseURL` gives `parse` and `URL`.
                (_, CharClass::Gap)
                | (CharClass::Lower | CharClass::Digit, CharClass::Upper)
                | (CharClass::Digit, CharClass::Lower) => true,
                // `HTTPServer` gives `HTTP` and `Server`: the last capital belongs to the next word.
                (CharClass::Upper, CharClass::Upper) => next == Some(CharClass::Lower),
                _ => false,
            };
            if cut {
                end = at;
                break;
            }
            before = now;
        }
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, wanted: &[&str]) {
        let mut terms = Vec::new();
        each_term(text, |term| terms.push(term.to_owned()));
        assert_eq!(terms, wanted, "{text}");
    }

    #[test]
    fn identifiers_are_kept_whole_and_in_pieces() {
        check("parseHTTPHeader", &["parsehttpheader", "parse", "http", "header"]);
        check("snake_case_name", &["snake_case_name", "snake", "case", "name"]);
        check("utf8Decoder", &["utf8decoder", "utf8", "decoder"]);
        check("__init__", &["init"]);
        check("src/http/mod.rs", &["src", "http", "mod", "rs"]);
        check("a_b", &["a_b"]);
        check("HTML", &["html"]);
        check("Größe straßeName", &["größe", "straßename", "straße", "name"]);
    }

    #[test]
    fn what_is_one_word_to_people_stays_one_in_a_longer_name() {
        check("LaTeX", &["latex", "la", "te"]);
        check("LaTeXParser", &["latexparser", "la", "te", "latex", "parser"]);
        check("GitHub", &["github", "git", "hub"]);
        check("newGitHubClient", &["newgithubclient", "new", "git", "github", "hub", "client"]);
        check("file_system_root", &["file_system_root", "file", "filesystem", "system", "root"]);
    }

    #[test]
    fn unspaced_scripts_give_pairs() {
        check("数据库", &["数据", "据库"]);
        check("在 x", &["在", "x"]);
    }

    #[test]
    fn terms_of_a_text_are_those_of_its_words() {
        for text in ["parseHTTP(x_1) — größe数据库x在 __a__ ๑ก", "", "__", "é_É"] {
            let mut whole = Vec::new();
            let mut by_words = Vec::new();
            each_term(text, |term| whole.push(term.to_owned()));
            each_word(text, |word| each_term(word, |term| by_words.push(term.to_owned())));
            assert_eq!(whole, by_words, "{text}");
        }
        check("๑ก", &["๑ก"]);
    }

    #[test]
    fn encoded_data_is_left_out() {
        check(&"x".repeat(65), &[]);
    }

    proptest::proptest! {
        /// Any text gives terms without a panic, lower-cased and bounded.
        #[test]
        fn every_term_is_bounded(text in "\\PC{0,80}") {
            each_term(&text, |term| assert!(!term.is_empty() && term.len() <= MAX_TERM_BYTES * 4));
        }
    }
}
