//! Which messages can hold words, for a search for exactly these words: passages know less of words than messages say,
//! but enough to rule messages out.
//!
//! Words are kept as stems, so a message may hold the stem and not the word. The other way round it is certain: where all
//! words of a message are words of its passages, it holds no word whose stem these lack.

use super::corpus::Corpus;
use super::lexical::find_terms;
use super::refresh;
use super::scope::{CorpusScope, ScopeFilter};
use crate::Engine;
use crate::base::Result;
use crate::base::run_blocking;
use model::ConversationId;
use store::MessageFilter;

/// Where so many of the messages would be looked at one by one, it is quicker to look through all of them.
const SHARE: usize = 8;

/// The messages that can hold all of some terms, unless nothing is known of that, or they are too many to be worth it.
/// What was laid out before is asked, and nothing is read or made for it.
pub(in super::super) async fn build_message_filter(
    engine: &Engine,
    conversation: Option<&ConversationId>,
    terms: &[String],
) -> Result<Option<MessageFilter>> {
    let Some(corpus) = refresh::last_corpus(engine).await.filter(|corpus| corpus.is_complete && !terms.is_empty())
    else {
        return Ok(None);
    };
    let stems: Vec<String> = terms.iter().map(|term| stem_term(term)).collect();
    let asked = engine.store.passage_postings(&stems).await?;
    if !corpus.has_segments(&asked.all) {
        return Ok(None);
    }
    let choose = move |corpus: &Corpus, scope: &CorpusScope| {
        let mut can: Vec<bool> = corpus.messages.iter().map(|entry| scope.contains_conversation(entry.talk)).collect();
        for places in find_terms(corpus, scope, &stems, &asked.postings)? {
            let mut held: Vec<bool> = corpus.messages.iter().map(|entry| !entry.whole).collect();
            places.each_passage(|passage| held[corpus.of[passage as usize] as usize] = true);
            can.iter_mut().zip(held).for_each(|(can, held)| *can &= held);
        }
        let chosen: Vec<u32> = (0..).zip(can).filter(|(_, can)| *can).map(|(message, _)| message).collect();
        let is_worth = chosen.len() <= scope.message_count(corpus) / SHARE;
        Ok(is_worth.then(|| MessageFilter {
            places: chosen.into_iter().map(|message| corpus.message_place(message)).collect(),
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
