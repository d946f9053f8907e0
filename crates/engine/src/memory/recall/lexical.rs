//! Words: BM25 over passages, where a passage also counts a share of what its neighbours say.
//!
//! An answer seldom repeats the words of its question. So before a count is saturated, that of the passages around is
//! added, each corrected by its own length: a long neighbour adds what is nearest of it, not all it says. A message
//! counts as its best passage, less what having many passages gives by chance.

use super::corpus::{Corpus, Entry, Near, Part};
use super::postings::each_posting;
use super::question::Question;
use super::scope::Scope;
use foldhash::{HashMap, HashMapExt};
use store::Postings;

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
const MOST_PASSAGES: u32 = 32;

/// Counts are added up as whole numbers, in parts of this: sums are then the same in whatever order postings come.
const WHOLE: f32 = 65_536.0;

/// Passages that are scored at a time: so few that all sums over them stay where the processor has them at hand.
const BLOCK: usize = 512;

/// How far a posting reaches to either side.
const REACH: u32 = 2;

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
    /// What a message gets for a passage with so many points of words.
    pub(super) fn of(question: &Question, message: u32, entry: &Entry, passage: u32, words: f32) -> Self {
        let length = -LENGTH * (entry.passages.min(MOST_PASSAGES) as f32).ln();
        Self { message, passage, words, length, speaker: question.speaker_bonus(entry) }
    }

    pub(super) fn score(&self) -> f32 {
        self.words + self.length + self.speaker
    }
}

/// Where a word stands: passage and count in the order of passages, for each word of the question.
pub(super) type Found = Vec<Vec<(u32, u32)>>;

/// Where the words of a question stand in a scope.
pub(super) fn find(corpus: &Corpus, scope: &Scope, question: &Question, postings: &[Postings]) -> Found {
    let mut stored: HashMap<(i64, &str), &[u8]> = HashMap::with_capacity(postings.len());
    stored.extend(postings.iter().map(|posting| ((posting.segment, &*posting.term), &*posting.bytes)));
    question
        .words
        .iter()
        .map(|word| {
            let mut found = Vec::new();
            for segment in &corpus.segments {
                let Some(bytes) = bytes(&stored, &segment.part, &word.term) else { continue };
                let mut runs = segment.runs.iter().peekable();
                each_posting(bytes, |passage, count| {
                    while runs.next_if(|run| run.start + run.passages <= passage).is_some() {}
                    if let Some(run) = runs.peek().filter(|run| run.start <= passage && scope.has(run.talk)) {
                        found.push((run.at + passage - run.start, count));
                    }
                });
            }
            // Segments are mostly in order already, and what is in order is only looked at.
            found.sort_by_key(|(passage, _)| *passage);
            found
        })
        .collect()
}

/// The postings of a term in a segment.
fn bytes<'a>(stored: &HashMap<(i64, &str), &'a [u8]>, part: &'a Part, term: &str) -> Option<&'a [u8]> {
    match part {
        Part::Stored { number, .. } => stored.get(&(*number, term)).copied(),
        Part::Held(built) => {
            let at = built.postings.binary_search_by(|posting| posting.term.as_str().cmp(term)).ok()?;
            Some(&built.postings[at].bytes)
        }
    }
}

/// Every message that a word reaches, in the order of messages.
pub(super) fn score(corpus: &Corpus, scope: &Scope, question: &Question, found: &Found) -> Vec<Match> {
    let rarities = rarities(scope, question, found);
    let mut waiting: Vec<&[(u32, u32)]> = found.iter().map(Vec::as_slice).collect();
    let mut block = Block::new();
    let mut matches = Vec::new();
    let mut start = 0;
    // Blocks that nothing reaches are passed over.
    while let Some(next) = waiting.iter().filter_map(|held| held.first()).map(|(passage, _)| *passage).min() {
        start = (next.saturating_sub(REACH) / BLOCK as u32 * BLOCK as u32).max(start);
        let end = start + BLOCK as u32;
        block.points.fill(0.0);
        for (held, rarity) in waiting.iter_mut().zip(&rarities) {
            let reaching = held.iter().take_while(|(passage, _)| *passage < end + REACH).count();
            block.add(corpus, scope, start, &held[..reaching], *rarity);
            // What reaches into the next block stays.
            let over = held[..reaching].iter().rev().take_while(|(passage, _)| passage + REACH >= end).count();
            *held = &held[reaching - over..];
        }
        block.best(corpus, question, start, &mut matches);
        start = end;
    }
    matches
}

/// What each word of a question is worth: the rarer the more.
pub(super) fn rarities(scope: &Scope, question: &Question, found: &Found) -> Vec<f32> {
    let rarity = |held: f32| (1.0 + (scope.passages as f32 - held + 0.5) / (held + 0.5)).ln();
    question.words.iter().zip(found).map(|(word, held)| word.weight * rarity(held.len() as f32)).collect()
}

