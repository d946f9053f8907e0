//! Scores messages for the words of a question: BM25 over passages, where a passage also counts a share of the words of
//! its neighbours, because an answer seldom repeats the words of its question. Neighbours' counts are added before
//! saturation, each corrected by its length: a long one adds what is nearest of it. A message counts as its best
//! passage, less what many passages give by chance. Passages are scored side by side, see [`super::passage_block`].

use super::corpus::Corpus;
use super::lexical::{WordPostings, idf_weights};
use super::passage_block::{BLOCK, BestPassage, NEIGHBOUR_REACH, PassageBlock, ScoredMessage};
use super::posting_layout::PostingLayout;
use super::question::RecallQuestion;
use super::scope::CorpusScope;
use search::Bm25;
use std::ops::Range;

/// Fitted over questions about conversations; code search has parameters of its own.
pub(super) const BM25: Bm25 = Bm25 { k1: 1.0, b: 0.5 };
/// The factor of the penalty for the logarithm of the number of passages.
const LENGTH_PENALTY_FACTOR: f32 = 1.0;
/// The share of a reply's points that the turn which it answers gets.
pub(super) const REPLY_WEIGHT: f32 = 0.1;
/// Messages with more passages are treated as having this many.
const MOST_PASSAGES: usize = 32;

/// Passages of so many terms have their correction looked up.
const TERM_TABLE_SIZE: usize = 256;

/// How well the words of a message fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MessageMatch {
    pub(super) message: u32,
    /// Its best passage.
    pub(super) passage: u32,
    /// Its score by words alone.
    pub(super) words: f32,
    /// The penalty for its length.
    pub(super) length: f32,
    /// The bonus for its speaker.
    pub(super) speaker: f32,
    /// What its reply hands it.
    pub(super) reply: f32,
}

impl MessageMatch {
    pub(super) fn score(&self) -> f32 {
        self.own_score() + self.reply
    }

    /// What it hands as a reply to the turn that it answers: they are one exchange, and the person's words alone often
    /// do not say what came of them.
    pub(super) fn reply_share(&self) -> f32 {
        REPLY_WEIGHT * self.own_score().max(0.0)
    }

    /// Without what its reply hands it.
    fn own_score(&self) -> f32 {
        self.words + self.length + self.speaker
    }
}

/// Gives messages their points for the words of one question.
pub(super) struct PassageScorer<'q> {
    corpus: &'q Corpus,
    question: &'q RecallQuestion,
    found: &'q WordPostings,
    rarities: Vec<f32>,
    /// By number of passages: what it takes off.
    by_passages: [f32; MOST_PASSAGES + 1],
    /// By number of terms: what a word counts in a passage of so many.
    by_terms: [f32; TERM_TABLE_SIZE],
    average: f32,
}

impl<'q> PassageScorer<'q> {
    pub(super) fn new(
        corpus: &'q Corpus,
        scope: &CorpusScope,
        question: &'q RecallQuestion,
        found: &'q WordPostings,
    ) -> Self {
        let average = scope.average;
        let rarities = idf_weights(scope, question, found);
        Self {
            corpus,
            question,
            found,
            rarities,
            by_passages: std::array::from_fn(|passages| -LENGTH_PENALTY_FACTOR * (passages.max(1) as f32).ln()),
            // Nearly all passages have fewer than 256 terms, and a table spares a division for each posting.
            by_terms: std::array::from_fn(|terms| length_norm(terms as u32, average)),
            average,
        }
    }

