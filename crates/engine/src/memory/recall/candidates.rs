//! Collects the candidate messages of a recall, which are then ranked: the best by words (BM25), by meaning (vectors)
//! and by date.
//!
//! `What did they talk about on 11 December?` shares no word with what was said that day, so messages near a date of
//! the question are candidates as well; where all this leads to few, so are the newest messages of the people named.

use super::corpus::Corpus;
use super::passage_block::PassageBlock;
use super::question::RecallQuestion;
use super::scope::CorpusScope;
use super::score::{MessageMatch, PassageScorer};
use foldhash::HashSet;
use std::cmp::{Ordering, Reverse};

/// The candidates, and how many more messages matched.
pub(super) struct RecallCandidates {
    pub(super) chosen: Vec<MessageMatch>,
    /// How many messages words matched, chosen or not.
    pub(super) matched: usize,
    /// By message: how near it is to the question in meaning.
    pub(super) near: Vec<f32>,
}

/// How many candidates each way of finding contributes at most.
const MAX_CANDIDATES_PER_SOURCE: usize = 100;

/// How near a date a message has to be: a week after it, or three days before.
const MIN_DATE_NEARNESS: f32 = 0.36;

impl RecallCandidates {
    /// Chooses from what words matched, from what is near in meaning, and from all messages that the question names
    /// otherwise.
    pub(super) fn new(
        corpus: &Corpus,
        scope: &CorpusScope,
        question: &RecallQuestion,
        wants: impl Fn(u32) -> bool,
        scorer: &PassageScorer<'_>,
        near: Vec<f32>,
    ) -> Self {
        let mut best = TopRanked::new();
        let mut matched = 0;
        // What a person said waits for the reply, which comes next and hands it a share of its points.
        let mut turn: Option<MessageMatch> = None;
        scorer.each_match(|found| {
            let replied = turn.take().map(|turn| (corpus.reply_to(turn.message) == Some(found.message), turn));
            let is_reply = replied.is_some_and(|(is_reply, _)| is_reply);
            let is_wanted = wants(found.message);
            matched += usize::from(is_wanted);
            // The upper bound spares most messages the search for their best passage; only those near the top are
            // completed.
            let may_win = is_wanted && best.accepts_score(scorer.max_score(found.words));
            let completed = (may_win || is_reply).then(|| scorer.complete_match(found.best_passage()));
            if let Some((_, mut turn)) = replied {
                turn.reply = completed.filter(|_| is_reply).map_or(0.0, |reply| reply.reply_share());
                best.push_scored(turn.score(), turn);
            }
            match completed.filter(|_| may_win) {
                Some(found) if corpus.reply_to(found.message).is_some() => turn = Some(found),
                Some(found) => best.push_scored(found.score(), found),
                None => {}
            }
        });
        if let Some(turn) = turn {
            best.push_scored(turn.score(), turn);
        }
        let mut candidates = Self { chosen: best.finish(), matched, near };
        let others = || {
            let entries = (0..).zip(&corpus.messages);
            entries.filter(|(message, entry)| scope.contains_conversation(entry.talk) && wants(*message))
        };
        let mut meant = TopRanked::new();
        for (message, near) in (0..).zip(&candidates.near).filter(|(_, near)| **near > 0.0) {
            // The filter reads the message's entry, so the cheap bound comes first.
            if meant.accepts_score(*near) && wants(message) {
                meant.push_scored(*near, message);
            }
        }
        // After words: a message that is found both ways is a candidate once, with its points for words.
        candidates.add_messages(corpus, scorer, meant.finish().into_iter(), MAX_CANDIDATES_PER_SOURCE);
        if !question.dates.is_empty() {
            // Messages of one day follow each other.
            let mut day = (None, 0.0);
            let mut dated = TopRanked::new();
            for (message, entry) in others() {
                if day.0 != entry.day {
                    day = (entry.day, question.date_nearness(entry));
                }
                if day.1 >= MIN_DATE_NEARNESS {
                    dated.push_scored(day.1, message);
                }
            }
            candidates.add_messages(corpus, scorer, dated.finish().into_iter(), MAX_CANDIDATES_PER_SOURCE);
        }
        // Only to fill up: everything that a person ever said would push out what their words or dates led to.
        if !question.who.is_empty() && candidates.chosen.len() < MAX_CANDIDATES_PER_SOURCE {
            let mut named: Vec<u32> =
                others().filter(|(_, entry)| question.names_speaker(entry)).map(|(message, _)| message).collect();
            // The newest first; the number breaks ties between messages of one moment.
            named.sort_unstable_by_key(|message| Reverse((corpus.messages[*message as usize].when, *message)));
            let room = MAX_CANDIDATES_PER_SOURCE - candidates.chosen.len();
            candidates.add_messages(corpus, scorer, named.into_iter(), room);
        }
        candidates
    }

