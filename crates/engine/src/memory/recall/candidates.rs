//! Candidates: what is weighed against each other, whichever way it was found.
//!
//! Words lead to most. `What did they talk about on 11 December?` shares no word with what was said that day, so
//! messages near a date of the question are candidates as well; and where words lead to few, so are the newest ones of
//! the people named.

use super::corpus::{Corpus, Entry};
use super::lexical::Match;
use super::question::Question;
use super::scope::Scope;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::cmp::Reverse;

/// What is weighed, and what only follows in the order of its words.
pub(super) struct Candidates {
    pub(super) chosen: Vec<Match>,
    pub(super) rest: Vec<Match>,
}

/// How many each way leads to at most.
const MOST: usize = 100;

/// How near a date a message has to be: a week after it, or three days before.
const NEAR: f32 = 0.36;

impl Candidates {
    /// Chooses from what words matched, and from all messages that the question names otherwise.
    pub(super) fn new(
        corpus: &Corpus,
        scope: &Scope,
        question: &Question,
        wants: impl Fn(&Entry) -> bool,
        mut matches: Vec<Match>,
    ) -> Self {
        matches.sort_unstable_by(|a, b| b.score().total_cmp(&a.score()).then(a.message.cmp(&b.message)));
        let rest = matches.split_off(matches.len().min(MOST));
        let mut candidates = Self { chosen: matches, rest };
        let others = || {
            let entries = (0..).zip(&corpus.messages);
            entries.filter(|(_, entry)| scope.has(entry.talk) && wants(entry))
        };
        if !question.dates.is_empty() {
            let near = others().map(|(message, entry)| (question.nearness(entry), message));
            let mut near: Vec<(f32, u32)> = near.filter(|(nearness, _)| *nearness >= NEAR).collect();
            near.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            candidates.add(corpus, question, near.into_iter().map(|(_, message)| message), MOST);
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
        let mut chosen: HashSet<u32> = HashSet::with_capacity(self.chosen.len());
        chosen.extend(self.chosen.iter().map(|matched| matched.message));
        let mut behind: HashMap<u32, Match> = HashMap::with_capacity(self.rest.len());
        behind.extend(self.rest.iter().map(|matched| (matched.message, *matched)));
        for message in messages.filter(|message| !chosen.contains(message)).take(most) {
            let entry = &corpus.messages[message as usize];
            let wordless = || Match::of(question, message, entry, entry.first_passage, 0.0);
            self.chosen.push(behind.remove(&message).unwrap_or_else(wordless));
        }
        self.rest.retain(|matched| behind.contains_key(&matched.message));
    }
}
