//! The SIMD scoring loop of recall: adds BM25 points to a block of passages, word after word, with shares of the
//! neighbouring passages.
//!
//! Neighbours are added in the same order wherever a passage lies in a block, so its points are the same to the bit
//! whether all messages are scored or one.

use super::corpus::{Corpus, NeighbourFlags};
use super::score::{BM25, PassageScorer};
use search::{SimdKernel, run_simd};
use std::ops::Range;

/// The shares of neighbouring passages that a passage adds to its own count.
pub(super) const PREVIOUS_PASSAGE_WEIGHT: f32 = 0.4;
pub(super) const NEXT_PASSAGE_WEIGHT: f32 = 0.3;
pub(super) const SECOND_NEIGHBOUR_WEIGHT: f32 = 0.2;
/// The further share that an answer adds of its question.
pub(super) const ANSWER_WEIGHT: f32 = 0.5;

/// Passages that are scored at a time: so few that many blocks lack the rarer words of a question and are passed over.
pub(super) const BLOCK: usize = 64;

/// How far a passage takes from, to either side.
pub(super) const NEIGHBOUR_REACH: usize = 2;

/// A message and its best passage.
pub(super) struct BestPassage {
    pub(super) message: u32,
    pub(super) passage: u32,
    /// Its score by words.
    pub(super) words: f32,
}

impl BestPassage {
    /// Replaces the passage by a better one.
    pub(super) fn keep_better(&mut self, other: Self) {
        if other.words > self.words {
            *self = other;
        }
    }
}

/// A message, or what of it is in a block. Which of its passages is the best is looked for when it is asked for: most
/// messages are far behind.
pub(super) struct ScoredMessage<'b> {
    pub(super) message: u32,
    /// The score of its best passage.
    pub(super) words: f32,
    first: u32,
    points: &'b [f32],
}

impl ScoredMessage<'_> {
    /// With the first of its best passages.
    pub(super) fn best_passage(&self) -> BestPassage {
        // The first of equals, as `keep_better` has it across blocks.
        let at = self.points.iter().position(|points| *points >= self.words).unwrap_or_default();
        BestPassage { message: self.message, passage: self.first + at as u32, words: self.words }
    }
}

impl<'b> From<&'b BestPassage> for ScoredMessage<'b> {
    fn from(best: &'b BestPassage) -> Self {
        Self {
            message: best.message,
            words: best.words,
            first: best.passage,
            points: std::slice::from_ref(&best.words),
        }
    }
}

/// Passages side by side while they are scored.
pub(super) struct PassageBlock {
    start: usize,
    pub(super) end: usize,
    /// The shares that each passage takes of its neighbours.
    previous: [f32; BLOCK],
    next: [f32; BLOCK],
    second_previous: [f32; BLOCK],
    second_next: [f32; BLOCK],
    /// The weighted count of a word in each passage, and in the neighbours on either side of the block.
    values: [f32; BLOCK + 2 * NEIGHBOUR_REACH],
    /// The weight of a single occurrence in each of these; filled on first use.
    once: [f32; BLOCK + 2 * NEIGHBOUR_REACH],
    is_once_known: bool,
    points: [f32; BLOCK],
}

impl PassageBlock {
    /// Nowhere yet.
    pub(super) fn new() -> Self {
        let none = [0.0; BLOCK];
        Self {
            start: 0,
            end: 0,
            previous: none,
            next: none,
            second_previous: none,
            second_next: none,
            values: [0.0; BLOCK + 2 * NEIGHBOUR_REACH],
            once: [0.0; BLOCK + 2 * NEIGHBOUR_REACH],
            is_once_known: false,
            points: none,
        }
    }

