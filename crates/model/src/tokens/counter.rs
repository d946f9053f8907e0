//! Counts as the vocabulary does, without its two costs: an automaton that looks for every piece of a text, and a
//! search for the tokens of a piece that was counted a moment ago.
//!
//! The vocabulary's pattern cuts a text into pieces (a word with what precedes it, three digits, a run of marks, a run
//! of blanks) and counts the tokens of each. Over ASCII the pattern is a few lines of code, and most pieces repeat. What
//! touches another script is left to the vocabulary, up to the next blank where a piece begins in any case.

use bpe_openai::Tokenizer;
use std::cell::RefCell;

/// The number of tokens of a text.
pub(super) fn count(vocabulary: &Tokenizer, text: &str) -> usize {
    KNOWN.with_borrow_mut(|known| {
        let bytes = text.as_bytes();
        let (mut start, mut tokens) = (0, 0);
        while start < bytes.len() {
            if let Some(end) = piece(bytes, start) {
                tokens += known.count(vocabulary, &bytes[start..end]);
                start = end;
            } else {
                let end = foreign(bytes, start);
                tokens += vocabulary.count(&text[start..end]);
                start = end;
            }
        }
        tokens
    })
}

/// What a byte is to the pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    Digit,
    Blank,
    Newline,
    Mark,
    Foreign,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Foreign; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'A'..=b'Z' => Class::Upper,
            b'a'..=b'z' => Class::Lower,
            b'0'..=b'9' => Class::Digit,
            b'\n' | b'\r' => Class::Newline,
            b' ' | b'\t' | 0x0b | 0x0c => Class::Blank,
            _ => Class::Mark,
        };
        byte += 1;
    }
    classes
};

/// The class of the byte at a place; none behind the last.
fn class(text: &[u8], at: usize) -> Option<Class> {
    text.get(at).map(|byte| CLASSES[usize::from(*byte)])
}

/// The first place from `at` on that is of another class than these.
fn run(text: &[u8], at: usize, of: impl Fn(Class) -> bool) -> usize {
    let rest = text[at..].iter().position(|byte| !of(CLASSES[usize::from(*byte)]));
    rest.map_or(text.len(), |length| at + length)
}

/// Where the piece at `start` ends; nothing where that depends on what is not ASCII.
fn piece(text: &[u8], start: usize) -> Option<usize> {
    let first = CLASSES[usize::from(text[start])];
    // A word takes one blank or mark before it.
    let word = start + usize::from(matches!(first, Class::Blank | Class::Mark));
    let end = match (first, class(text, word)) {
        (Class::Foreign, _) | (_, Some(Class::Foreign)) => return None,
        (Class::Upper | Class::Lower | Class::Blank | Class::Mark, Some(Class::Upper | Class::Lower)) => {
            let capitals = run(text, word, |class| class == Class::Upper);
            let end = run(text, capitals, |class| class == Class::Lower);
            return contraction(text, end);
        }
        (Class::Digit, _) => {
            let end = run(text, start, |class| class == Class::Digit);
            if end - start > 3 {
                return Some(start + 3);
            }
            end
        }
        (Class::Mark, _) => marks(text, start),
        (Class::Blank, Some(Class::Mark)) if text[start] == b' ' => marks(text, word),
        _ => return blanks(text, start),
    };
    (class(text, end) != Some(Class::Foreign)).then_some(end)
}

/// A word with what may be left off behind it: `'s`, `'re`.
fn contraction(text: &[u8], end: usize) -> Option<usize> {
    if class(text, end) == Some(Class::Foreign) {
        return None;
    }
    if text.get(end) != Some(&b'\'') {
        return Some(end);
    }
    let letter = |at: usize| text.get(at).map_or(0, u8::to_ascii_lowercase);
    match (letter(end + 1), letter(end + 2)) {
        // There is a long s.
        (128.., _) => None,
        (b's' | b't' | b'm' | b'd', _) => Some(end + 2),
        (b'r' | b'v', b'e') | (b'l', b'l') => Some(end + 3),
        _ => Some(end),
    }
}

