//! Points: BM25 over passages, where a passage also counts a share of what its neighbours say.
//!
//! An answer seldom repeats the words of its question. So before a count is saturated, that of the passages around is
//! added, each corrected by its own length: a long neighbour adds what is nearest of it, not all it says. A message
//! counts as its best passage, less what having many passages gives by chance.
//!
//! Passages are scored side by side, a block of them at a time, word after word. A passage takes from those around it
//! by the same steps in the same order wherever it stands in a block, so its points are the same to the bit whether
//! all messages are scored or one.

use super::corpus::{Corpus, Near};
use super::lexical::{Found, rarities};
use super::question::Question;
use super::scope::Scope;
use crate::wide::{Wide, widely};

const K1: f32 = 1.0;
const B: f32 = 0.5;
/// What a passage takes of those around it.
const PREVIOUS: f32 = 0.4;
const NEXT: f32 = 0.3;
const SECOND: f32 = 0.2;
/// What an answer takes more of its question.
const ANSWER: f32 = 0.5;
/// What is taken off for the logarithm of the number of passages.
const LENGTH: f32 = 1.0;
/// More passages count as so many.
const MOST_PASSAGES: usize = 32;

/// Passages that are scored at a time: so few that all that is known of them stays where the processor has it at hand.
const BLOCK: usize = 512;

/// How far a passage takes from, to either side.
const REACH: usize = 2;

/// Passages of so many terms have their correction looked up.
const USUAL: usize = 256;

/// How well the words of a message fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Match {
    pub(super) message: u32,
    /// Its best passage.
    pub(super) passage: u32,
    /// Its score by words alone.
    pub(super) words: f32,
    /// What its length takes off.
    pub(super) length: f32,
    /// What its speaker adds.
    pub(super) speaker: f32,
}

impl Match {
    pub(super) fn score(&self) -> f32 {
        self.words + self.length + self.speaker
    }
}

/// Gives messages their points for the words of one question.
pub(super) struct Scorer<'q> {
    corpus: &'q Corpus,
    question: &'q Question,
    found: &'q Found,
    rarities: Vec<f32>,
    /// By number of passages: what it takes off.
    by_passages: [f32; MOST_PASSAGES + 1],
    /// By number of terms: what a word counts in a passage of so many.
    by_terms: [f32; USUAL],
    average: f32,
}

impl<'q> Scorer<'q> {
    pub(super) fn new(corpus: &'q Corpus, scope: &Scope, question: &'q Question, found: &'q Found) -> Self {
        let average = scope.average;
        Self {
            corpus,
            question,
            found,
            rarities: rarities(scope, question, found),
            by_passages: std::array::from_fn(|passages| -LENGTH * (passages.max(1) as f32).ln()),
            by_terms: std::array::from_fn(|terms| corrected(terms as u32, average)),
            average,
        }
    }

    /// Hands every message that a word reaches to `visit`, in the order of messages.
    pub(super) fn each(&self, mut visit: impl FnMut(Match)) {
        let mut waiting: Vec<&[(u32, u32)]> = self.found.iter().map(Vec::as_slice).collect();
        let mut block = Block::new();
        let mut best: Option<Best> = None;
        let mut start = 0;
        // Blocks that nothing reaches are passed over.
        while let Some(next) = waiting.iter().filter_map(|held| held.first()).map(|(passage, _)| *passage).min() {
            start = (next as usize).saturating_sub(REACH).max(start) / BLOCK * BLOCK;
            let end = (start + BLOCK).min(self.corpus.of.len());
            block.begin(self.corpus, start, end);
            for (held, rarity) in waiting.iter_mut().zip(&self.rarities) {
                let reaching = block.add(self, held, *rarity);
                // What reaches into the next block stays.
                let over =
                    held[..reaching].iter().rev().take_while(|(place, _)| *place as usize + REACH >= end).count();
                *held = &held[reaching - over..];
            }
            for found in block.best(self.corpus) {
                match &mut best {
                    Some(best) if best.message == found.message => best.or(found),
                    _ => {
                        if let Some(before) = best.replace(found).filter(Best::is_reached) {
                            visit(self.matched(before));
                        }
                    }
                }
            }
            if end == self.corpus.of.len() {
                break;
            }
            start = end;
        }
        if let Some(last) = best.filter(Best::is_reached) {
            visit(self.matched(last));
        }
    }