/// Passages side by side while they are scored.
struct Block {
    /// What a word counts in each, with some before and behind that belong to other blocks.
    sums: [i32; BLOCK + 4 * REACH as usize],
    points: [f32; BLOCK],
}

impl Block {
    /// Where its first passage is among the sums.
    const FIRST: u32 = 2 * REACH;

    fn new() -> Self {
        Self { sums: [0; BLOCK + 4 * REACH as usize], points: [0.0; BLOCK] }
    }

    /// Adds the points of a word to the passages from `start` on.
    fn add(&mut self, corpus: &Corpus, scope: &Scope, start: u32, held: &[(u32, u32)], rarity: f32) {
        if held.is_empty() {
            return;
        }
        for (passage, count) in held {
            spread(corpus, scope, *passage, *count, |to, amount| {
                let sum = &mut self.sums[(to + Self::FIRST - start) as usize];
                *sum = sum.saturating_add(amount);
            });
        }
        for (points, sum) in self.points.iter_mut().zip(&self.sums[Self::FIRST as usize..]) {
            let count = *sum as f32 / WHOLE;
            *points += rarity * count * (K1 + 1.0) / (count + K1);
        }
        self.sums.fill(0);
    }

    /// Adds the messages of its passages to `matches`, each with the best of them.
    fn best(&self, corpus: &Corpus, question: &Question, start: u32, matches: &mut Vec<Match>) {
        for (passage, words) in (start..).zip(&self.points).filter(|(_, words)| **words > 0.0) {
            let message = corpus.of[passage as usize];
            match matches.last_mut() {
                Some(last) if last.message == message => {
                    if *words > last.words {
                        (last.words, last.passage) = (*words, passage);
                    }
                }
                _ => matches.push(Match::of(question, message, &corpus.messages[message as usize], passage, *words)),
            }
        }
    }
}

/// Hands what one posting gives to its passage and to those around it.
#[inline]
fn spread(corpus: &Corpus, scope: &Scope, passage: u32, count: u32, mut give: impl FnMut(u32, i32)) {
    let length = corpus.lengths[passage as usize] as f32;
    let value = count as f32 / (1.0 - B + B * length / scope.average) * WHOLE;
    let near = corpus.near[passage as usize];
    // Never nothing: what is reached is told by it.
    let mut give = |to: u32, weight: f32| give(to, ((value * weight) as i32).max(1));
    give(passage, 1.0);
    if near.has(Near::NEXT) {
        let answer = if near.has(Near::ANSWERED) { ANSWER } else { 0.0 };
        give(passage + 1, PREVIOUS + answer);
    }
    if near.has(Near::PREVIOUS) {
        give(passage - 1, NEXT);
    }
    if near.has(Near::SECOND_NEXT) {
        give(passage + 2, SECOND);
    }
    if near.has(Near::SECOND_PREVIOUS) {
        give(passage - 2, SECOND);
    }
}

#[cfg(test)]
mod tests {
    use super::super::build::tests::message;
    use super::super::build::{Stretch, build};
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

    /// The same by the formula alone, over all passages at once.
    fn by_formula(corpus: &Corpus, scope: &Scope, question: &Question, found: &Found) -> BTreeMap<u32, (u32, f32)> {
        let mut points = vec![0.0; corpus.of.len()];
        for (held, rarity) in found.iter().zip(rarities(scope, question, found)) {
            let mut sums = vec![0; corpus.of.len()];
            for (passage, count) in held {
                spread(corpus, scope, *passage, *count, |to, amount| sums[to as usize] += amount);
            }
            for (points, sum) in points.iter_mut().zip(sums) {
                let count = sum as f32 / WHOLE;
                *points += rarity * count * (K1 + 1.0) / (count + K1);
            }
        }
        let mut best: BTreeMap<u32, (u32, f32)> = BTreeMap::new();
        for ((passage, message), points) in (0..).zip(&corpus.of).zip(points).filter(|(_, points)| *points > 0.0) {
            let known = best.entry(*message).or_insert((passage, points));
            if points > known.1 {
                *known = (passage, points);
            }
        }
        best
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Scoring block by block gives what scoring every passage alone gives, to the bit.
        #[test]
        fn blocks_change_no_score(lengths in proptest::collection::vec(1..450usize, 1..4), seed in any::<u64>(), words in 1..4usize) {
            let corpus = corpus(&lengths, seed);
            let scope = Scope::new(&corpus, &Where::Everywhere);
            let question = Question::new(&WORDS[..words].join(" "), &corpus, &scope);
            let found = find(&corpus, &scope, &question, &[]);
            let scored = score(&corpus, &scope, &question, &found);
            prop_assert!(scored.is_sorted_by_key(|matched| matched.message));
            let scored: BTreeMap<u32, (u32, f32)> =
                scored.into_iter().map(|matched| (matched.message, (matched.passage, matched.words))).collect();
            prop_assert_eq!(scored, by_formula(&corpus, &scope, &question, &found));
        }
    }
}