    /// Hands every message that a word reaches to `visit`, in the order of messages.
    pub(super) fn each_match(&self, mut visit: impl FnMut(&ScoredMessage<'_>)) {
        let mut waiting: Vec<WordCursor<'_>> = self.found.iter().map(WordCursor::new).collect();
        let mut block = PassageBlock::new();
        // The last message of a block may go on in the next one.
        let mut open: Option<BestPassage> = None;
        let mut visit = |scored: &ScoredMessage<'_>| {
            if scored.words > 0.0 {
                visit(scored);
            }
        };
        let mut start = 0;
        // Blocks that no posting reaches are skipped.
        while let Some(next) = waiting.iter().filter_map(|waiting| waiting.next_passage(start)).min() {
            start = next.saturating_sub(NEIGHBOUR_REACH).max(start) / BLOCK * BLOCK;
            let end = (start + BLOCK).min(self.corpus.of.len());
            block.move_to(self.corpus, start, end);
            for (waiting, rarity) in waiting.iter_mut().zip(&self.rarities) {
                waiting.add_to(&mut block, self, *rarity);
            }
            // A message that reaches the end of the block may continue in the next one, so its visit waits.
            let last = self.corpus.of[end - 1];
            block.each_message(self.corpus, |scored| {
                if let Some(best) = open.as_mut().filter(|best| best.message == scored.message) {
                    return best.keep_better(scored.best_passage());
                }
                if let Some(done) = open.take() {
                    visit(&ScoredMessage::from(&done));
                }
                if scored.message == last {
                    open = Some(scored.best_passage());
                } else {
                    visit(scored);
                }
            });
            if end == self.corpus.of.len() {
                break;
            }
            start = end;
        }
        if let Some(last) = open {
            visit(&ScoredMessage::from(&last));
        }
    }

    /// The points of one message; none where no word reaches it.
    pub(super) fn score_message(&self, block: &mut PassageBlock, message: u32) -> MessageMatch {
        let passages = self.corpus.passage_range(message);
        let mut best = BestPassage { message, passage: passages.start as u32, words: 0.0 };
        for start in passages.clone().step_by(BLOCK) {
            self.fill_block(block, start..(start + BLOCK).min(passages.end));
            block.each_message(self.corpus, |scored| best.keep_better(scored.best_passage()));
        }
        self.complete_match(best)
    }

    /// Moves a block to some passages and gives them their points.
    pub(super) fn fill_block(&self, block: &mut PassageBlock, passages: Range<usize>) {
        block.move_to(self.corpus, passages.start, passages.end);
        let is_before = |(passage, _): &(u32, u32)| (*passage as usize) + NEIGHBOUR_REACH < passages.start;
        for (places, rarity) in self.found.iter().zip(&self.rarities) {
            match places {
                PostingLayout::Few(held) => {
                    block.add_few(self, &held[held.partition_point(is_before)..], *rarity);
                }
                PostingLayout::Many { counts, .. } => block.add_many(self, counts, *rarity),
            }
        }
    }

    /// All points of a message, given its best passage.
    pub(super) fn complete_match(&self, BestPassage { message, passage, words }: BestPassage) -> MessageMatch {
        // A message of many passages has more chances that one of them fits; the logarithm takes that back.
        let length = self.by_passages[self.corpus.passage_range(message).len().min(MOST_PASSAGES)];
        let entry = &self.corpus.messages[message as usize];
        MessageMatch { message, passage, words, length, speaker: self.question.speaker_bonus(entry), reply: 0.0 }
    }

    /// Where each word stands, and the most points that it gives a passage.
    pub(super) fn word_bounds(&self) -> impl Iterator<Item = (&PostingLayout, f32)> {
        self.found.iter().zip(self.rarities.iter().map(|rarity| rarity * BM25.most()))
    }

    /// The largest bonus that a message can get for its speaker.
    pub(super) fn most_speaker_bonus(&self) -> f32 {
        self.question.most_speaker_bonus()
    }

    /// The weight of a single occurrence of a word in a passage.
    pub(super) fn term_weight(&self, passage: usize) -> f32 {
        let terms = self.corpus.lengths[passage];
        self.by_terms.get(terms as usize).copied().unwrap_or_else(|| length_norm(terms, self.average))
    }

    /// The weight of each word of the question.
    pub(super) fn idf_weights(&self) -> &[f32] {
        &self.rarities
    }
}

/// The weight of an occurrence in a passage of so many terms.
fn length_norm(terms: u32, average: f32) -> f32 {
    1.0 / BM25.length_norm(terms, average)
}

