//! Fusion: from features of the best candidates to one order.
//!
//! Features are put on one scale over the candidates alone, so that their balance does not depend on how much is
//! stored. A message also profits from the rest of its session: where several candidates sit together, the topic is.

use super::corpus::{Corpus, Entry};
use super::lexical::Match;
use super::question::Question;
use super::scope::Scope;
use foldhash::{HashMap, HashMapExt};

/// How many candidates are weighed against each other; those behind stay in the order of their words.
const CANDIDATES: usize = 100;
const TIME: f32 = 2.0;
const RULE: f32 = 0.5;
const SESSION: f32 = 0.3;
/// Keeps the logarithm of an almost empty session finite.
const FLOOR: f32 = 0.001;

/// A message in the order of the answer, with all that put it there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ranked {
    pub(super) matched: Match,
    /// Its words on the scale of the candidates.
    pub(super) lexical: f32,
    /// What a date in the question adds.
    pub(super) time: f32,
    /// What being a standing rule adds.
    pub(super) rule: f32,
    /// What its session adds.
    pub(super) session: f32,
}

impl Ranked {
    fn alone(&self) -> f32 {
        self.lexical + self.time + self.rule
    }

    pub(super) fn score(&self) -> f32 {
        self.alone() + self.session
    }
}

/// The matches, best first; equal ones in the order of conversations and places.
pub(super) fn fuse(corpus: &Corpus, question: &Question, mut matches: Vec<Match>) -> Vec<Ranked> {
    matches.sort_unstable_by(|a, b| b.score().total_cmp(&a.score()).then(a.message.cmp(&b.message)));
    let candidates = &matches[..matches.len().min(CANDIDATES)];
    let scale = Scale::over(candidates.iter().map(Match::score));
    let mut ranked: Vec<Ranked> = matches
        .iter()
        .map(|matched| {
            let entry = &corpus.messages[matched.message as usize];
            Ranked {
                matched: *matched,
                lexical: scale.of(matched.score()),
                time: time(question, entry),
                rule: if entry.rule { RULE } else { 0.0 },
                session: 0.0,
            }
        })
        .collect();
    let (first, _) = ranked.split_at_mut(candidates.len());
    let session = |ranked: &Ranked| corpus.messages[ranked.matched.message as usize].session;
    let mut weights: HashMap<u32, f32> = HashMap::new();
    for candidate in &*first {
        *weights.entry(session(candidate)).or_default() += candidate.alone().exp();
    }
    for candidate in &mut *first {
        let session = session(candidate);
        let share = weights[&session] / corpus.sessions[session as usize] as f32;
        candidate.session = SESSION * (FLOOR + share).ln();
    }
    first.sort_by(|a, b| b.score().total_cmp(&a.score()).then(a.matched.message.cmp(&b.matched.message)));
    ranked
}

/// The last resort, where no word matches: what lies nearest to a date of the question, of speakers it names first, then
/// the newest.
pub(super) fn newest(
    corpus: &Corpus,
    scope: &Scope,
    question: &Question,
    wants: impl Fn(&Entry) -> bool,
) -> Vec<Ranked> {
    let mut ranked: Vec<Ranked> = Vec::new();
    for (message, entry) in (0..).zip(&corpus.messages) {
        if scope.has(entry.talk) && wants(entry) {
            let speaker = question.speaker_bonus(entry);
            let matched = Match { message, passage: entry.first_passage, words: 0.0, length: 0.0, speaker };
            ranked.push(Ranked { matched, lexical: 0.0, time: time(question, entry), rule: 0.0, session: 0.0 });
        }
    }
    let key = |ranked: &Ranked| ranked.time + ranked.matched.speaker;
    let when = |ranked: &Ranked| corpus.messages[ranked.matched.message as usize].when;
    ranked.sort_by(|a, b| {
        let newest = when(b).cmp(&when(a)).then(b.matched.message.cmp(&a.matched.message));
        key(b).total_cmp(&key(a)).then(newest)
    });
    ranked
}

/// What dates of the question add to a message.
fn time(question: &Question, entry: &Entry) -> f32 {
    let near = |day| question.dates.iter().map(|date| date.nearness(day)).fold(0.0, f32::max);
    TIME * entry.day.map_or(0.0, near)
}

/// Where values lie around their mean.
struct Scale {
    mean: f32,
    spread: f32,
}

impl Scale {
    fn over(values: impl Iterator<Item = f32> + Clone) -> Self {
        let count = values.clone().count().max(1) as f32;
        let mean = values.clone().sum::<f32>() / count;
        let variance = values.map(|value| (value - mean).powi(2)).sum::<f32>() / count;
        Self { mean, spread: variance.sqrt() + 1e-6 }
    }

    fn of(&self, value: f32) -> f32 {
        (value - self.mean) / self.spread
    }
}
