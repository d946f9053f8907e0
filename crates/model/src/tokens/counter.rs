//! The token counter with its cache per thread: most pieces of a text are those of a moment ago, and their tokens need
//! not be merged again.

use super::merge::count_merged;
use super::pieces::piece_end;
use std::cell::RefCell;

/// The number of tokens of a text.
pub(super) fn count_text(text: &str) -> usize {
    KNOWN.with_borrow_mut(|known| {
        let mut start = 0;
        let mut tokens = 0;
        while start < text.len() {
            let end = piece_end(text, start);
            tokens += known.count_piece(&text.as_bytes()[start..end]);
            start = end;
        }
        tokens
    })
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
    #[inline]
    fn count_piece(&mut self, piece: &[u8]) -> usize {
        // A longer piece hardly repeats; the last byte of the key is the length.
        if piece.len() > 15 {
            return count_merged(piece);
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
            self.tokens[place] = count_merged(piece) as u8;
        }
        usize::from(self.tokens[place])
    }
}
