//! Finds the messages with the best words without scoring all of them.
//!
//! Passages are scored block by block. What the words that stand in a block can give at most is known before it is
//! scored, so blocks are taken in the order of that bound, and the search ends where it falls below the best so far. The
//! result is the one of scoring every message (a property test compares them).

use super::corpus::Corpus;
use super::passage_block::{BLOCK, NEIGHBOUR_REACH, PassageBlock};
use super::posting_layout::PostingLayout;
use super::score::{MessageMatch, PassageScorer, REPLY_WEIGHT};
use super::top_ranked::TopRanked;
use foldhash::{HashSet, HashSetExt};
use std::ops::Range;

/// The best `most` of the messages that `wants` accepts, each with what its reply hands it; best first.
pub(super) fn find_best_matches(
    corpus: &Corpus,
    scorer: &PassageScorer<'_>,
    wants: impl Fn(u32) -> bool,
    most: usize,
) -> Vec<MessageMatch> {
    let mut best = TopRanked::new(most);
    let mut block = PassageBlock::new();
    let mut beside = PassageBlock::new();
    // Messages that reach over the border of a block are met in several.
    let mut cut = HashSet::new();
    for bound in bound_blocks(corpus, scorer) {
        if !best.accepts_score(bound.most_score()) {
            break;
        }
        scorer.fill_block(&mut block, bound.passages.clone());
        if !best.accepts_score(block.most_points() + bound.extra) {
            continue;
        }
        block.each_message(corpus, |scored| {
            let may_win = scored.words > 0.0 && best.accepts_score(scored.words + bound.extra);
            if !may_win || !wants(scored.message) {
                return;
            }
            let is_whole = block.holds_message(corpus, scored.message);
            if !is_whole && !cut.insert(scored.message) {
                return;
            }
            let mut found = if is_whole {
                scorer.complete_match(scored.best_passage())
            } else {
                scorer.score_message(&mut beside, scored.message)
            };
            if best.accepts_score(found.score() + bound.reply)
                && let Some(reply) = corpus.reply_to(found.message)
            {
                let reply = match block.best_of_message(corpus, reply) {
                    Some(reply) => scorer.complete_match(reply),
                    None => scorer.score_message(&mut beside, reply),
                };
                found.reply = if reply.words > 0.0 { reply.reply_share() } else { 0.0 };
            }
            best.push_scored(found.score(), found.message, found);
        });
    }
    best.finish()
}

/// What a block of passages can give.
struct BlockBound {
    passages: Range<usize>,
    /// The most that words give to one of its messages.
    words: f32,
    /// The most that a reply hands to one of its messages.
    reply: f32,
    /// The most that a message gets beside its words.
    extra: f32,
}

impl BlockBound {
    fn most_score(&self) -> f32 {
        self.words + self.extra
    }
}

/// The blocks that a word reaches, the most promising first.
fn bound_blocks(corpus: &Corpus, scorer: &PassageScorer<'_>) -> Vec<BlockBound> {
    let mut words = vec![0.0_f32; corpus.of.len().div_ceil(BLOCK)];
    for (places, most) in scorer.word_bounds() {
        each_block(places, corpus.of.len(), |block| words[block] += most);
    }
    let speaker = scorer.most_speaker_bonus();
    let bound = |(block, most): (usize, &f32)| {
        let passages = block * BLOCK..((block + 1) * BLOCK).min(corpus.of.len());
        // The reply to the last message of a block, or the rest of it, may lie in blocks behind it.
        let last = (corpus.of[passages.end - 1] + 1).min(corpus.messages.len() as u32 - 1);
        let behind = (corpus.passage_range(last).end - 1) / BLOCK;
        let replied = words[block..=behind].iter().fold(0.0, |most: f32, words| most.max(*words));
        let reply = REPLY_WEIGHT * (replied + speaker);
        BlockBound { passages, words: *most, reply, extra: speaker + reply }
    };
    let reached = words.iter().enumerate().filter(|(_, most)| **most > 0.0);
    let mut bounds: Vec<BlockBound> = reached.map(bound).collect();
    // A stable sort: among equals the order of passages, in which memory is read ahead.
    bounds.sort_by(|a, b| b.most_score().total_cmp(&a.most_score()));
    bounds
}