/// The postings of a word that are not scored yet.
enum WordCursor<'q> {
    Few(&'q [(u32, u32)]),
    Many(&'q [u8]),
}

impl<'q> WordCursor<'q> {
    fn new(places: &'q PostingLayout) -> Self {
        match places {
            PostingLayout::Few(held) => Self::Few(held),
            PostingLayout::Many { counts, .. } => Self::Many(counts),
        }
    }

    /// The next passage that may hold it; all before `start` are scored.
    fn next_passage(&self, start: usize) -> Option<usize> {
        match self {
            Self::Few(held) => held.first().map(|(passage, _)| *passage as usize),
            // A word that many passages hold reaches every block.
            Self::Many(counts) => (start < counts.len()).then_some(start),
        }
    }

    fn add_to(&mut self, block: &mut PassageBlock, scorer: &PassageScorer<'_>, rarity: f32) {
        match self {
            Self::Few(held) => {
                let reaching = block.add_few(scorer, held, rarity);
                // Postings within NEIGHBOUR_REACH of the end count for passages of the next block as well.
                let is_over = |(place, _): &&(u32, u32)| *place as usize + NEIGHBOUR_REACH >= block.end;
                let over = held[..reaching].iter().rev().take_while(is_over).count();
                *held = &held[reaching - over..];
            }
            Self::Many(counts) => block.add_many(scorer, counts, rarity),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::corpus::{NeighbourFlags, RecallSegment};
    use super::super::held_segment::HeldSegment;
    use super::super::lexical::find_words;
    use super::super::passage_block::{
        ANSWER_WEIGHT, NEXT_PASSAGE_WEIGHT, PREVIOUS_PASSAGE_WEIGHT, SECOND_NEIGHBOUR_WEIGHT,
    };
    use super::super::scope::ScopeFilter;
    use super::super::segment_builder::tests::message;
    use super::super::segment_builder::{MessageStretch, build_segment};
    use super::*;
    use model::{ChainHash, ContentHash, ConversationState, Message, MessageRole, Timestamp, TokenCount};
    use proptest::prelude::*;
    use providers::LocalEmbedder;
    use std::collections::BTreeMap;
    use std::sync::Arc;
    use store::{Conversation, MemoryVersion};

    /// The first three stand in many messages, the others in few.
    pub(in super::super) const WORDS: [&str; 6] = ["apple", "river", "stone", "cloud", "paper", "green"];

    /// Conversations of so many messages each; every message says a few words, every ninth asks, and an assistant says
    /// every other one.
    pub(in super::super) fn corpus(lengths: &[usize], seed: u64) -> Corpus {
        corpus_with(lengths, seed, None)
    }

    /// The same with vectors.
    pub(in super::super) fn corpus_with(lengths: &[usize], seed: u64, embedder: Option<&dyn LocalEmbedder>) -> Corpus {
        let mut chance = seed;
        let mut draw = |below: u64| {
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (chance >> 33) % below
        };
        let mut talks: Vec<(Conversation, MessageStretch)> = Vec::new();
        for (number, length) in lengths.iter().enumerate() {
            let mut say = |seq: u64| {
                let mut word = || if draw(80) == 0 { WORDS[3 + draw(3) as usize] } else { WORDS[draw(3) as usize] };
                let words: Vec<&str> = (0..number + 3).map(|_| word()).collect();
                let times = if draw(20) == 0 { 30 } else { 1 };
                let end = if draw(9) == 0 { "?" } else { "." };
                let text = format!("Ann@{}|{} and so{end}", seq / 40, words.join(" ").repeat(times));
                let mut said = message(&number.to_string(), seq, &text);
                said.body.role = if seq.is_multiple_of(2) { MessageRole::Assistant } else { MessageRole::User };
                said.body.speaker = said.body.speaker.filter(|_| !seq.is_multiple_of(3));
                said
            };
            let messages: Vec<Message> = (1..=*length as u64).map(&mut say).collect();
            let conversation = Conversation {
                id: messages[0].conversation.clone(),
                number: number as i64,
                name: number.to_string(),
                project: None,
                author: None,
                messages: *length as u64,
                tokens: TokenCount(0),
                head: ChainHash(ContentHash::hash_bytes(b"")),
                title: None,
                created: Timestamp(0),
                updated: Timestamp(0),
                state: ConversationState::Active,
                state_set: Timestamp(0),
            };
            talks.push((conversation, MessageStretch { day: None, messages }));
        }
        let (conversations, stretches): (Vec<_>, Vec<_>) = talks.into_iter().unzip();
        // Each in a segment of its own, so that segments are not in the order of passages.
        let held = stretches.into_iter().rev().map(|stretch| {
            RecallSegment::Held(Arc::new(HeldSegment::new(build_segment(&[stretch], embedder)).expect("it is small")))
        });
        Corpus::new(MemoryVersion(1), &held.collect::<Vec<_>>(), conversations)
    }

    /// The same by the formula alone, passage by passage.
    fn by_formula(
        corpus: &Corpus,
        scope: &CorpusScope,
        question: &RecallQuestion,
        found: &WordPostings,
    ) -> BTreeMap<u32, (u32, f32)> {
        let mut best: BTreeMap<u32, (u32, f32)> = BTreeMap::new();
        for (passage, message) in (0_u32..).zip(&corpus.of) {
            let mut points = 0.0;
            for (held, rarity) in found.iter().zip(idf_weights(scope, question, found)) {
                let value = |step: i32, bit: Option<NeighbourFlags>, share: f32| {
                    let near = corpus.near[passage as usize];
                    let place = passage.checked_add_signed(step).filter(|_| bit.is_none_or(|bit| near.has(bit)));
                    let place = place.filter(|place| held.count_in(*place) > 0);
                    place.map_or(0.0, |place| {
                        let once = length_norm(corpus.lengths[place as usize], scope.average);
                        share * (once * held.count_in(place) as f32)
                    })
                };
                let answer =
                    if corpus.near[passage as usize].has(NeighbourFlags::ANSWERS) { ANSWER_WEIGHT } else { 0.0 };
                let beside = value(-1, Some(NeighbourFlags::PREVIOUS), PREVIOUS_PASSAGE_WEIGHT + answer)
                    + value(1, Some(NeighbourFlags::NEXT), NEXT_PASSAGE_WEIGHT);
                let second = value(-2, Some(NeighbourFlags::SECOND_PREVIOUS), SECOND_NEIGHBOUR_WEIGHT)
                    + value(2, Some(NeighbourFlags::SECOND_NEXT), SECOND_NEIGHBOUR_WEIGHT);
                let count = value(0, None, 1.0) + beside + second;
                points += rarity * BM25.most() * BM25.saturate(count);
            }
            if points > best.get(message).map_or(0.0, |(_, known)| *known) {
                best.insert(*message, (passage, points));
            }
        }
        best
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Scoring block by block gives what scoring every passage or message alone gives, to the bit.
        #[test]
        fn blocks_change_no_score(lengths in proptest::collection::vec(1..450usize, 1..4), seed in any::<u64>(), words in proptest::sample::subsequence(&WORDS, 1..=4)) {
            let corpus = corpus(&lengths, seed);
            let scope = CorpusScope::new(&corpus, &ScopeFilter::Everywhere);
            let question = RecallQuestion::new(&words.join(" "), &corpus, &scope);
            let found = find_words(&corpus, &scope, &question, &[]).expect("nothing is damaged");
            let scorer = PassageScorer::new(&corpus, &scope, &question, &found);
            let mut scored = Vec::new();
            scorer.each_match(|found| scored.push(scorer.complete_match(found.best_passage())));
            prop_assert!(scored.is_sorted_by_key(|matched| matched.message));
            let mut block = PassageBlock::new();
            let alone: Vec<MessageMatch> =
                (0..corpus.messages.len() as u32).map(|message| scorer.score_message(&mut block, message)).collect();
            prop_assert_eq!(&alone.into_iter().filter(|matched| matched.words > 0.0).collect::<Vec<_>>(), &scored);
            let scored: BTreeMap<u32, (u32, f32)> =
                scored.into_iter().map(|matched| (matched.message, (matched.passage, matched.words))).collect();
            prop_assert_eq!(scored, by_formula(&corpus, &scope, &question, &found));
        }
    }
}