    /// Moves the block to other passages and clears their points.
    pub(super) fn move_to(&mut self, corpus: &Corpus, start: usize, end: usize) {
        (self.start, self.end, self.is_once_known) = (start, end, false);
        let length = end - start;
        let near = &corpus.near[start..end];
        let share = |near: NeighbourFlags, bit: NeighbourFlags, share: f32| if near.has(bit) { share } else { 0.0 };
        for (at, near) in near.iter().enumerate() {
            self.previous[at] = share(*near, NeighbourFlags::PREVIOUS, PREVIOUS_PASSAGE_WEIGHT)
                + share(*near, NeighbourFlags::ANSWERS, ANSWER_WEIGHT);
            self.next[at] = share(*near, NeighbourFlags::NEXT, NEXT_PASSAGE_WEIGHT);
            self.second_previous[at] = share(*near, NeighbourFlags::SECOND_PREVIOUS, SECOND_NEIGHBOUR_WEIGHT);
            self.second_next[at] = share(*near, NeighbourFlags::SECOND_NEXT, SECOND_NEIGHBOUR_WEIGHT);
        }
        // Only what is in use: the last block of a corpus is short.
        self.points[..length].fill(0.0);
    }

    /// Adds the points of a word. `held` is where it stands from the first passage that reaches here on; how many of
    /// these do.
    pub(super) fn add_few(&mut self, scorer: &PassageScorer<'_>, held: &[(u32, u32)], rarity: f32) -> usize {
        let mut reaching = 0;
        for (passage, count) in held.iter().take_while(|(passage, _)| (*passage as usize) < self.end + NEIGHBOUR_REACH)
        {
            self.values[*passage as usize + NEIGHBOUR_REACH - self.start] =
                scorer.term_weight(*passage as usize) * *count as f32;
            reaching += 1;
        }
        let (Some((first, _)), Some((last, _))) = (held[..reaching].first(), held[..reaching].last()) else { return 0 };
        // As indexes of `values`; passages up to NEIGHBOUR_REACH before and behind take from them.
        let first = *first as usize + NEIGHBOUR_REACH - self.start;
        let last = *last as usize + NEIGHBOUR_REACH - self.start;
        let from = first.saturating_sub(2 * NEIGHBOUR_REACH);
        let to = (last + 1).min(self.end - self.start);
        self.add_points(from, to, rarity * BM25.most());
        // Only the stretch that was written: most words reach a few passages of a block.
        self.values[first..=last].fill(0.0);
        reaching
    }

    /// Adds the points of a word, given how often every passage holds it.
    pub(super) fn add_many(&mut self, scorer: &PassageScorer<'_>, counts: &[u8], rarity: f32) {
        let first = self.start.saturating_sub(NEIGHBOUR_REACH);
        let last = (self.end + NEIGHBOUR_REACH).min(counts.len());
        let at = first + NEIGHBOUR_REACH - self.start;
        let values = &mut self.values[at..at + last - first];
        let once = &mut self.once[at..at + last - first];
        // Length norms are the same for every word, so they are looked up once a block.
        if !std::mem::replace(&mut self.is_once_known, true) {
            for (passage, once) in (first..last).zip(&mut *once) {
                *once = scorer.term_weight(passage);
            }
        }
        run_simd(CountKernel { values, once, counts: &counts[first..last] });
        self.add_points(0, self.end - self.start, rarity * BM25.most());
        self.values[at..at + last - first].fill(0.0);
    }

    /// Adds the neighbours' counts to each passage, saturates the sums, and adds the points.
    fn add_points(&mut self, from: usize, to: usize, most: f32) {
        run_simd(NeighbourKernel {
            values: &self.values[from..to + 2 * NEIGHBOUR_REACH],
            previous: &self.previous[from..to],
            next: &self.next[from..to],
            second_previous: &self.second_previous[from..to],
            second_next: &self.second_next[from..to],
            points: &mut self.points[from..to],
            most,
        });
    }

    /// The most points that one of its passages has.
    pub(super) fn most_points(&self) -> f32 {
        let mut most = 0.0;
        run_simd(MostKernel { points: &self.points[..self.end - self.start], most: &mut most });
        most
    }

