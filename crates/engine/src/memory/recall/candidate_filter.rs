//! Prefilters the messages of an exact word search (`grep`) with the postings of the recall index: only messages that
//! can contain all words are read.
//!
//! The index keeps stems, so a message may hold the stem and not the word. The other way round it is certain: where all
//! words of a message are words of its passages, it holds no word whose stem these lack.

use super::corpus::Corpus;
use super::lexical::find_terms;
use super::refresh;
use super::scope::{CorpusScope, ScopeFilter};
use crate::base::Result;
use crate::base::run_blocking;
use crate::memory::MemoryContext;
use model::ConversationId;
use store::MessageFilter;

/// Where more than one message in so many is a candidate, reading all messages in order is quicker than reading these
/// one by one.
const CANDIDATE_SHARE_DIVISOR: usize = 8;

/// The messages that can hold all of some terms; `None` where that is unknown, or where the filter would not pay. Only
/// a corpus that is in memory is used: nothing is built for it.
pub(in super::super) async fn build_message_filter(
    memory: &MemoryContext,
    conversation: Option<&ConversationId>,
    terms: &[String],
) -> Result<Option<MessageFilter>> {
    // An incomplete corpus lacks messages behind a damaged one, and `grep` must look through those as well.
    let Some(corpus) = refresh::last_corpus(memory).await.filter(|corpus| corpus.is_complete && !terms.is_empty())
    else {
        return Ok(None);
    };
    let stems: Vec<String> = terms.iter().map(|term| stem_term(term)).collect();
    let asked = memory.store.passage_postings(&stems).await?;
    // Another process merged segments since: postings of unknown segments would be missing, and a missing posting here
    // means a message that `grep` silently skips.
    if !corpus.has_segments(&asked.all) {
        return Ok(None);
    }
    let choose = move |corpus: &Corpus, scope: &CorpusScope| {
        let mut can: Vec<bool> = corpus.messages.iter().map(|entry| scope.contains_conversation(entry.talk)).collect();
        for places in find_terms(corpus, scope, &stems, &asked.postings)? {
            // A message that is not wholly indexed (our own tool's output is blanked) may hold any word, so it always
            // stays.
            let mut held: Vec<bool> = corpus.messages.iter().map(|entry| !entry.whole).collect();
            places.each_passage(|passage| held[corpus.of[passage as usize] as usize] = true);
            can.iter_mut().zip(held).for_each(|(can, held)| *can &= held);
        }
        let chosen: Vec<u32> = (0..).zip(can).filter(|(_, can)| *can).map(|(message, _)| message).collect();
        let is_worth = chosen.len() <= scope.message_count(corpus) / CANDIDATE_SHARE_DIVISOR;
        Ok(is_worth.then(|| MessageFilter {
            places: chosen.into_iter().map(|message| corpus.message_place(message)).collect(),
            // The caller reads messages that are newer than this without the filter.
            version: corpus.version,
        }))
    };
    let place = conversation.map_or(ScopeFilter::Everywhere, |id| ScopeFilter::Conversation(id.clone()));
    run_blocking("looking up words", move || choose(&corpus, &CorpusScope::new(&corpus, &place))).await?
}

fn stem_term(term: &str) -> String {
    let mut kept = String::new();
    search::StemRules::English.stem_word(term, &mut kept);
    kept
}
