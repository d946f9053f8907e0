//! Cuts a text into the pieces of the o200k pattern: a word with what precedes it, up to three digits, a run of
//! symbols, a run of white space. Tokens never reach from one piece into the next.
//!
//! The pattern, whose alternatives are tried in this order:
//!
//! ```text
//! [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! \p{N}{1,3}
//!  ?[^\s\p{L}\p{N}]+[\r\n/]*
//! \s*[\r\n]+
//! \s+(?!\S)
//! \s+
//! ```
//!
//! It is written out instead of compiled: what an engine needs for it (two kinds of automata, or one that looks back) is
//! megabytes and milliseconds at the first use, and no engine of the tree knows the look-ahead.

use super::character_class::{ASCII_CLASSES, CharacterClass};

/// Where the piece at `start` ends, behind `start`.
pub(super) fn piece_end(text: &str, start: usize) -> usize {
    let Some((first, after_first)) = class_at(text, start) else { return start };
    match first {
        CharacterClass::Upper | CharacterClass::Lower | CharacterClass::Caseless => {
            word_end(text, start).map_or(after_first, |end| contraction_end(text, end))
        }
        // A mark is what precedes the word behind it, or a word by itself.
        CharacterClass::Combining => {
            let end = cased_end(text, after_first).or_else(|| cased_end(text, start)).unwrap_or(after_first);
            contraction_end(text, end)
        }
        CharacterClass::Digit => {
            let digit_end = |at| class_at(text, at).filter(|(class, _)| *class == CharacterClass::Digit);
            let second = digit_end(after_first).map_or(after_first, |(_, end)| end);
            digit_end(second).map_or(second, |(_, end)| end)
        }
        CharacterClass::Symbol => match word_end(text, after_first) {
            Some(end) => contraction_end(text, end),
            None => symbols_end(text, after_first),
        },
        CharacterClass::Blank => match word_end(text, after_first) {
            Some(end) => contraction_end(text, end),
            None if text.as_bytes()[start] == b' ' && follows(text, after_first, CharacterClass::is_symbol) => {
                symbols_end(text, after_first)
            }
            None => spaces_end(text, start),
        },
        CharacterClass::Newline => spaces_end(text, start),
    }
}

/// The class of the character at a place, and where it ends; nothing behind the last one.
#[inline]
fn class_at(text: &str, at: usize) -> Option<(CharacterClass, usize)> {
    let byte = *text.as_bytes().get(at)?;
    if byte < 128 {
        return Some((ASCII_CLASSES[usize::from(byte)], at + 1));
    }
    foreign_class(text, at)
}

/// Kept apart, so that the way of ASCII stays short.
#[inline(never)]
fn foreign_class(text: &str, at: usize) -> Option<(CharacterClass, usize)> {
    let character = text[at..].chars().next()?;
    Some((CharacterClass::of(character), at + character.len_utf8()))
}

fn follows(text: &str, at: usize, is_wanted: impl Fn(CharacterClass) -> bool) -> bool {
    class_at(text, at).is_some_and(|(class, _)| is_wanted(class))
}

/// The first place from `at` on whose character is not wanted.
#[inline]
fn run_end(text: &str, mut at: usize, is_wanted: impl Fn(CharacterClass) -> bool) -> usize {
    while let Some((class, end)) = class_at(text, at) {
        if !is_wanted(class) {
            break;
        }
        at = end;
    }
    at
}

/// The end of the letters at a place, by the first two alternatives; nothing where there is none.
#[inline]
fn word_end(text: &str, at: usize) -> Option<usize> {
    // The second alternative is for capitals that no small letter follows.
    cased_end(text, at).or_else(|| {
        let end = run_end(text, at, CharacterClass::is_upper);
        (end > at).then_some(end)
    })
}

/// The end of the letters at a place, by the first alternative: capitals, and at least one small letter.
#[inline]
fn cased_end(text: &str, at: usize) -> Option<usize> {
    let mut end = at;
    // Letters without case count as both: where no small letter follows the capitals, the word ends with the last of
    // those.
    let mut last_lower = None;
    while let Some((class, after)) = class_at(text, end) {
        if !class.is_upper() {
            if class == CharacterClass::Lower {
                return Some(run_end(text, after, CharacterClass::is_lower));
            }
            break;
        }
        if class != CharacterClass::Upper {
            last_lower = Some(after);
        }
        end = after;
    }
    last_lower
}

/// The end of a word with what may be left off behind it: `'s`, `'re`.
#[inline]
fn contraction_end(text: &str, end: usize) -> usize {
    let bytes = text.as_bytes();
    if bytes.get(end) != Some(&b'\'') {
        return end;
    }
    let letter = |at: usize| bytes.get(at).map_or(0, u8::to_ascii_lowercase);
    match (letter(end + 1), letter(end + 2)) {
        (b's' | b't' | b'm' | b'd', _) => end + 2,
        // There is a long s (ſ), which the pattern takes for an s.
        (b'r' | b'v', b'e') | (b'l', b'l') | (0xc5, 0xbf) => end + 3,
        _ => end,
    }
}

/// The end of a run of symbols, and of the newlines and slashes behind it.
fn symbols_end(text: &str, at: usize) -> usize {
    let end = run_end(text, at, CharacterClass::is_symbol);
    let rest = text.as_bytes()[end..].iter().position(|byte| !matches!(byte, b'\r' | b'\n' | b'/'));
    rest.map_or(text.len(), |length| end + length)
}

/// The end of a run of white space: behind its last newline, or before the last character of it, which belongs to what
/// follows.
fn spaces_end(text: &str, start: usize) -> usize {
    let mut end = start;
    let mut last = start;
    let mut newline = None;
    while let Some((class, after)) = class_at(text, end).filter(|(class, _)| class.is_space()) {
        if class == CharacterClass::Newline {
            newline = Some(after);
        }
        last = end;
        end = after;
    }
    match newline {
        Some(newline) => newline,
        None if end < text.len() && last > start => last,
        None => end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str) {
        let mut start = 0;
        for wanted in bpe_openai::o200k_base().split(text) {
            let end = piece_end(text, start);
            assert_eq!(&text[start..end], wanted, "in {text:?}");
            start = end;
        }
        assert_eq!(start, text.len(), "in {text:?}");
    }

    #[test]
    fn pieces_end_where_the_pattern_ends_them() {
        let texts = [
            "HTTPServer's WE'RE can't 'll I'D x'ſ y'é",
            "a  b\t\tc \n\n  d\r\n",
            "1234567 12é 3.14 v2 ½²٣٤٥٦",
            "path/to//file:\n//\n/x ...  !?\u{a0}(é) (e) \u{1c}z",
            "trailing   ",
            "trailing \n  ",
            "trailing \u{2003}\u{2003}",
            "数を  数える of ABCdéf ABC\u{301} '",
            "ノABC ノABCd ABCノDE'll ǅABC \u{301}ABC \u{301}\u{301}a !\u{301} !!\u{301}x \u{301}",
            " \u{301}A \u{301}\u{302}A\u{301}B",
        ];
        texts.into_iter().for_each(check);
    }

    proptest! {
        #[test]
        fn pieces_of_few_characters_end_where_the_pattern_ends_them(
            text in "[ a-cA-C0-9'./(\r\n\t\u{b}éÉſ\u{a0}数\u{301}ǅʰ½\u{2003}srvltmd]{0,40}",
        ) {
            check(&text);
        }

        #[test]
        fn pieces_of_any_characters_end_where_the_pattern_ends_them(text in any::<String>(), latin in "\\PC{0,40}") {
            check(&text);
            check(&latin);
        }
    }
}
