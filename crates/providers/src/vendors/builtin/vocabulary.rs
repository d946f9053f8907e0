//! `TokenVocabulary`, a WordPiece tokenizer: cuts words into their longest known pieces, from the left; most are one.
//!
//! The vocabulary is the included text, read where it lies. Built over it at first use are two open-addressed tables,
//! one for the pieces that begin a word and one for those that continue it. A slot keeps some bits of the piece's hash,
//! so that a miss almost never touches the text.

use super::ModelFileError;
use super::words::{KELVIN, MAX_WORD_LENGTH};

/// A token's number: its line in the vocabulary, from 0.
pub(crate) type TokenId = u16;

/// The first line is the token for unknown words. No word is looked up under it, so its number marks free slots.
const UNKNOWN_TOKEN: TokenId = 0;

/// What the vocabulary writes before a piece that continues a word.
const CONTINUATION: &[u8] = b"##";

/// Finds the tokens of words.
pub(crate) struct TokenVocabulary {
    begin: PieceTable,
    go_on: PieceTable,
}

impl TokenVocabulary {
    /// Indexes the lines of `text`, of which there must be `tokens`.
    pub(crate) fn new(text: &'static str, tokens: usize) -> Result<Self, ModelFileError> {
        let text = text.strip_suffix('\n').unwrap_or(text).as_bytes();
        let lines = || text.split(|byte| *byte == b'\n');
        let found = lines().count();
        // The table and the vocabulary are two files; one line too many would shift every vector.
        if found != tokens || TokenId::try_from(tokens - 1).is_err() {
            return Err(ModelFileError::Lines { found, wanted: tokens });
        }
        let go_on = lines().filter(|line| line.starts_with(CONTINUATION)).count();
        let mut vocabulary = Self { begin: PieceTable::new(text, found - go_on), go_on: PieceTable::new(text, go_on) };
        let mut start = 0;
        for (line, id) in lines().zip(UNKNOWN_TOKEN..) {
            let (pieces, piece) = match line.strip_prefix(CONTINUATION) {
                Some(piece) => (&mut vocabulary.go_on, piece),
                None => (&mut vocabulary.begin, line),
            };
            if piece.is_empty() || piece.len() > MAX_WORD_LENGTH {
                return Err(ModelFileError::Token { line: usize::from(id) + 1 });
            }
            let end = start + line.len();
            if id != UNKNOWN_TOKEN {
                pieces.insert(piece, id, end - piece.len());
            }
            start = end + 1;
        }
        Ok(vocabulary)
    }

    /// Hands every token of `word`, which has at most [`MAX_WORD_LENGTH`] characters, to `emit`, from left to right.
    pub(crate) fn each_token(&self, word: &str, mut emit: impl FnMut(TokenId)) {
        let mut lower = [0; MAX_WORD_LENGTH];
        let mut rest = lower_ascii(word, &mut lower);
        let mut pieces = &self.begin;
        while !rest.is_empty() {
            let longest = rest.len().min(pieces.longest);
            let found = (1..=longest).rev().find_map(|length| Some((length, pieces.find(&rest[..length])?)));
            // A character that begins no piece is passed over.
            let length = found.map_or(1, |(length, id)| {
                emit(id);
                length
            });
            rest = &rest[length..];
            pieces = &self.go_on;
        }
    }
}

/// The lower case of `word`, where that is ASCII; nothing otherwise.
fn lower_ascii<'a>(word: &str, room: &'a mut [u8; MAX_WORD_LENGTH]) -> &'a [u8] {
    if word.is_ascii() {
        let room = &mut room[..word.len()];
        // In ASCII a letter differs from its lower case by this bit, and digits have it set.
        room.iter_mut().zip(word.bytes()).for_each(|(to, from)| *to = from | 0x20);
        room
    } else if word.chars().all(|c| c == KELVIN) {
        let room = &mut room[..word.len() / KELVIN.len_utf8()];
        room.fill(b'k');
        room
    } else {
        &[]
    }
}

/// The pieces of one kind, by their text.
struct PieceTable {
    text: &'static [u8],
    slots: Vec<PieceSlot>,
    /// The longest piece, in bytes: no longer one need be looked for.
    longest: usize,
}

#[derive(Clone, Copy)]
struct PieceSlot {
    tag: u16,
    id: TokenId,
    /// Where the piece begins in the text; it ends with its line.
    start: u32,
}

impl PieceTable {
    fn new(text: &'static [u8], expected: usize) -> Self {
        // At most half full: the search for a piece that is not there soon meets a free slot.
        let slots = vec![PieceSlot { tag: 0, id: UNKNOWN_TOKEN, start: 0 }; (expected * 2).next_power_of_two()];
        Self { text, slots, longest: 0 }
    }

    fn insert(&mut self, piece: &[u8], id: TokenId, start: usize) {
        let hash = hash_piece(piece);
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at].id != UNKNOWN_TOKEN {
            at = (at + 1) & mask;
        }
        self.slots[at] = PieceSlot { tag: hash_tag(hash), id, start: start as u32 };
        self.longest = self.longest.max(piece.len());
    }

    fn find(&self, piece: &[u8]) -> Option<TokenId> {
        let hash = hash_piece(piece);
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.id == UNKNOWN_TOKEN {
                return None;
            }
            // The tag decides almost always, so the text of the piece is read only for a probable hit.
            if slot.tag == hash_tag(hash) && self.is_at(slot.start as usize, piece) {
                return Some(slot.id);
            }
            at = (at + 1) & mask;
        }
    }

    fn is_at(&self, start: usize, piece: &[u8]) -> bool {
        let end = start + piece.len();
        self.text[start..].starts_with(piece) && self.text.get(end).is_none_or(|after| *after == b'\n')
    }
}

/// Mixes the at most [`MAX_WORD_LENGTH`] bytes of a piece as three numbers; no piece contains the zero byte that fills them up.
fn hash_piece(piece: &[u8]) -> u64 {
    let mut padded = [0; MAX_WORD_LENGTH];
    padded[..piece.len()].copy_from_slice(piece);
    let number = |at: usize| u64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|offset| padded[at + offset]));
    let left = u128::from(number(0) ^ 0x9e37_79b9_7f4a_7c15);
    let right = u128::from(number(8) ^ number(16).rotate_left(29) ^ 0xd1b5_4a32_d192_ed03);
    let product = left * right;
    product as u64 ^ (product >> 64) as u64
}

fn hash_tag(hash: u64) -> u16 {
    (hash >> 48) as u16
}
