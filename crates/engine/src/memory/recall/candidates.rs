//! Candidates: what is weighed against each other, whichever way it was found.
//!
//! Words lead to most. `What did they talk about on 11 December?` shares no word with what was said that day, so
//! messages near a date of the question are candidates as well; so are those near in meaning, and where all this leads to
//! few, the newest ones of the people named.

use super::corpus::{Corpus, Entry};
use super::lexical::Match;
use super::question::Question;
use super::scope::Scope;
use foldhash::HashSet;
use std::cmp::Reverse;

/// What is weighed, and what only follows in the order of its words.
pub(super) struct Candidates {
    pub(super) chosen: Vec<Match>,
    /// All that words matched, chosen or not, in the order of messages.
    pub(super) matches: Vec<Match>,
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
        wants: impl Fn(&Entry) -> bool,
        matches: Vec<Match>,
        near: Vec<f32>,
    ) -> Self {
        let words = (0..).zip(&matches).map(|(at, matched)| (matched.score(), at));
        let chosen = best(words).into_iter().map(|at| matches[at as usize]).collect();
        let mut candidates = Self { chosen, matches, near };
        let others = || {
            let entries = (0..).zip(&corpus.messages);
            entries.filter(|(_, entry)| scope.has(entry.talk) && wants(entry))
        };
        let meant = (0..)
            .zip(&candidates.near)
            .filter(|(message, near)| **near > 0.0 && wants(&corpus.messages[*message as usize]));
        let meant = best(meant.map(|(message, near)| (*near, message)));
        candidates.add(corpus, question, meant.into_iter(), MOST);
        if !question.dates.is_empty() {
            // Messages of one day follow each other.
            let mut day = (None, 0.0);
            let near = others().map(|(message, entry)| {
                if day.0 != entry.day {
                    day = (entry.day, question.nearness(entry));
                }
                (day.1, message)
            });
            let near = best(near.filter(|(nearness, _)| *nearness >= NEAR));
            candidates.add(corpus, question, near.into_iter(), MOST);
        }
        if !question.who.is_empty() && candidates.chosen.len() < MOST {
            let mut named: Vec<u32> =
                others().filter(|(_, entry)| question.names(entry)).map(|(message, _)| message).collect();
            named.sort_unstable_by_key(|message| Reverse((corpus.messages[*message as usize].when, *message)));
            let room = MOST - candidates.chosen.len();
            candidates.add(corpus, question, named.into_iter(), room);
        }
        candidates
    }

    /// Adds messages that are not chosen yet, with what their words are worth.
    fn add(&mut self, corpus: &Corpus, question: &Question, messages: impl Iterator<Item = u32>, most: usize) {
        let chosen: HashSet<u32> = self.chosen.iter().map(|matched| matched.message).collect();
        for message in messages.filter(|message| !chosen.contains(message)).take(most) {
            let known = self.matches.binary_search_by_key(&message, |matched| matched.message);
            let entry = &corpus.messages[message as usize];
            let wordless = |_| Match::of(question, message, entry, entry.first_passage, 0.0);
            self.chosen.push(known.map_or_else(wordless, |at| self.matches[at]));
        }
    }

    /// How many messages words matched that were not chosen.
    pub(super) fn behind(&self) -> usize {
        self.matches.len() - self.chosen.iter().filter(|matched| matched.words > 0.0).count()
    }

    /// What words matched that was not chosen, best first.
    pub(super) fn rest(&self) -> Vec<Match> {
        let chosen: HashSet<u32> = self.chosen.iter().map(|matched| matched.message).collect();
        let behind = self.matches.iter().filter(|matched| !chosen.contains(&matched.message));
        let mut rest: Vec<Match> = behind.copied().collect();
        rest.sort_unstable_by(|a, b| b.score().total_cmp(&a.score()).then(a.message.cmp(&b.message)));
        rest
    }
}

/// The best of many things with scores, best first; they come in order, and of equal ones the first is better.
fn best(scored: impl Iterator<Item = (f32, u32)>) -> Vec<u32> {
    let order = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    let mut best: Vec<(f32, u32)> = Vec::with_capacity(2 * MOST);
    let mut least = f32::NEG_INFINITY;
    for (score, thing) in scored {
        if score <= least {
            continue;
        }
        best.push((score, thing));
        if best.len() == 2 * MOST {
            best.select_nth_unstable_by(MOST - 1, order);
            best.truncate(MOST);
            least = best[MOST - 1].0;
        }
    }
    best.sort_unstable_by(order);
    best.truncate(MOST);
    best.into_iter().map(|(_, thing)| thing).collect()
}