    /// Whether all passages of a message are here.
    pub(super) fn holds_message(&self, corpus: &Corpus, message: u32) -> bool {
        let passages = corpus.passage_range(message);
        self.start <= passages.start && passages.end <= self.end
    }

    /// The best passage of a message; `None` where not all of it is here.
    pub(super) fn best_of_message(&self, corpus: &Corpus, message: u32) -> Option<BestPassage> {
        let passages = corpus.passage_range(message);
        self.holds_message(corpus, message).then(|| self.score_range(message, passages).best_passage())
    }

    /// A message, or what of it is here, given where it is.
    fn score_range(&self, message: u32, passages: Range<usize>) -> ScoredMessage<'_> {
        let points = &self.points[passages.start - self.start..passages.end - self.start];
        let words = points.iter().fold(0.0, |most, points| if *points > most { *points } else { most });
        ScoredMessage { message, words, first: passages.start as u32, points }
    }

    /// Hands the messages of its passages to `visit`, in their order.
    pub(super) fn each_message(&self, corpus: &Corpus, mut visit: impl FnMut(&ScoredMessage<'_>)) {
        let mut first = self.start;
        while first < self.end {
            let message = corpus.of[first];
            let end = corpus.passage_range(message).end.min(self.end);
            visit(&self.score_range(message, first..end));
            first = end;
        }
    }
}

/// Passages that hold a word so often.
struct CountKernel<'b> {
    values: &'b mut [f32],
    once: &'b [f32],
    counts: &'b [u8],
}

impl SimdKernel for CountKernel<'_> {
    #[expect(clippy::inline_always, reason = "as the trait asks")]
    #[inline(always)]
    fn run(self) {
        for ((value, once), count) in self.values.iter_mut().zip(self.once).zip(self.counts) {
            *value = *once * f32::from(*count);
        }
    }
}

/// Points of which the most is looked for.
struct MostKernel<'b> {
    points: &'b [f32],
    most: &'b mut f32,
}

/// Numbers that are compared at a time.
const LANES: usize = 8;

impl SimdKernel for MostKernel<'_> {
    #[expect(clippy::inline_always, reason = "as the trait asks")]
    #[inline(always)]
    fn run(self) {
        let larger = |a: f32, b: f32| if a > b { a } else { b };
        let (chunks, rest) = self.points.as_chunks::<LANES>();
        let mut lanes = [0.0; LANES];
        for chunk in chunks {
            lanes.iter_mut().zip(chunk).for_each(|(lane, points)| *lane = larger(*points, *lane));
        }
        *self.most = lanes.iter().chain(rest).fold(0.0, |most, points| larger(*points, most));
    }
}

/// Passages that take from those around them.
struct NeighbourKernel<'b> {
    values: &'b [f32],
    previous: &'b [f32],
    next: &'b [f32],
    second_previous: &'b [f32],
    second_next: &'b [f32],
    points: &'b mut [f32],
    /// The limit of a word's points for a growing count.
    most: f32,
}

impl SimdKernel for NeighbourKernel<'_> {
    #[expect(clippy::inline_always, reason = "as the trait asks")]
    #[inline(always)]
    fn run(self) {
        // Slices of one length, so that the compiler takes several passages at a time.
        let length = self.points.len();
        let [v0, v1, v2, v3, v4]: [&[f32]; 5] = std::array::from_fn(|at| &self.values[at..at + length]);
        let previous = &self.previous[..length];
        let next = &self.next[..length];
        let second_previous = &self.second_previous[..length];
        let second_next = &self.second_next[..length];
        for at in 0..length {
            let beside = previous[at] * v1[at] + next[at] * v3[at];
            let count = v2[at] + beside + (second_previous[at] * v0[at] + second_next[at] * v4[at]);
            self.points[at] += self.most * BM25.saturate(count);
        }
    }
}
