//! Candidates: what is weighed against each other, whichever way it was found.
//!
//! Words lead to most. `What did they talk about on 11 December?` shares no word with what was said that day, so
//! messages near a date of the question are candidates as well; so are those near in meaning, and where all this leads to
//! few, the newest ones of the people named.

use super::block::Block;
use super::corpus::Corpus;
use super::question::Question;
use super::scope::Scope;
use super::score::{Match, Scorer};
use foldhash::HashSet;
use std::cmp::{Ordering, Reverse};

/// What is weighed, and how much more there is.
pub(super) struct Candidates {
    pub(super) chosen: Vec<Match>,
    /// How many messages words matched, chosen or not.
    pub(super) matched: usize,
    /// By message: how near it is to the question in meaning.
    pub(super) near: Vec<f32>,
}

/// How many each way leads to at most.
const MOST: usize = 100;

/// How near a date a message has to be: a week after it, or three days before.
const NEAR: f32 = 0.36;

impl Candidates {
    /// Chooses from what words matched, from what is near in meaning, and from all messages that the question names
    /// otherwise.
    pub(super) fn new(
        corpus: &Corpus,
        scope: &Scope,
        question: &Question,
        wants: impl Fn(u32) -> bool,
        scorer: &Scorer<'_>,
        near: Vec<f32>,
    ) -> Self {
        let (mut best, mut matched) = (Top::new(), 0);
        scorer.each(|found| {
            if wants(found.message) {
                matched += 1;
                if best.takes(scorer.most(found.words)) {
                    let found = scorer.matched(found.best());
                    best.offer(found.score(), found);
                }
            }
        });
        let mut candidates = Self { chosen: best.finish(), matched, near };
        let others = || {
            let entries = (0..).zip(&corpus.messages);
            entries.filter(|(message, entry)| scope.has(entry.talk) && wants(*message))
        };
        let mut meant = Top::new();
        for (message, near) in (0..).zip(&candidates.near).filter(|(_, near)| **near > 0.0) {
            // Most are too far away to be looked up.
            if meant.takes(*near) && wants(message) {
                meant.offer(*near, message);
            }
        }
        candidates.add(scorer, meant.finish().into_iter(), MOST);
        if !question.dates.is_empty() {
            // Messages of one day follow each other.
            let (mut day, mut dated) = ((None, 0.0), Top::new());
            for (message, entry) in others() {
                if day.0 != entry.day {
                    day = (entry.day, question.nearness(entry));
                }
                if day.1 >= NEAR {
                    dated.offer(day.1, message);
                }
            }
            candidates.add(scorer, dated.finish().into_iter(), MOST);
        }
        if !question.who.is_empty() && candidates.chosen.len() < MOST {
            let mut named: Vec<u32> =
                others().filter(|(_, entry)| question.names(entry)).map(|(message, _)| message).collect();
            named.sort_unstable_by_key(|message| Reverse((corpus.messages[*message as usize].when, *message)));
            let room = MOST - candidates.chosen.len();
            candidates.add(scorer, named.into_iter(), room);
        }
        candidates
    }

    /// Adds messages that are not chosen yet, with what their words are worth.
    fn add(&mut self, scorer: &Scorer<'_>, messages: impl Iterator<Item = u32>, most: usize) {
        let chosen: HashSet<u32> = self.chosen.iter().map(|matched| matched.message).collect();
        let added = messages.filter(|message| !chosen.contains(message)).take(most);
        let mut block = Block::new();
        self.chosen.extend(added.map(|message| scorer.of(&mut block, message)));
    }

    /// How many messages words matched that were not chosen.
    pub(super) fn behind(&self) -> usize {
        self.matched - self.chosen.iter().filter(|matched| matched.words > 0.0).count()
    }

    /// What words matched that was not chosen, best first. Hardly anybody asks for it, so it is looked for only then.
    pub(super) fn rest(&self, wants: impl Fn(u32) -> bool, scorer: &Scorer<'_>) -> Vec<Match> {
        let chosen: HashSet<u32> = self.chosen.iter().map(|matched| matched.message).collect();
        let mut rest = Vec::new();
        scorer.each(|found| {
            if !chosen.contains(&found.message) && wants(found.message) {
                rest.push(scorer.matched(found.best()));
            }
        });
        rest.sort_unstable_by(|a, b| b.score().total_cmp(&a.score()).then(a.message.cmp(&b.message)));
        rest
    }
}

/// The best of many things; of equal ones the first is better.
struct Top<T> {
    /// Each with its score and when it came.
    held: Vec<(f32, u32, T)>,
    /// What a score has to exceed.
    least: f32,
    offered: u32,
}

impl<T> Top<T> {
    fn new() -> Self {
        Self { held: Vec::with_capacity(2 * MOST), least: f32::NEG_INFINITY, offered: 0 }
    }

    /// Whether something of this score may be among the best.
    fn takes(&self, score: f32) -> bool {
        score > self.least
    }

    fn offer(&mut self, score: f32, thing: T) {
        if !self.takes(score) {
            return;
        }
        self.held.push((score, self.offered, thing));
        self.offered += 1;
        if self.held.len() == 2 * MOST {
            self.held.select_nth_unstable_by(MOST - 1, Self::order);
            self.held.truncate(MOST);
            self.least = self.held[MOST - 1].0;
        }
    }

    /// The best, in their order.
    fn finish(mut self) -> Vec<T> {
        self.held.sort_unstable_by(Self::order);
        self.held.truncate(MOST);
        self.held.into_iter().map(|(.., thing)| thing).collect()
    }

    fn order(a: &(f32, u32, T), b: &(f32, u32, T)) -> Ordering {
        b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
    }
}
