//! Ranks the candidates of a recall: adds up the z-scores of words and meaning and the points for dates, standing rules
//! and sessions into one score.
//!
//! Features are normalized over the candidates alone, so that their balance does not depend on how much is stored. A
//! message also gains from other candidates of its session: where several are together, the topic is.

use super::candidates::RecallCandidates;
use super::corpus::Corpus;
use super::meaning::MessageNearness;
use super::question::RecallQuestion;
use super::scope::CorpusScope;
use super::score::MessageMatch;
use foldhash::{HashMap, HashMapExt};
use model::Timestamp;
use search::ValueSpread;
use std::cmp::Reverse;

const MEANING_WEIGHT: f32 = 0.4;
/// For a message that was written near a date of the question.
const TIME_WEIGHT: f32 = 3.0;
/// For a message that tells of a date of the question.
const TOLD_WEIGHT: f32 = 1.5;
/// For a message that says when, where the question asks it.
const MOMENT_WEIGHT: f32 = 0.8;
/// For a standing rule, and for one that is near the question in meaning: few of them share its words.
const RULE_WEIGHT: f32 = 0.5;
const NEAR_RULE_WEIGHT: f32 = 1.0;
/// For a message that states a decision, where one is asked for.
const DECISION_WEIGHT: f32 = 1.0;
/// For the first message of a session, and the share of what it is behind the best of its session that it gains.
const OPENER_WEIGHT: f32 = 0.3;
const OPENER_SHARE: f32 = 0.25;
const SESSION_WEIGHT: f32 = 0.3;
/// Keeps the logarithm of an almost empty session finite.
const SESSION_SHARE_EPSILON: f32 = 0.001;

/// A message in the order of the answer, with all that put it there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RankedMessage {
    pub(super) matched: MessageMatch,
    /// Its words on the scale of the candidates.
    pub(super) lexical: f32,
    /// Its similarity in meaning, on the same scale.
    pub(super) meaning: f32,
    /// The points for a date of the question.
    pub(super) time: f32,
    /// The points for saying when, where that is asked.
    pub(super) moment: f32,
    /// The points for a standing rule.
    pub(super) rule: f32,
    /// The points for its session.
    pub(super) session: f32,
    /// The points for opening a session that has something to say.
    pub(super) opener: f32,
    /// The points for being the best of one of several questions.
    pub(super) part: f32,
    /// The points for stating a decision, where one is asked for.
    pub(super) decision: f32,
    /// The points for the summary that covers it; may be negative.
    pub(super) summary: f32,
}

impl RankedMessage {
    /// A message without its session.
    fn new(corpus: &Corpus, question: &RecallQuestion, scales: &CandidateScales<'_>, matched: &MessageMatch) -> Self {
        let entry = &corpus.messages[matched.message as usize];
        let nearness = scales.meaning.z_score(scales.near.of_message(corpus, matched.message));
        let rule = RULE_WEIGHT + NEAR_RULE_WEIGHT * nearness.clamp(0.0, 1.0);
        // Without a word of the question it may decide anything.
        let decides = question.intent.wants_decision && entry.decides && matched.words > 0.0;
        let says_when = question.asks_when && entry.told.says_when;
        Self {
            matched: *matched,
            lexical: scales.words.z_score(matched.score()),
            meaning: MEANING_WEIGHT * nearness,
            time: TIME_WEIGHT * question.date_nearness(entry) + TOLD_WEIGHT * question.told_nearness(entry),
            moment: if says_when { MOMENT_WEIGHT } else { 0.0 },
            rule: if entry.rule { rule } else { 0.0 },
            session: 0.0,
            opener: 0.0,
            part: 0.0,
            decision: if decides { DECISION_WEIGHT } else { 0.0 },
            summary: 0.0,
        }
    }

    /// How much nearer in meaning it is than the other candidates.
    pub(super) fn nearness(&self) -> f32 {
        self.meaning / MEANING_WEIGHT
    }

    fn base_score(&self) -> f32 {
        self.lexical + self.meaning + self.time + self.moment + self.rule + self.decision
    }

    pub(super) fn score(&self) -> f32 {
        self.base_score() + self.session + self.opener + self.part + self.summary
    }
}

/// The candidates, best first.
pub(super) fn fuse_candidates(
    corpus: &Corpus,
    question: &RecallQuestion,
    candidates: &RecallCandidates,
) -> Vec<RankedMessage> {
    let scales = CandidateScales::from_candidates(corpus, candidates);
    let mut ranked: Vec<RankedMessage> =
        candidates.chosen.iter().map(|matched| RankedMessage::new(corpus, question, &scales, matched)).collect();
    let session = |ranked: &RankedMessage| corpus.messages[ranked.matched.message as usize].session;
    let mut weights: HashMap<u32, f32> = HashMap::new();
    for candidate in &ranked {
        // Exponentials, so that one very good candidate lifts its session more than many weak ones.
        *weights.entry(session(candidate)).or_default() += candidate.base_score().exp();
    }
    for candidate in &mut ranked {
        let session = session(candidate);
        // Divided by the length of the session: a long one holds many candidates by chance.
        let share = weights[&session] / corpus.sessions[session as usize] as f32;
        candidate.session = SESSION_WEIGHT * (SESSION_SHARE_EPSILON + share).ln();
    }
    lift_openers(corpus, &mut ranked);
    keep_rules_below(&mut ranked);
    // A stable sort: candidates of equal score stay in the order in which they were found.
    ranked.sort_by(|a, b| b.score().total_cmp(&a.score()));
    ranked
}

