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
const PREVIOUS: f32 = 0.5;
const NEXT: f32 = 0.4;
const SECOND: f32 = 0.2;
/// What an answer takes more of its question.
const ANSWER: f32 = 0.4;
/// What is taken off for the logarithm of the number of passages.
const LENGTH: f32 = 1.0;
/// More passages count as so many.
const MOST_PASSAGES: u32 = 32;

/// Counts are added up as whole numbers, in parts of this: sums are then the same in whatever order postings come.
const WHOLE: f32 = 65_536.0;

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

/// Where a word stands: passage and count, for each word of the question.
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

/// Every message that a word reaches, in no order.
pub(super) fn score(corpus: &Corpus, scope: &Scope, question: &Question, found: &Found) -> Vec<Match> {
    let passages = corpus.of.len();
    let (mut sums, mut scores) = (vec![0u32; passages], vec![0f32; passages]);
    let (mut reached, mut all) = (Vec::new(), Vec::new());
    for (held, rarity) in found.iter().zip(rarities(scope, question, found)) {
        for (passage, count) in held {
            spread(corpus, scope, *passage, *count, |to, amount| {
                let sum = &mut sums[to as usize];
                if *sum == 0 {
                    reached.push(to);
                }
                *sum = sum.saturating_add(amount);
            });
        }
        for passage in reached.drain(..) {
            let count = std::mem::take(&mut sums[passage as usize]) as f32 / WHOLE;
            let points = &mut scores[passage as usize];
            if *points == 0.0 {
                all.push(passage);
            }
            *points += rarity * count * (K1 + 1.0) / (count + K1);
        }
    }
    best(corpus, question, &scores, all)
}

/// What each word of a question is worth: the rarer the more.
pub(super) fn rarities(scope: &Scope, question: &Question, found: &Found) -> Vec<f32> {
    let rarity = |held: f32| (1.0 + (scope.passages as f32 - held + 0.5) / (held + 0.5)).ln();
    question.words.iter().zip(found).map(|(word, held)| word.weight * rarity(held.len() as f32)).collect()
}

/// Hands what one posting gives to its passage and to those around it.
#[inline]
fn spread(corpus: &Corpus, scope: &Scope, passage: u32, count: u32, mut give: impl FnMut(u32, u32)) {
    let length = corpus.lengths[passage as usize] as f32;
    let value = count as f32 / (1.0 - B + B * length / scope.average) * WHOLE;
    let near = corpus.near[passage as usize];
    // Never nothing: what is reached is told by it.
    let mut give = |to: u32, weight: f32| give(to, ((value * weight) as u32).max(1));
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

/// The best passage of each message.
fn best(corpus: &Corpus, question: &Question, scores: &[f32], mut reached: Vec<u32>) -> Vec<Match> {
    reached.sort_unstable();
    let mut matches: Vec<Match> = Vec::new();
    for passage in reached {
        let (message, words) = (corpus.of[passage as usize], scores[passage as usize]);
        match matches.last_mut() {
            Some(last) if last.message == message => {
                if words > last.words {
                    (last.words, last.passage) = (words, passage);
                }
            }
            _ => matches.push(Match::of(question, message, &corpus.messages[message as usize], passage, words)),
        }
    }
    matches
}
