//! Reranks the first candidates of a recall by how many words of the question the summaries that cover them contain.
//!
//! A summary holds the words of a topic that one of its messages may lack, so messages under a better fitting summary
//! gain and those under a worse one lose; a message that no summary covers stays as it is. Summaries themselves are
//! never the answer.

use super::RankedAnswer;
use super::words::each_word;
use crate::base::Result;
use crate::memory::MemoryContext;
use crate::memory::damage::damage_note;
use model::Summary;
use std::collections::{BTreeSet, HashMap};

/// Candidates whose summaries are read: the boost is too small to bring one further behind to the front.
const MAX_BOOSTED_CANDIDATES: usize = 20;

/// The boost of a summary with all the words, compared with one with none.
const SUMMARY_WEIGHT: f32 = 0.3;

/// Weighs the first candidates of an answer by their summaries.
pub(super) async fn boost_by_summaries(memory: &MemoryContext, answer: &mut RankedAnswer) -> Result<()> {
    let mass: f32 = answer.rarities.iter().sum();
    // One row tells whether anything was ever folded: a store without summaries is spared the reads below.
    if mass <= 0.0 || memory.store.scan_summaries(None, None, 1).await?.is_empty() {
        return Ok(());
    }
    let mut read: Vec<(Summary, f32)> = Vec::new();
    let mut shares: Vec<Option<f32>> = Vec::new();
    let mut damaged = BTreeSet::new();
    for ranked in answer.ranked.iter().take(MAX_BOOSTED_CANDIDATES) {
        let (conversation, seq) = answer.corpus.message_place(ranked.matched.message);
        let stands_for =
            |gist: &Summary| gist.conversation == conversation && (gist.range.first..=gist.range.last).contains(&seq);
        // Neighbouring results share a summary, which is read once.
        if !read.iter().any(|(gist, _)| stands_for(gist)) {
            let gists = match memory.store.summaries_at(&conversation, seq).await {
                // Summaries only lend weight: messages are found without them.
                Err(error) if error.is_damage() => {
                    damaged.insert(damage_note(&error));
                    Vec::new()
                }
                gists => gists?,
            };
            let weighed = |gist: Summary| {
                let share = answer.held_weight(&gist.content) / mass;
                (gist, share)
            };
            read.extend(gists.into_iter().next().map(weighed));
        }
        shares.push(read.iter().find(|(gist, _)| stands_for(gist)).map(|(_, share)| *share));
    }
    let known: Vec<f32> = shares.iter().flatten().copied().collect();
    // Against the mean of the others: every summary of a topic holds some of its words, and only the difference tells.
    let mean = known.iter().sum::<f32>() / (known.len() as f32).max(1.0);
    for (ranked, share) in answer.ranked.iter_mut().zip(shares) {
        ranked.summary = share.map_or(0.0, |share| SUMMARY_WEIGHT * (share - mean));
    }
    answer.degraded.extend(damaged);
    answer.ranked.sort_by(|a, b| b.score().total_cmp(&a.score()));
    Ok(())
}

impl RankedAnswer {
    /// The weight of the question's words that a text holds.
    fn held_weight(&self, text: &str) -> f32 {
        let mut wanted: HashMap<&str, f32> =
            self.question.words.iter().zip(&self.rarities).map(|(word, rarity)| (&*word.term, *rarity)).collect();
        let mut held = 0.0;
        each_word(text, |_, term| held += wanted.remove(term).unwrap_or_default());
        held
    }
}