/// Hands every block of `all` passages that a word reaches to `visit`, once.
fn each_block(places: &PostingLayout, all: usize, mut visit: impl FnMut(usize)) {
    let reached = |passage: usize| {
        let last = (passage + NEIGHBOUR_REACH).min(all - 1);
        passage.saturating_sub(NEIGHBOUR_REACH) / BLOCK..=last / BLOCK
    };
    let mut next = 0;
    match places {
        PostingLayout::Few(held) => {
            for (passage, _) in held {
                let (first, last) = reached(*passage as usize).into_inner();
                (first.max(next)..=last).for_each(&mut visit);
                next = next.max(last + 1);
            }
        }
        PostingLayout::Many { counts, .. } => {
            for block in 0..all.div_ceil(BLOCK) {
                let from = (block * BLOCK).saturating_sub(NEIGHBOUR_REACH);
                let to = ((block + 1) * BLOCK + NEIGHBOUR_REACH).min(all);
                if counts[from..to].iter().any(|count| *count > 0) {
                    visit(block);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexical::find_words;
    use super::super::question::RecallQuestion;
    use super::super::reached_messages::count_matches;
    use super::super::scope::{CorpusScope, ScopeFilter};
    use super::super::score::tests::{WORDS, corpus};
    use super::*;
    use proptest::prelude::*;

    /// The same by scoring every message.
    fn score_all(
        corpus: &Corpus,
        scorer: &PassageScorer<'_>,
        wants: impl Fn(u32) -> bool,
        most: usize,
    ) -> Vec<MessageMatch> {
        let mut all = Vec::new();
        scorer.each_match(|found| all.push(scorer.complete_match(found.best_passage())));
        let shares: Vec<f32> = all
            .iter()
            .map(|found| {
                let reply = corpus.reply_to(found.message);
                all.iter().find(|other| Some(other.message) == reply).map_or(0.0, MessageMatch::reply_share)
            })
            .collect();
        all.iter_mut().zip(shares).for_each(|(found, share)| found.reply = share);
        all.retain(|found| wants(found.message));
        all.sort_by(|a, b| b.score().total_cmp(&a.score()).then(a.message.cmp(&b.message)));
        all.truncate(most);
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Passing over blocks changes neither which messages are best, nor their points, nor their order, nor how many
        /// match.
        #[test]
        fn what_is_passed_over_is_not_among_the_best(
            lengths in proptest::collection::vec(1..900_usize, 1..5),
            seed in any::<u64>(),
            words in proptest::sample::subsequence(&WORDS, 1..=5),
            named in any::<bool>(),
            most in 1..40_usize,
            every in 1..4_u32,
        ) {
            let corpus = corpus(&lengths, seed);
            let place = if lengths.len() > 2 { ScopeFilter::Conversation(corpus.talks[1].id.clone()) } else { ScopeFilter::Everywhere };
            let scope = CorpusScope::new(&corpus, &place);
            let name = if named { "Ann " } else { "" };
            let question = RecallQuestion::new(&format!("{name}{}", words.join(" ")), &corpus, &scope);
            let found = find_words(&corpus, &scope, &question, &[]).expect("nothing is damaged");
            let scorer = PassageScorer::new(&corpus, &scope, &question, &found);
            let wants = |message: u32| message.is_multiple_of(every);
            let wanted = score_all(&corpus, &scorer, wants, most);
            prop_assert_eq!(find_best_matches(&corpus, &scorer, wants, most), wanted);
            let matched = score_all(&corpus, &scorer, wants, usize::MAX).len();
            prop_assert_eq!(count_matches(&corpus, &found, Some(&wants)), matched);
            let all = score_all(&corpus, &scorer, |message| corpus.has_words(message), usize::MAX).len();
            prop_assert_eq!(count_matches(&corpus, &found, None::<&fn(u32) -> bool>), all);
        }
    }
}