/// Lifts the first message of each session by the best of it: what opens a topic seldom has the words of what came of
/// it.
fn lift_openers(corpus: &Corpus, ranked: &mut [RankedMessage]) {
    let session = |ranked: &RankedMessage| corpus.messages[ranked.matched.message as usize].session;
    let mut best: HashMap<u32, f32> = HashMap::new();
    for candidate in &*ranked {
        let known = best.entry(session(candidate)).or_insert(f32::NEG_INFINITY);
        *known = known.max(candidate.score());
    }
    for candidate in ranked.iter_mut().filter(|candidate| corpus.is_opener(candidate.matched.message)) {
        let behind = best[&session(candidate)] - candidate.score();
        candidate.opener = OPENER_WEIGHT + OPENER_SHARE * behind;
    }
}

/// Takes from standing rules the points that would bring them above the best other message: a rule concerns an answer,
/// and is seldom it. One that has the words of the question needs no such points.
fn keep_rules_below(ranked: &mut [RankedMessage]) {
    let others = ranked.iter().filter(|candidate| candidate.rule == 0.0);
    let best = others.map(RankedMessage::score).fold(f32::NEG_INFINITY, f32::max);
    for candidate in ranked.iter_mut().filter(|candidate| candidate.rule > 0.0) {
        let above = candidate.score() - best;
        if above.is_finite() && above >= 0.0 {
            candidate.rule = (candidate.rule - above - RULE_GAP).max(0.0);
        }
    }
}

/// How far a rule stays below the best other message.
const RULE_GAP: f32 = 0.01;

/// Ranks messages behind the candidates, the last of which has the score `last`: none of them comes before it.
pub(super) fn rank_unchosen(
    corpus: &Corpus,
    question: &RecallQuestion,
    candidates: &RecallCandidates,
    rest: &[MessageMatch],
    last: f32,
) -> Vec<RankedMessage> {
    let scales = CandidateScales::from_candidates(corpus, candidates);
    let rank = |matched: &MessageMatch| {
        let behind = RankedMessage::new(corpus, question, &scales, matched);
        // The part that is set here brings the sum below the last candidate, so that pages stay in one order.
        let session = (last - behind.base_score()).min(SESSION_WEIGHT * SESSION_SHARE_EPSILON.ln());
        RankedMessage { session, ..behind }
    };
    rest.iter().map(rank).collect()
}

/// The newest messages, for a question that matched nothing.
pub(super) fn rank_newest(corpus: &Corpus, scope: &CorpusScope, wants: impl Fn(u32) -> bool) -> Vec<RankedMessage> {
    let entries = (0..)
        .zip(&corpus.messages)
        .filter(|(message, entry)| scope.contains_conversation(entry.talk) && wants(*message));
    let mut messages: Vec<(Timestamp, u32)> = entries.map(|(message, entry)| (entry.when, message)).collect();
    messages.sort_unstable_by_key(|newest| Reverse(*newest));
    let rank = |(_, message): (Timestamp, u32)| {
        let passage = corpus.passage_range(message).start as u32;
        let matched = MessageMatch { message, passage, words: 0.0, length: 0.0, speaker: 0.0, reply: 0.0 };
        RankedMessage {
            matched,
            lexical: 0.0,
            meaning: 0.0,
            time: 0.0,
            moment: 0.0,
            rule: 0.0,
            session: 0.0,
            opener: 0.0,
            part: 0.0,
            decision: 0.0,
            summary: 0.0,
        }
    };
    messages.into_iter().map(rank).collect()
}

/// The scales of what candidates say and mean.
struct CandidateScales<'c> {
    words: ZScoreScale,
    meaning: ZScoreScale,
    near: &'c MessageNearness,
}

impl<'c> CandidateScales<'c> {
    fn from_candidates(corpus: &Corpus, candidates: &'c RecallCandidates) -> Self {
        let chosen = &candidates.chosen;
        let near = &candidates.near;
        let nearness: Vec<f32> = chosen.iter().map(|matched| near.of_message(corpus, matched.message)).collect();
        let meaning = ZScoreScale::from_values(nearness.into_iter());
        Self { words: ZScoreScale::from_values(chosen.iter().map(MessageMatch::score)), meaning, near }
    }
}

/// Where values lie around their mean.
struct ZScoreScale {
    mean: f32,
    spread: f32,
}

impl ZScoreScale {
    fn from_values(values: impl Iterator<Item = f32> + Clone) -> Self {
        let ValueSpread { mean, deviation } = ValueSpread::from_values(values);
        // One candidate alone has no spread.
        Self { mean, spread: deviation + 1e-6 }
    }

    fn z_score(&self, value: f32) -> f32 {
        (value - self.mean) / self.spread
    }
}
