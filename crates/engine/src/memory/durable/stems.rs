//! The stems of a memory's words, by their hashes.

use super::lesson::told_words;
use crate::memory::recall::each_word;
use model::DurableMemory;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A stem by its hash: memories are kept with their stems, and the words themselves would take more than the memories.
pub(super) type StemKey = u64;

pub(super) fn stem_key(stem: &str) -> StemKey {
    let mut hasher = DefaultHasher::new();
    stem.hash(&mut hasher);
    hasher.finish()
}

/// The stems of a memory, in order.
pub(super) fn memory_stems(memory: &DurableMemory) -> Vec<StemKey> {
    let mut stems = Vec::new();
    // A tag is what its author thinks the memory is about, so it counts like a word of the text.
    let words = told_words(memory);
    for text in memory.tags.iter().map(String::as_str).chain([&*words]) {
        each_word(text, |_, stem| stems.push(stem_key(stem)));
    }
    stems.sort_unstable();
    stems.dedup();
    stems
}