    /// Adds messages that are not chosen yet, with what their words are worth.
    fn add_messages(
        &mut self,
        corpus: &Corpus,
        scorer: &PassageScorer<'_>,
        messages: impl Iterator<Item = u32>,
        most: usize,
    ) {
        let chosen: HashSet<u32> = self.chosen.iter().map(|matched| matched.message).collect();
        let added = messages.filter(|message| !chosen.contains(message)).take(most);
        let mut block = PassageBlock::new();
        let score = |message: u32| {
            let mut found = scorer.score_message(&mut block, message);
            let reply = corpus.reply_to(message).map(|reply| scorer.score_message(&mut block, reply));
            found.reply = reply.map_or(0.0, |reply| reply.reply_share());
            found
        };
        self.chosen.extend(added.map(score));
    }

    /// How many messages words matched that were not chosen.
    pub(super) fn unchosen_count(&self) -> usize {
        self.matched - self.chosen.iter().filter(|matched| matched.words > 0.0).count()
    }

    /// Messages that words matched and that were not chosen, best first. Few callers page that far, so they are found
    /// on demand.
    pub(super) fn find_unchosen(&self, wants: impl Fn(u32) -> bool, scorer: &PassageScorer<'_>) -> Vec<MessageMatch> {
        let chosen: HashSet<u32> = self.chosen.iter().map(|matched| matched.message).collect();
        let mut rest = Vec::new();
        scorer.each_match(|found| {
            if !chosen.contains(&found.message) && wants(found.message) {
                rest.push(scorer.complete_match(found.best_passage()));
            }
        });
        rest.sort_unstable_by(|a, b| b.score().total_cmp(&a.score()).then(a.message.cmp(&b.message)));
        rest
    }
}

/// The best of many things; of equal ones the first is better.
struct TopRanked<T> {
    /// Each with its score and when it came.
    held: Vec<(f32, u32, T)>,
    /// The score that has to be exceeded.
    least: f32,
    offered: u32,
}

impl<T> TopRanked<T> {
    fn new() -> Self {
        Self { held: Vec::with_capacity(2 * MAX_CANDIDATES_PER_SOURCE), least: f32::NEG_INFINITY, offered: 0 }
    }

    /// Whether something of this score may be among the best.
    fn accepts_score(&self, score: f32) -> bool {
        score > self.least
    }

    fn push_scored(&mut self, score: f32, thing: T) {
        if !self.accepts_score(score) {
            return;
        }
        self.held.push((score, self.offered, thing));
        self.offered += 1;
        // Twice the size, cut to half by selection: linear in all messages, where a heap costs a logarithm for each.
        if self.held.len() == 2 * MAX_CANDIDATES_PER_SOURCE {
            self.held.select_nth_unstable_by(MAX_CANDIDATES_PER_SOURCE - 1, Self::compare_scores);
            self.held.truncate(MAX_CANDIDATES_PER_SOURCE);
            self.least = self.held[MAX_CANDIDATES_PER_SOURCE - 1].0;
        }
    }

    /// The best, in their order.
    fn finish(mut self) -> Vec<T> {
        self.held.sort_unstable_by(Self::compare_scores);
        self.held.truncate(MAX_CANDIDATES_PER_SOURCE);
        self.held.into_iter().map(|(.., thing)| thing).collect()
    }

    fn compare_scores(a: &(f32, u32, T), b: &(f32, u32, T)) -> Ordering {
        b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
    }
}