/// A run of marks, and the newlines and slashes behind it.
fn marks(text: &[u8], at: usize) -> usize {
    let end = run(text, at, |class| class == Class::Mark);
    text[end..].iter().position(|byte| !matches!(byte, b'\r' | b'\n' | b'/')).map_or(text.len(), |length| end + length)
}

/// A run of blanks: up to its last newline, or without the one that belongs to what follows.
fn blanks(text: &[u8], start: usize) -> Option<usize> {
    let end = run(text, start, |class| matches!(class, Class::Blank | Class::Newline));
    let newline = text[start..end].iter().rposition(|byte| matches!(byte, b'\r' | b'\n'));
    match class(text, end) {
        Some(Class::Foreign) => None,
        Some(_) => Some(match newline {
            Some(at) => start + at + 1,
            None if end - start > 1 => end - 1,
            None => end,
        }),
        None => Some(newline.map_or(end, |at| start + at + 1)),
    }
}

/// Where a piece begins for sure after what is not ASCII: at a space behind an ASCII character that is none.
fn foreign(text: &[u8], start: usize) -> usize {
    let begins = |pair: &[u8]| {
        pair[1] == b' ' && !matches!(CLASSES[usize::from(pair[0])], Class::Foreign | Class::Blank | Class::Newline)
    };
    text[start..].windows(2).position(begins).map_or(text.len(), |at| start + at + 1)
}

/// Pieces whose tokens were counted lately: each has one place, and the newest has it.
struct Known {
    pieces: Vec<u128>,
    tokens: Vec<u8>,
}

/// Places, as a power of two; what they take is half a megabyte a thread.
const PLACES: u32 = 15;

thread_local! {
    static KNOWN: RefCell<Known> = const { RefCell::new(Known { pieces: Vec::new(), tokens: Vec::new() }) };
}

impl Known {
    fn count(&mut self, vocabulary: &Tokenizer, piece: &[u8]) -> usize {
        // A longer one hardly repeats; the last byte of the key is the length.
        if piece.len() > 15 {
            return vocabulary.bpe.count(piece);
        }
        if self.pieces.is_empty() {
            self.pieces.resize(1 << PLACES, 0);
            self.tokens.resize(1 << PLACES, 0);
        }
        let mut key = [0; 16];
        key[..piece.len()].copy_from_slice(piece);
        key[15] = piece.len() as u8;
        let key = u128::from_le_bytes(key);
        let mixed = (key as u64 ^ ((key >> 64) as u64).rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let place = (mixed >> (u64::BITS - PLACES)) as usize;
        if self.pieces[place] != key {
            self.pieces[place] = key;
            self.tokens[place] = vocabulary.bpe.count(piece) as u8;
        }
        usize::from(self.tokens[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str) {
        let vocabulary = bpe_openai::o200k_base();
        let bytes = text.as_bytes();
        let mut start = 0;
        for wanted in vocabulary.split(text) {
            if let Some(end) = piece(bytes, start) {
                assert_eq!(&text[start..end], wanted, "in {text:?}");
            }
            start += wanted.len();
        }
        assert_eq!(count(vocabulary, text), vocabulary.count(text), "{text:?}");
    }

    #[test]
    fn pieces_end_where_the_pattern_ends_them() {
        let texts = [
            "HTTPServer's WE'RE can't 'll I'D x'ſ y'é",
            "a  b\t\tc \n\n  d\r\n",
            "1234567 12é 3.14 v2",
            "path/to//file:\n//\n/x ...  !?\u{a0}(é) (e) \u{1c}z",
            "trailing   ",
            "trailing \n  ",
            "数を  数える of ABCdéf ABC\u{301} '",
        ];
        texts.into_iter().for_each(check);
    }

    proptest! {
        #[test]
        fn counts_are_those_of_the_vocabulary(text in "[ a-eA-E0-9'./(\r\n\t\u{b}éÉſ\u{a0}数\u{301}srvltmd]{0,60}", words in "( ?[a-zA-Z]{1,14}['.,:;/_-]?){0,20}") {
            check(&text);
            check(&words);
        }
    }
}