    /// The points of one message; none where no word reaches it.
    pub(super) fn of(&self, message: u32) -> Match {
        let entry = &self.corpus.messages[message as usize];
        let (first, last) = (entry.first_passage as usize, (entry.first_passage + entry.passages) as usize);
        let mut block = Block::new();
        let mut best = Best { message, passage: entry.first_passage, words: 0.0 };
        for start in (first..last).step_by(BLOCK) {
            block.begin(self.corpus, start, (start + BLOCK).min(last));
            for (held, rarity) in self.found.iter().zip(&self.rarities) {
                let from = held.partition_point(|(passage, _)| (*passage as usize) + REACH < start);
                block.add(self, &held[from..], *rarity);
            }
            block.best(self.corpus).for_each(|found| best.or(found));
        }
        self.matched(best)
    }

    fn matched(&self, Best { message, passage, words }: Best) -> Match {
        let entry = &self.corpus.messages[message as usize];
        let length = self.by_passages[(entry.passages as usize).min(MOST_PASSAGES)];
        Match { message, passage, words, length, speaker: self.question.speaker_bonus(entry) }
    }

    /// What a word counts in a passage that holds it so often.
    fn value(&self, passage: u32, count: u32) -> f32 {
        let terms = self.corpus.lengths[passage as usize];
        let once = self.by_terms.get(terms as usize).copied().unwrap_or_else(|| corrected(terms, self.average));
        once * count as f32
    }

    /// What each word of the question is worth.
    pub(super) fn rarities(&self) -> &[f32] {
        &self.rarities
    }
}

/// What a word counts in a passage of so many terms.
fn corrected(terms: u32, average: f32) -> f32 {
    1.0 / (1.0 - B + B * terms as f32 / average)
}

/// The best passage of a message so far.
struct Best {
    message: u32,
    passage: u32,
    words: f32,
}

impl Best {
    fn is_reached(&self) -> bool {
        self.words > 0.0
    }

    fn or(&mut self, other: Self) {
        if other.words > self.words {
            *self = other;
        }
    }
}

/// Passages side by side while they are scored.
struct Block {
    start: usize,
    end: usize,
    /// What each takes of the passages around it.
    previous: [f32; BLOCK],
    next: [f32; BLOCK],
    second_previous: [f32; BLOCK],
    second_next: [f32; BLOCK],
    /// What a word counts in each, and in those that reach into the block from either side.
    values: [f32; BLOCK + 2 * REACH],
    points: [f32; BLOCK],
}

impl Block {
    fn new() -> Self {
        let none = [0.0; BLOCK];
        Self {
            start: 0,
            end: 0,
            previous: none,
            next: none,
            second_previous: none,
            second_next: none,
            values: [0.0; BLOCK + 2 * REACH],
            points: none,
        }
    }

    /// Goes to other passages, none of which has points.
    fn begin(&mut self, corpus: &Corpus, start: usize, end: usize) {
        (self.start, self.end) = (start, end);
        let length = end - start;
        let near = &corpus.near[start..end];
        let share = |near: Near, bit: Near, share: f32| if near.has(bit) { share } else { 0.0 };
        for (at, near) in near.iter().enumerate() {
            self.previous[at] = share(*near, Near::PREVIOUS, PREVIOUS) + share(*near, Near::ANSWERS, ANSWER);
            self.next[at] = share(*near, Near::NEXT, NEXT);
            self.second_previous[at] = share(*near, Near::SECOND_PREVIOUS, SECOND);
            self.second_next[at] = share(*near, Near::SECOND_NEXT, SECOND);
        }
        self.points[..length].fill(0.0);
    }

