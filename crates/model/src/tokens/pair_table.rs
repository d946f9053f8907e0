//! The o200k vocabulary as a table of merges, read where it lies in the binary: which token two neighbouring tokens
//! become, if any. The number of a token is its rank: of all merges that a piece allows, the lowest is done first.
//!
//! `vocabulary/o200k.bin` has the token of each of the 256 bytes, a filter, and then slots of eight bytes. A slot is a key
//! and the token that the pair becomes. The key is the pair of tokens, multiplied by an odd number: no two pairs have the same,
//! and its upper half spreads evenly over the slots. Keys lie in ascending order, each in the slot of its upper half or
//! as near behind it as is free, so that a search ends at the first slot whose key is not smaller; free slots hold the
//! largest number. Most pairs merge into nothing, and nine of ten of them are known by the filter, which is small enough to
//! stay in the cache of a processor: it has a byte for each upper half, with a bit for each value of the next three bits. A test makes the file anew from the vocabulary as it is published.

/// The number of a token, which is its rank, too.
pub(super) type TokenRank = u32;

/// What is said in place of a rank where two tokens do not merge; larger than any.
pub(super) const NO_MERGE: TokenRank = TokenRank::MAX;

/// The bits of a rank.
pub(super) const RANK_BITS: u32 = 18;

/// Odd, so that no two pairs have one key.
const KEY_FACTOR: u64 = 0x9_E377_9B97;
const KEY_MASK: u64 = (1 << (2 * RANK_BITS)) - 1;
const RANK_MASK: u64 = (1 << RANK_BITS) - 1;

/// So many upper halves of keys there are.
const HALVES: usize = 1 << RANK_BITS;

/// The tokens of bytes, the filter, and the slots.
static FILE: &[u8] = include_bytes!("../../vocabulary/o200k.bin");
static BYTE_TOKENS: &[u8; 256] = FILE.first_chunk().expect("a test has read the same file");
static FILTER: &[u8; HALVES] = FILE.split_at(256).1.first_chunk().expect("a test has read the same file");
static SLOTS: &[[u8; 8]] = FILE.split_at(256 + HALVES).1.as_chunks().0;

/// The token of a single byte.
pub(super) fn byte_token(byte: u8) -> TokenRank {
    BYTE_TOKENS[usize::from(byte)].into()
}

/// The token that two neighbouring tokens become, or [`NO_MERGE`].
#[inline]
pub(super) fn merge_pair(left: TokenRank, right: TokenRank) -> TokenRank {
    let key = pair_key(left, right);
    let mut slot = (key >> RANK_BITS) as usize;
    if FILTER[slot] & filter_bit(key) == 0 {
        return NO_MERGE;
    }
    loop {
        let found = u64::from_le_bytes(SLOTS[slot]);
        if found >> RANK_BITS >= key {
            return if found >> RANK_BITS == key { (found & RANK_MASK) as TokenRank } else { NO_MERGE };
        }
        slot += 1;
    }
}

fn pair_key(left: TokenRank, right: TokenRank) -> u64 {
    (u64::from(left) << RANK_BITS | u64::from(right)).wrapping_mul(KEY_FACTOR) & KEY_MASK
}

/// The bit of a key in the byte of its upper half.
fn filter_bit(key: u64) -> u8 {
    1 << (key >> (RANK_BITS - 3) & 7)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::reference_tests::check_file;
    use std::collections::HashMap;

    /// The two tokens that merge into this one: what merging by ranks below its own makes of its bytes.
    fn split_token(token: &[u8], ranks: &HashMap<&[u8], TokenRank>) -> (TokenRank, TokenRank) {
        let own = ranks[token];
        let mut parts: Vec<&[u8]> = token.chunks(1).collect();
        while parts.len() > 2 {
            let rank = |at: usize| ranks.get(&token[offset(&parts, at)..offset(&parts, at + 2)]).copied();
            let lowest = (0..parts.len() - 1).filter_map(|at| Some((rank(at)?, at))).min().expect("it is reached");
            assert!(lowest.0 < own, "{token:?} is not made of tokens before it");
            let at = lowest.1;
            parts[at] = &token[offset(&parts, at)..offset(&parts, at + 2)];
            parts.remove(at + 1);
        }
        (ranks[parts[0]], ranks[parts[1]])
    }

    fn offset(parts: &[&[u8]], at: usize) -> usize {
        parts[..at].iter().map(|part| part.len()).sum()
    }

    #[test]
    fn the_table_is_the_published_vocabulary() {
        let vocabulary = &bpe_openai::o200k_base().bpe;
        let tokens: Vec<&[u8]> = (0..vocabulary.num_tokens() as u32).map(|rank| vocabulary.token_bytes(rank)).collect();
        let ranks: HashMap<&[u8], TokenRank> = tokens.iter().zip(0..).map(|(token, rank)| (*token, rank)).collect();
        assert!(tokens.len() <= 1 << RANK_BITS);

        let mut file: Vec<u8> =
            (0..=u8::MAX).map(|byte| u8::try_from(ranks[&[byte][..]]).expect("bytes come first")).collect();
        let merges = tokens[256..].iter().zip(256..).map(|(token, rank)| {
            let (left, right) = split_token(token, &ranks);
            pair_key(left, right) << RANK_BITS | rank
        });
        let mut merges: Vec<u64> = merges.collect();
        merges.sort_unstable();
        let mut filter = vec![0; HALVES];
        let mut slots = vec![u64::MAX; HALVES];
        let mut free = 0;
        for merge in merges {
            let half = (merge >> (2 * RANK_BITS)) as usize;
            filter[half] |= filter_bit(merge >> RANK_BITS);
            let slot = free.max(half);
            if slot >= slots.len() {
                slots.push(u64::MAX);
            }
            slots[slot] = merge;
            free = slot + 1;
        }
        // A search behind the last key ends here.
        slots.push(u64::MAX);
        file.extend(filter);
        file.extend(slots.iter().flat_map(|slot| slot.to_le_bytes()));
        check_file("o200k.bin", &file);
    }
}
