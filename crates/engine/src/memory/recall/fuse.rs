//! Fusion: from features of the best candidates to one order.
//!
//! Features are put on one scale over the candidates alone, so that their balance does not depend on how much is
//! stored. A message also profits from the rest of its session: where several candidates sit together, the topic is.

use super::candidates::Candidates;
use super::corpus::Corpus;
use super::question::Question;
use super::scope::Scope;
use super::score::Match;
use foldhash::{HashMap, HashMapExt};
use model::Timestamp;
use std::cmp::Reverse;

const MEANING: f32 = 0.3;
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
    /// What it means, on the same scale.
    pub(super) meaning: f32,
    /// What a date in the question adds.
    pub(super) time: f32,
    /// What being a standing rule adds.
    pub(super) rule: f32,
    /// What its session adds.
    pub(super) session: f32,
    /// What the summary that stands for it adds, or takes off.
    pub(super) summary: f32,
}

impl Ranked {
    /// A message without its session.
    fn new(corpus: &Corpus, question: &Question, scales: &Scales<'_>, matched: &Match) -> Self {
        let entry = &corpus.messages[matched.message as usize];
        Self {
            matched: *matched,
            lexical: scales.words.of(matched.score()),
            meaning: MEANING * scales.meaning.of(scales.near[matched.message as usize]),
            time: TIME * question.nearness(entry),
            rule: if entry.rule { RULE } else { 0.0 },
            session: 0.0,
            summary: 0.0,
        }
    }

    fn alone(&self) -> f32 {
        self.lexical + self.meaning + self.time + self.rule
    }

    pub(super) fn score(&self) -> f32 {
        self.alone() + self.session + self.summary
    }
}

/// The candidates, best first.
pub(super) fn fuse(corpus: &Corpus, question: &Question, candidates: &Candidates) -> Vec<Ranked> {
    let scales = Scales::over(candidates);
    let mut ranked: Vec<Ranked> =
        candidates.chosen.iter().map(|matched| Ranked::new(corpus, question, &scales, matched)).collect();
    let session = |ranked: &Ranked| corpus.messages[ranked.matched.message as usize].session;
    let mut weights: HashMap<u32, f32> = HashMap::new();
    for candidate in &ranked {
        *weights.entry(session(candidate)).or_default() += candidate.alone().exp();
    }
    for candidate in &mut ranked {
        let session = session(candidate);
        let share = weights[&session] / corpus.sessions[session as usize] as f32;
        candidate.session = SESSION * (FLOOR + share).ln();
    }
    // Equal ones stay in the order of candidates.
    ranked.sort_by(|a, b| b.score().total_cmp(&a.score()));
    ranked
}

/// What follows the candidates, the last of which has a score. Nothing of it is better, whatever its parts say.
pub(super) fn behind(
    corpus: &Corpus,
    question: &Question,
    candidates: &Candidates,
    rest: &[Match],
    last: f32,
) -> Vec<Ranked> {
    let scales = Scales::over(candidates);
    let rank = |matched: &Match| {
        let behind = Ranked::new(corpus, question, &scales, matched);
        let session = (last - behind.alone()).min(SESSION * FLOOR.ln());
        Ranked { session, ..behind }
    };
    rest.iter().map(rank).collect()
}

/// The last resort, where nothing leads anywhere: the newest messages.
pub(super) fn newest(corpus: &Corpus, scope: &Scope, wants: impl Fn(u32) -> bool) -> Vec<Ranked> {
    let entries = (0..).zip(&corpus.messages).filter(|(message, entry)| scope.has(entry.talk) && wants(*message));
    let mut messages: Vec<(Timestamp, u32)> = entries.map(|(message, entry)| (entry.when, message)).collect();
    messages.sort_unstable_by_key(|newest| Reverse(*newest));
    let rank = |(_, message): (Timestamp, u32)| {
        let passage = corpus.passages(message).start as u32;
        let matched = Match { message, passage, words: 0.0, length: 0.0, speaker: 0.0 };
        Ranked { matched, lexical: 0.0, meaning: 0.0, time: 0.0, rule: 0.0, session: 0.0, summary: 0.0 }
    };
    messages.into_iter().map(rank).collect()
}

/// The scales of what candidates say and mean.
struct Scales<'c> {
    words: Scale,
    meaning: Scale,
    near: &'c [f32],
}

impl<'c> Scales<'c> {
    fn over(candidates: &'c Candidates) -> Self {
        let (chosen, near) = (&candidates.chosen, &candidates.near);
        let meaning = Scale::over(chosen.iter().map(|matched| near[matched.message as usize]));
        Self { words: Scale::over(chosen.iter().map(Match::score)), meaning, near }
    }
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