    /// Adds the points of a word. `held` is where it stands from the first passage that reaches here on; how many of
    /// these do.
    fn add(&mut self, scorer: &Scorer<'_>, held: &[(u32, u32)], rarity: f32) -> usize {
        let mut reaching = 0;
        for (passage, count) in held.iter().take_while(|(passage, _)| (*passage as usize) < self.end + REACH) {
            self.values[*passage as usize + REACH - self.start] = scorer.value(*passage, *count);
            reaching += 1;
        }
        let (Some((first, _)), Some((last, _))) = (held[..reaching].first(), held[..reaching].last()) else { return 0 };
        // As places among the values; those that take from them are as many before and behind.
        let (first, last) = (*first as usize + REACH - self.start, *last as usize + REACH - self.start);
        let (from, to) = (first.saturating_sub(2 * REACH), (last + 1).min(self.end - self.start));
        self.take(from, to, rarity * (K1 + 1.0));
        self.values[first..=last].fill(0.0);
        reaching
    }

    /// What passages take from those around them, saturated.
    fn take(&mut self, from: usize, to: usize, most: f32) {
        widely(Take {
            values: &self.values[from..to + 2 * REACH],
            previous: &self.previous[from..to],
            next: &self.next[from..to],
            second_previous: &self.second_previous[from..to],
            second_next: &self.second_next[from..to],
            points: &mut self.points[from..to],
            most,
        });
    }

    /// The messages of its passages, each with the best of these.
    fn best<'b>(&'b self, corpus: &'b Corpus) -> impl Iterator<Item = Best> + 'b {
        let mut passage = self.start;
        std::iter::from_fn(move || {
            let message = *corpus.of[..self.end].get(passage)?;
            let entry = &corpus.messages[message as usize];
            let end = ((entry.first_passage + entry.passages) as usize).min(self.end);
            let mut best = Best { message, passage: passage as u32, words: 0.0 };
            for (passage, words) in (passage as u32..).zip(&self.points[passage - self.start..end - self.start]) {
                best.or(Best { message, passage, words: *words });
            }
            passage = end;
            Some(best)
        })
    }
}

/// Passages that take from those around them.
struct Take<'b> {
    values: &'b [f32],
    previous: &'b [f32],
    next: &'b [f32],
    second_previous: &'b [f32],
    second_next: &'b [f32],
    points: &'b mut [f32],
    /// What a word counts that is there without end.
    most: f32,
}

