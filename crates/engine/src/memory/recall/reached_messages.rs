//! Counts the messages that the words of a question reach, by bits instead of scores: answers say how many more
//! messages matched than they show.

use super::corpus::{Corpus, NeighbourFlags};
use super::lexical::WordPostings;
use super::posting_layout::PostingLayout;

/// Passages of a word of bits.
const BITS: usize = u64::BITS as usize;

/// Bits by passage.
type PassageBits = Vec<u64>;

/// What decides which passages a word reaches, as bits by passage.
#[derive(Default)]
pub(super) struct ReachBits {
    previous: PassageBits,
    next: PassageBits,
    second_previous: PassageBits,
    second_next: PassageBits,
    /// The first passage of a message.
    starts: PassageBits,
    /// Passages of messages that have words themselves.
    worded: PassageBits,
}

impl ReachBits {
    pub(super) fn from_corpus(corpus: &Corpus) -> Self {
        let flagged = |flag: NeighbourFlags| pack_bits(corpus.near.iter().map(|near| near.has(flag)));
        let of = &corpus.of;
        let worded: Vec<bool> = (0..corpus.messages.len() as u32).map(|message| corpus.has_words(message)).collect();
        Self {
            previous: flagged(NeighbourFlags::PREVIOUS),
            next: flagged(NeighbourFlags::NEXT),
            second_previous: flagged(NeighbourFlags::SECOND_PREVIOUS),
            second_next: flagged(NeighbourFlags::SECOND_NEXT),
            starts: pack_bits((0..of.len()).map(|passage| passage == 0 || of[passage] != of[passage - 1])),
            worded: pack_bits(of.iter().map(|message| worded[*message as usize])),
        }
    }
}

/// How many messages a word reaches that `wants` accepts; without it, that have words themselves.
pub(super) fn count_matches(corpus: &Corpus, found: &WordPostings, wants: Option<&impl Fn(u32) -> bool>) -> usize {
    let reach = &corpus.reach;
    let held = held_bits(corpus, found);
    let word = |at: usize| held.get(at).copied().unwrap_or_default();
    let mut count = 0;
    // The last message that was counted: its passages may go on in the next word of bits.
    let mut last: Option<u32> = None;
    for at in 0..held.len() {
        let before = at.checked_sub(1).map_or(0, word);
        let (here, behind) = (word(at), word(at + 1));
        let from_previous = here << 1 | before >> (BITS - 1);
        let from_second = here << 2 | before >> (BITS - 2);
        let from_next = here >> 1 | behind << (BITS - 1);
        let from_second_next = here >> 2 | behind << (BITS - 2);
        let reached = here
            | reach.previous[at] & from_previous
            | reach.next[at] & from_next
            | reach.second_previous[at] & from_second
            | reach.second_next[at] & from_second_next;
        if wants.is_none() && reached & !reach.starts[at] == 0 {
            // Every passage that is reached begins a message, so that passages are messages.
            count += (reached & reach.worded[at]).count_ones() as usize;
            last = reached.checked_ilog2().map(|bit| corpus.of[at * BITS + bit as usize]).or(last);
            continue;
        }
        let mut left = reached;
        while left != 0 {
            let passage = at * BITS + left.trailing_zeros() as usize;
            left &= left - 1;
            let message = corpus.of[passage];
            if last != Some(message) {
                last = Some(message);
                let is_counted = wants.map_or_else(|| corpus.has_words(message), |wants| wants(message));
                count += usize::from(is_counted);
            }
        }
    }
    count
}

/// The passages that hold a word of a question.
fn held_bits(corpus: &Corpus, found: &WordPostings) -> PassageBits {
    let mut held = vec![0_u64; corpus.of.len().div_ceil(BITS)];
    for places in found {
        match places {
            PostingLayout::Few(places) => {
                for (passage, _) in places {
                    held[*passage as usize / BITS] |= 1 << (*passage as usize % BITS);
                }
            }
            PostingLayout::Many { counts, .. } => {
                for (held, bits) in held.iter_mut().zip(pack_bits(counts.iter().map(|count| *count > 0))) {
                    *held |= bits;
                }
            }
        }
    }
    held
}

fn pack_bits(mut bits: impl ExactSizeIterator<Item = bool>) -> PassageBits {
    let words = bits.len().div_ceil(BITS);
    let mut pack_word = || (0..BITS).zip(&mut bits).fold(0, |word, (at, bit)| word | u64::from(bit) << at);
    (0..words).map(|_| pack_word()).collect()
}
