//! Byte-pair merging: which tokens a piece of a text becomes. Of all neighbours that merge, those of the lowest rank are
//! merged first, the leftmost of them before the others, until none are left.

use super::pair_table::{NO_MERGE, RANK_BITS, TokenRank, byte_token, merge_pair};

/// Up to this length of a piece all neighbours are looked through for every merge: that is quadratic, and quicker than
/// to keep them in order. A place is then six bits.
const SHORT: usize = 64;
const PLACE_BITS: u32 = SHORT.ilog2();

/// The number of tokens of a piece.
pub(super) fn count_merged(piece: &[u8]) -> usize {
    if piece.len() <= SHORT { merge_short(piece).1 } else { merge_long(piece).len() }
}

/// The tokens of a short piece, and how many they are.
#[inline]
fn merge_short(piece: &[u8]) -> ([TokenRank; SHORT], usize) {
    let length = piece.len();
    let mut tokens = [0; SHORT];
    // The place behind each token.
    let mut ends = [0_u8; SHORT];
    // The place of the token before each.
    let mut befores = [0_u8; SHORT];
    // What each token becomes with the one behind it, with its place: the lowest rank and the leftmost place of it
    // are then the least number.
    let mut merges = [u32::MAX; SHORT];
    let merge_at = |at: usize, left, right| match merge_pair(left, right) {
        NO_MERGE => u32::MAX,
        rank => rank << PLACE_BITS | at as u32,
    };
    for (at, byte) in piece.iter().enumerate() {
        tokens[at] = byte_token(*byte);
        (befores[at], ends[at]) = (at.saturating_sub(1) as u8, at as u8 + 1);
        if at > 0 {
            merges[at - 1] = merge_at(at - 1, tokens[at - 1], tokens[at]);
        }
    }
    let mut count = length;
    let waiting = length.next_multiple_of(8);
    loop {
        let lowest = merges[..waiting].iter().copied().fold(u32::MAX, u32::min);
        if lowest == u32::MAX {
            break;
        }
        let (at, rank) = (lowest as usize % SHORT, lowest >> PLACE_BITS);
        let middle = usize::from(ends[at]);
        let end = usize::from(ends[middle]);
        count -= 1;
        tokens[at] = rank;
        ends[at] = end as u8;
        merges[middle] = u32::MAX;
        merges[at] = u32::MAX;
        if end < length {
            befores[end] = at as u8;
            merges[at] = merge_at(at, rank, tokens[end]);
        }
        if at > 0 {
            let before = usize::from(befores[at]);
            merges[before] = merge_at(before, tokens[before], rank);
        }
    }
    let mut at = 0;
    for place in 0..count {
        tokens[place] = tokens[at];
        at = usize::from(ends[at]);
    }
    (tokens, count)
}

/// The tokens of a piece of any length, in time that grows as the piece does.
///
/// A merge makes only merges of higher ranks possible, because a token is made of tokens before it. So ranks are gone
/// through once, upward, and all places of one rank are known when its turn comes, from left to right: the later of its
/// two tokens was made in one turn, which went from left to right itself.
fn merge_long(piece: &[u8]) -> Vec<TokenRank> {
    let mut tokens: Vec<TokenRank> = piece.iter().map(|byte| byte_token(*byte)).collect();
    // At the first and the last byte of a token: its length. No token is longer than 128 bytes.
    let mut lengths = vec![1_u8; piece.len()];
    // At the first byte of a token: what it becomes with the one behind it.
    let mut merged: Vec<TokenRank> = tokens.windows(2).map(|pair| merge_pair(pair[0], pair[1])).collect();
    merged.push(NO_MERGE);
    let mut queue = MergeQueue::default();
    for (at, rank) in merged.iter().enumerate() {
        queue.push(*rank, at);
    }
    let mut turn = Vec::new();
    while let Some(rank) = queue.next_turn(&mut turn) {
        for at in turn.drain(..) {
            // The token was merged with another one since.
            if merged[at] != rank {
                continue;
            }
            let middle = at + usize::from(lengths[at]);
            let end = middle + usize::from(lengths[middle]);
            merged[middle] = NO_MERGE;
            tokens[at] = rank;
            lengths[at] = (end - at) as u8;
            lengths[end - 1] = (end - at) as u8;
            if at > 0 {
                let before = at - usize::from(lengths[at - 1]);
                merged[before] = merge_pair(tokens[before], rank);
                queue.push(merged[before], before);
            }
            merged[at] = if end < piece.len() { merge_pair(rank, tokens[end]) } else { NO_MERGE };
            queue.push(merged[at], at);
        }
    }
    let mut found = Vec::new();
    let mut at = 0;
    while at < piece.len() {
        found.push(tokens[at]);
        at += usize::from(lengths[at]);
    }
    found
}

/// The merges that wait for their turn: a radix heap, which is enough because nothing is ever added below the rank
/// whose turn it is. Places of one rank come out in the order they were added.
#[derive(Default)]
struct MergeQueue {
    /// The rank whose turn it is.
    current: TokenRank,
    /// Ranks with their places, by the highest bit in which the rank differs from the current one.
    buckets: [Vec<(TokenRank, usize)>; RANK_BITS as usize],
}

impl MergeQueue {
    #[inline]
    fn push(&mut self, rank: TokenRank, place: usize) {
        if rank != NO_MERGE {
            self.buckets[(rank ^ self.current).ilog2() as usize].push((rank, place));
        }
    }

    /// The lowest rank, and its places.
    fn next_turn(&mut self, places: &mut Vec<usize>) -> Option<TokenRank> {
        let bucket = self.buckets.iter_mut().find(|bucket| !bucket.is_empty())?;
        let waiting = std::mem::take(bucket);
        let lowest = waiting.iter().map(|(rank, _)| *rank).min()?;
        self.current = lowest;
        for (rank, place) in waiting {
            // Each of them goes to a bucket before its own, so that none is moved more often than a rank has bits.
            if rank == lowest { places.push(place) } else { self.push(rank, place) }
        }
        Some(lowest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Both ways of merging, and the automaton.
    fn check(piece: &[u8]) {
        let wanted = bpe_openai::o200k_base().bpe.encode_via_backtracking(piece);
        assert_eq!(merge_long(piece), wanted, "{piece:?}");
        for part in piece.chunks(SHORT) {
            let (tokens, count) = merge_short(part);
            assert_eq!(&tokens[..count], merge_long(part), "{part:?}");
        }
    }

    #[test]
    fn runs_of_a_character_become_the_tokens_of_the_automaton() {
        for text in [" ", "a", "-", "=", "\t", "\n", "ab", "xyz", "数", "\u{301}", "\0", "ſ", "aaab"] {
            for times in [1, 2, 3, 5, 17, 64, 100, 127, 128, 129, 1000, 4097] {
                check(text.repeat(times).as_bytes());
            }
        }
    }

    proptest! {
        #[test]
        fn bytes_become_the_tokens_of_the_automaton(
            bytes in prop::collection::vec(any::<u8>(), 0..200),
            letters in "[a-zA-Z]{0,300}",
            few in "[ab]{0,300}",
            spaces in "[ \t\n]{0,300}",
            signs in "[-=_*/#.]{0,300}",
            words in "\\w{0,100}",
        ) {
            check(&bytes);
            for text in [letters, few, spaces, signs, words] {
                check(text.as_bytes());
            }
        }
    }
}