impl Wide for Take<'_> {
    #[expect(clippy::inline_always, reason = "as the trait asks")]
    #[inline(always)]
    fn run(self) {
        // Slices of one length, so that the compiler takes several passages at a time.
        let length = self.points.len();
        let [v0, v1, v2, v3, v4]: [&[f32]; 5] = std::array::from_fn(|at| &self.values[at..at + length]);
        let (previous, next) = (&self.previous[..length], &self.next[..length]);
        let (second_previous, second_next) = (&self.second_previous[..length], &self.second_next[..length]);
        for at in 0..length {
            let beside = previous[at] * v1[at] + next[at] * v3[at];
            let count = v2[at] + beside + (second_previous[at] * v0[at] + second_next[at] * v4[at]);
            self.points[at] += self.most * (count / (count + K1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::build::tests::message;
    use super::super::build::{Stretch, build};
    use super::super::corpus::Part;
    use super::super::lexical::find;
    use super::super::scope::Where;
    use super::*;
    use model::{ChainHash, ContentHash, Message, Tokens};
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::sync::Arc;
    use store::{Conversation, MemoryVersion};

    const WORDS: [&str; 6] = ["apple", "river", "stone", "cloud", "paper", "green"];

    /// Conversations of so many messages each; every message says a few words, and every ninth asks.
    fn corpus(lengths: &[usize], seed: u64) -> Corpus {
        let mut chance = seed;
        let mut draw = |below: u64| {
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (chance >> 33) % below
        };
        let mut talks: Vec<(Conversation, Stretch)> = Vec::new();
        for (number, length) in lengths.iter().enumerate() {
            let mut say = |seq: u64| {
                let words: Vec<&str> = (0..draw(9)).map(|_| WORDS[draw(6) as usize]).collect();
                let times = if draw(20) == 0 { 30 } else { 1 };
                let end = if draw(9) == 0 { "?" } else { "." };
                let text = format!("Ann@{}|{} and so{end}", seq / 40, words.join(" ").repeat(times));
                message(&number.to_string(), seq, &text)
            };
            let messages: Vec<Message> = (1..=*length as u64).map(&mut say).collect();
            let conversation = Conversation {
                id: messages[0].conversation.clone(),
                name: number.to_string(),
                project: None,
                messages: *length as u64,
                tokens: Tokens(0),
                head: ChainHash(ContentHash::of(b"")),
            };
            talks.push((conversation, Stretch { day: None, messages }));
        }
        let (conversations, stretches): (Vec<_>, Vec<_>) = talks.into_iter().unzip();
        // Each in a segment of its own, so that segments are not in the order of passages.
        let held = stretches.into_iter().rev().map(|stretch| Part::Held(Arc::new(build(&[stretch], None))));
        Corpus::new(MemoryVersion(1), &held.collect::<Vec<_>>(), conversations)
    }

    /// The same by the formula alone, passage by passage.
    fn by_formula(corpus: &Corpus, scope: &Scope, question: &Question, found: &Found) -> BTreeMap<u32, (u32, f32)> {
        let mut best: BTreeMap<u32, (u32, f32)> = BTreeMap::new();
        for (passage, message) in (0_u32..).zip(&corpus.of) {
            let mut points = 0.0;
            for (held, rarity) in found.iter().zip(rarities(scope, question, found)) {
                let value = |step: i32, bit: Option<Near>, share: f32| {
                    let near = corpus.near[passage as usize];
                    let place = passage.checked_add_signed(step).filter(|_| bit.is_none_or(|bit| near.has(bit)));
                    let at = place.and_then(|place| held.binary_search_by_key(&place, |(place, _)| *place).ok());
                    at.map_or(0.0, |at| {
                        share * (corrected(corpus.lengths[held[at].0 as usize], scope.average) * held[at].1 as f32)
                    })
                };
                let answer = if corpus.near[passage as usize].has(Near::ANSWERS) { ANSWER } else { 0.0 };
                let beside = value(-1, Some(Near::PREVIOUS), PREVIOUS + answer) + value(1, Some(Near::NEXT), NEXT);
                let second = value(-2, Some(Near::SECOND_PREVIOUS), SECOND) + value(2, Some(Near::SECOND_NEXT), SECOND);
                let count = value(0, None, 1.0) + beside + second;
                points += rarity * (K1 + 1.0) * (count / (count + K1));
            }
            if points > best.get(message).map_or(0.0, |(_, known)| *known) {
                best.insert(*message, (passage, points));
            }
        }
        best
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Scoring block by block gives what scoring every passage or message alone gives, to the bit.
        #[test]
        fn blocks_change_no_score(lengths in proptest::collection::vec(1..450usize, 1..4), seed in any::<u64>(), words in 1..4usize) {
            let corpus = corpus(&lengths, seed);
            let scope = Scope::new(&corpus, &Where::Everywhere);
            let question = Question::new(&WORDS[..words].join(" "), &corpus, &scope);
            let found = find(&corpus, &scope, &question, &[]);
            let scorer = Scorer::new(&corpus, &scope, &question, &found);
            let mut scored = Vec::new();
            scorer.each(|matched| scored.push(matched));
            prop_assert!(scored.is_sorted_by_key(|matched| matched.message));
            let alone: Vec<Match> = (0..corpus.messages.len() as u32).map(|message| scorer.of(message)).collect();
            prop_assert_eq!(&alone.into_iter().filter(|matched| matched.words > 0.0).collect::<Vec<_>>(), &scored);
            let scored: BTreeMap<u32, (u32, f32)> =
                scored.into_iter().map(|matched| (matched.message, (matched.passage, matched.words))).collect();
            prop_assert_eq!(scored, by_formula(&corpus, &scope, &question, &found));
        }
    }
}
