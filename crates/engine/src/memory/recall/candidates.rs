//! Collects the candidate messages of a recall, which are then ranked: the best by words (BM25), by meaning (vectors)
//! and by date.
//!
//! `What did they talk about on 11 December?` shares no word with what was said that day, so messages near a date of
//! the question are candidates as well; where all this leads to few, so are the newest messages of the people named.

use super::best_matches::find_best_matches;
use super::corpus::Corpus;
use super::meaning::MessageNearness;
use super::passage_block::PassageBlock;
use super::question::RecallQuestion;
use super::scope::CorpusScope;
use super::score::{MessageMatch, PassageScorer};
use super::top_ranked::TopRanked;
use foldhash::HashSet;
use std::cmp::Reverse;

/// The candidates, and how near messages are in meaning.
pub(super) struct RecallCandidates {
    pub(super) chosen: Vec<MessageMatch>,
    /// How near messages are to the question in meaning.
    pub(super) near: MessageNearness,
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
        near: MessageNearness,
    ) -> Self {
        let best = find_best_matches(corpus, scorer, &wants, MAX_CANDIDATES_PER_SOURCE);
        let meant = near.nearest_messages(corpus, scope, &wants, MAX_CANDIDATES_PER_SOURCE);
        let mut candidates = Self { chosen: best, near };
        let others = || {
            let entries = (0..).zip(&corpus.messages);
            entries.filter(|(message, entry)| scope.contains_conversation(entry.talk) && wants(*message))
        };
        // After words: a message that is found both ways is a candidate once, with its points for words.
        candidates.add_messages(corpus, scorer, meant.into_iter(), MAX_CANDIDATES_PER_SOURCE);
        if !question.dates.is_empty() {
            // Messages of one day follow each other.
            let mut day = (None, 0.0);
            let mut dated = TopRanked::new(MAX_CANDIDATES_PER_SOURCE);
            for (message, entry) in others() {
                if day.0 != entry.day {
                    day = (entry.day, question.date_nearness(entry));
                }
                if day.1 >= MIN_DATE_NEARNESS {
                    dated.push_scored(day.1, message, message);
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

    /// How many of the messages that words matched were not chosen.
    pub(super) fn unchosen_count(&self, matched: usize) -> usize {
        matched - self.chosen.iter().filter(|matched| matched.words > 0.0).count()
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
