//! The postings of one word, decoded for scoring as a sparse list (passage, count), or as a dense array of one count
//! per passage where many passages hold the word.
//!
//! A word of a question may stand in most passages (`src`, `error`). A list of those costs eight bytes each to write
//! and a jump each to read; a byte for every passage is written once and read side by side.

use super::corpus::PlacedGroup;
use super::scope::CorpusScope;
use search::each_posting;

/// Which passages hold a word, and how often.
#[derive(Debug)]
pub(super) enum PostingLayout {
    /// Passage and count, in the order of passages.
    Few(Vec<(u32, u32)>),
    /// By passage: how often, and how many passages hold it at all.
    Many { counts: Vec<u8>, held: usize },
}

/// A word that more than one passage of so many holds is kept by passage.
const DENSE_SHARE_DIVISOR: u64 = 10;

/// The postings of a word in a segment, and where the groups of the segment are.
pub(super) type PlacedPostings<'s> = (&'s [u8], &'s [PlacedGroup]);

impl PostingLayout {
    /// From postings of segments; those that are nowhere or not searched are left out. `all` is how many passages there
    /// are, searched or not.
    pub(super) fn new(segments: &[PlacedPostings<'_>], scope: &CorpusScope, all: usize) -> Self {
        // A posting takes at least a byte, so the bytes bound the number of postings without decoding them.
        let bytes: usize = segments.iter().map(|(bytes, _)| bytes.len()).sum();
        let is_many = bytes as u64 * u64::from(scope.passages) > (all as u64).pow(2) / DENSE_SHARE_DIVISOR;
        let many = is_many.then(|| Self::build_counts(segments, scope, all)).flatten();
        many.unwrap_or_else(|| Self::build_list(segments, scope, bytes))
    }

    fn build_list(segments: &[PlacedPostings<'_>], scope: &CorpusScope, bytes: usize) -> Self {
        let mut places = Vec::with_capacity(bytes);
        for (bytes, groups) in segments {
            each_place(bytes, groups, scope, |passage, count| places.push((passage, count)));
        }
        // The groups of segments are mostly in order already, and sorting a sorted list is one pass.
        places.sort_by_key(|(passage, _)| *passage);
        Self::Few(places)
    }

    /// `None` where a count does not fit into a byte.
    fn build_counts(segments: &[PlacedPostings<'_>], scope: &CorpusScope, all: usize) -> Option<Self> {
        let mut counts = vec![0; all];
        let mut held = 0;
        let mut most = 0;
        for (bytes, groups) in segments {
            each_place(bytes, groups, scope, |passage, count| {
                counts[passage as usize] = count as u8;
                held += 1;
                most = most.max(count);
            });
        }
        u8::try_from(most).is_ok().then_some(Self::Many { counts, held })
    }

    /// How many passages hold it.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Few(places) => places.len(),
            Self::Many { held, .. } => *held,
        }
    }

    /// Hands every passage that holds it to `visit`.
    pub(super) fn each_passage(&self, mut visit: impl FnMut(u32)) {
        match self {
            Self::Few(places) => places.iter().for_each(|(passage, _)| visit(*passage)),
            Self::Many { counts, .. } => {
                (0..).zip(counts).filter(|(_, count)| **count > 0).for_each(|(passage, _)| visit(passage));
            }
        }
    }

    /// How often a passage holds it.
    pub(super) fn count_in(&self, passage: u32) -> u32 {
        match self {
            Self::Few(places) => {
                let at = places.binary_search_by_key(&passage, |(place, _)| *place);
                at.map_or(0, |at| places[at].1)
            }
            Self::Many { counts, .. } => u32::from(counts[passage as usize]),
        }
    }
}

/// Hands the postings of a segment to `visit` by where its groups are.
fn each_place(bytes: &[u8], groups: &[PlacedGroup], scope: &CorpusScope, mut visit: impl FnMut(u32, u32)) {
    let mut groups = groups.iter();
    let mut first = 0;
    let mut end = 0;
    let mut at = 0;
    let mut searched = false;
    each_posting(bytes, |passage, [count]| {
        // A group that the corpus left out (behind a gap) has no place: its postings fall between the groups and are
        // skipped.
        while passage >= end {
            let Some(group) = groups.next() else { return };
            (first, end, at, searched) =
                (group.start, group.start + group.passages, group.at, scope.contains_conversation(group.talk));
        }
        if searched && passage >= first {
            visit(at + (passage - first), *count);
        }
    });
}
