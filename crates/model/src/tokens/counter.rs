//! A fast token counter with a cache per thread: counts as the o200k vocabulary does, without its two costs (an
//! automaton that looks for every piece of a text, and a search for the tokens of a piece that was counted a moment
//! ago).
//!
//! The vocabulary's pattern cuts a text into pieces (a word with what precedes it, three digits, a run of marks, a run
//! of blanks) and counts the tokens of each. Over ASCII the pattern is a few lines of code, and most pieces repeat.
//! What touches another script is left to the vocabulary, up to the next blank where a piece begins in any case.

use bpe_openai::Tokenizer;
use std::cell::RefCell;

/// The number of tokens of a text.
pub(super) fn count_text(vocabulary: &Tokenizer, text: &str) -> usize {
    KNOWN.with_borrow_mut(|known| {
        let bytes = text.as_bytes();
        let mut start = 0;
        let mut tokens = 0;
        while start < bytes.len() {
            if let Some(end) = piece_end(bytes, start) {
                tokens += known.count_piece(vocabulary, &bytes[start..end]);
                start = end;
            } else {
                let end = foreign_end(bytes, start);
                // Other scripts are left to the vocabulary itself, up to a place where a piece begins in any case.
                tokens += vocabulary.count(&text[start..end]);
                start = end;
            }
        }
        tokens
    })
}

/// The class of a byte in the pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PatternClass {
    Upper,
    Lower,
    Digit,
    Blank,
    Newline,
    Mark,
    Foreign,
}

const CLASSES: [PatternClass; 256] = {
    let mut classes = [PatternClass::Foreign; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'A'..=b'Z' => PatternClass::Upper,
            b'a'..=b'z' => PatternClass::Lower,
            b'0'..=b'9' => PatternClass::Digit,
            b'\n' | b'\r' => PatternClass::Newline,
            b' ' | b'\t' | 0x0b | 0x0c => PatternClass::Blank,
            _ => PatternClass::Mark,
        };
        byte += 1;
    }
    classes
};

/// The class of the byte at a place; none behind the last.
fn class_at(text: &[u8], at: usize) -> Option<PatternClass> {
    text.get(at).map(|byte| CLASSES[usize::from(*byte)])
}

/// The first place from `at` on that is of another class than these.
fn run_end(text: &[u8], at: usize, of: impl Fn(PatternClass) -> bool) -> usize {
    let rest = text[at..].iter().position(|byte| !of(CLASSES[usize::from(*byte)]));
    rest.map_or(text.len(), |length| at + length)
}

/// Where the piece at `start` ends; nothing where that depends on what is not ASCII.
fn piece_end(text: &[u8], start: usize) -> Option<usize> {
    let first = CLASSES[usize::from(text[start])];
    // In the vocabulary's pattern a word takes one blank or mark before it.
    let word = start + usize::from(matches!(first, PatternClass::Blank | PatternClass::Mark));
    let end = match (first, class_at(text, word)) {
        (PatternClass::Foreign, _) | (_, Some(PatternClass::Foreign)) => return None,
        (
            PatternClass::Upper | PatternClass::Lower | PatternClass::Blank | PatternClass::Mark,
            Some(PatternClass::Upper | PatternClass::Lower),
        ) => {
            let capitals = run_end(text, word, |class| class == PatternClass::Upper);
            let end = run_end(text, capitals, |class| class == PatternClass::Lower);
            return contraction_end(text, end);
        }
        (PatternClass::Digit, _) => {
            let end = run_end(text, start, |class| class == PatternClass::Digit);
            if end - start > 3 {
                // The pattern cuts digits into groups of three from the left.
                return Some(start + 3);
            }
            end
        }
        (PatternClass::Mark, _) => marks_end(text, start),
        (PatternClass::Blank, Some(PatternClass::Mark)) if text[start] == b' ' => marks_end(text, word),
        _ => return blanks_end(text, start),
    };
    (class_at(text, end) != Some(PatternClass::Foreign)).then_some(end)
}

/// A word with what may be left off behind it: `'s`, `'re`.
fn contraction_end(text: &[u8], end: usize) -> Option<usize> {
    if class_at(text, end) == Some(PatternClass::Foreign) {
        return None;
    }
    if text.get(end) != Some(&b'\'') {
        return Some(end);
    }
    let letter = |at: usize| text.get(at).map_or(0, u8::to_ascii_lowercase);
    match (letter(end + 1), letter(end + 2)) {
        // There is a long s (ſ), which the pattern takes for an s.
        (128.., _) => None,
        (b's' | b't' | b'm' | b'd', _) => Some(end + 2),
        (b'r' | b'v', b'e') | (b'l', b'l') => Some(end + 3),
        _ => Some(end),
    }
}

/// A run of marks, and the newlines and slashes behind it.
fn marks_end(text: &[u8], at: usize) -> usize {
    let end = run_end(text, at, |class| class == PatternClass::Mark);
    text[end..].iter().position(|byte| !matches!(byte, b'\r' | b'\n' | b'/')).map_or(text.len(), |length| end + length)
}

/// A run of blanks: up to its last newline, or without the one that belongs to what follows.
fn blanks_end(text: &[u8], start: usize) -> Option<usize> {
    let end = run_end(text, start, |class| matches!(class, PatternClass::Blank | PatternClass::Newline));
    let newline = text[start..end].iter().rposition(|byte| matches!(byte, b'\r' | b'\n'));
    match class_at(text, end) {
        Some(PatternClass::Foreign) => None,
        Some(_) => Some(match newline {
            Some(at) => start + at + 1,
            // The last blank belongs to the word behind it.
            None if end - start > 1 => end - 1,
            None => end,
        }),
        None => Some(newline.map_or(end, |at| start + at + 1)),
    }
}

/// Where a piece begins for sure after what is not ASCII: at a space behind an ASCII character that is none.
fn foreign_end(text: &[u8], start: usize) -> usize {
    let begins = |pair: &[u8]| {
        pair[1] == b' '
            && !matches!(
                CLASSES[usize::from(pair[0])],
                PatternClass::Foreign | PatternClass::Blank | PatternClass::Newline
            )
    };
    text[start..].windows(2).position(begins).map_or(text.len(), |at| start + at + 1)
}

/// Pieces whose tokens were counted lately: each has one place, and the newest has it.
struct PieceCache {
    pieces: Vec<u128>,
    tokens: Vec<u8>,
}

/// Places, as a power of two; what they take is half a megabyte a thread.
const PLACES: u32 = 15;

thread_local! {
    static KNOWN: RefCell<PieceCache> = const { RefCell::new(PieceCache { pieces: Vec::new(), tokens: Vec::new() }) };
}

impl PieceCache {
    fn count_piece(&mut self, vocabulary: &Tokenizer, piece: &[u8]) -> usize {
        // A longer piece hardly repeats; the last byte of the key is the length.
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
        // A slot holds one piece: a collision costs one count, and the memory stays fixed.
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
            if let Some(end) = piece_end(bytes, start) {
                assert_eq!(&text[start..end], wanted, "in {text:?}");
            }
            start += wanted.len();
        }
        assert_eq!(count_text(vocabulary, text), vocabulary.count(text), "{text:?}");
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
