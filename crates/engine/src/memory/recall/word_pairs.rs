//! Adds points where words that stand together in a question stand together in a message, too: `support group` is more
//! than `support` and `group`.
//!
//! Postings hold no positions, so the words of a passage are read: of the first messages by words, and of these only
//! those whose best passage holds both words.

use super::corpus::Corpus;
use super::lexical::WordPostings;
use super::question::{MAX_PAIR_DISTANCE, RecallQuestion, WordPair};
use super::results::{LoadedMessages, passage_bytes};
use super::scope::CorpusScope;
use super::score::MessageMatch;
use super::searchable_text::own_stretch;
use super::words::each_word;
use crate::base::Result;
use crate::memory::MemoryContext;
use std::collections::HashMap;

/// The points of a pair are this share of its rarity.
const PAIR_WEIGHT: f32 = 0.8;
/// How many messages are looked at: more found nothing more.
const MAX_READ_MESSAGES: usize = 30;

/// Adds the points of pairs to the first of `best`, which are ordered.
pub(super) async fn add_pair_points(
    memory: &MemoryContext,
    corpus: &Corpus,
    scope: &CorpusScope,
    question: &RecallQuestion,
    found: &WordPostings,
    best: &mut [MessageMatch],
) -> Result<()> {
    let most = best.len().min(MAX_READ_MESSAGES);
    let first = &mut best[..most];
    let holds_both = |matched: &MessageMatch, (one, other): WordPair| {
        [one, other].iter().all(|word| found[*word].count_in(matched.passage) > 0)
    };
    let held: Vec<Vec<WordPair>> = first
        .iter()
        .map(|matched| question.pairs.iter().copied().filter(|pair| holds_both(matched, *pair)).collect())
        .collect();
    let mut read = LoadedMessages::default();
    let holding = first.iter().zip(&held).filter(|(_, pairs)| !pairs.is_empty());
    read.load_missing(memory, corpus, holding.map(|(matched, _)| matched.message)).await?;
    // By pair, the messages in which it stands together.
    let mut together: HashMap<WordPair, Vec<usize>> = HashMap::new();
    for (place, (matched, pairs)) in first.iter().zip(&held).enumerate().filter(|(_, (_, pairs))| !pairs.is_empty()) {
        // A damaged message keeps the points of its words; showing it tells of the damage.
        let Some(message) = read.message(matched.message) else { continue };
        let content = message.body.content();
        let passage = matched.passage as usize - corpus.passage_range(matched.message).start;
        let terms = list_terms(&content[own_stretch(&content, passage_bytes(&message, &content, passage, 0))]);
        let term = |word: usize| question.words[word].term.as_str();
        for pair in pairs.iter().filter(|(one, other)| stand_together(&terms, term(*one), term(*other))) {
            together.entry(*pair).or_default().push(place);
        }
    }
    // In the order of the question: the sum of a message must not depend on the order of a map.
    for pair in &question.pairs {
        let Some(places) = together.get(pair) else { continue };
        let weight = question.words[pair.0].weight.min(question.words[pair.1].weight);
        let points = PAIR_WEIGHT * weight * search::idf(scope.passages as usize, places.len());
        places.iter().for_each(|place| first[*place].words += points);
    }
    Ok(())
}

fn list_terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    each_word(text, |_, term| terms.push(term.to_owned()));
    terms
}

/// Whether two terms stand near each other somewhere, in either order.
fn stand_together(terms: &[String], one: &str, other: &str) -> bool {
    let places = |wanted: &str| -> Vec<usize> {
        terms.iter().enumerate().filter(|(_, term)| **term == *wanted).map(|(place, _)| place).collect()
    };
    let others = places(other);
    places(one).iter().any(|one| others.iter().any(|other| one.abs_diff(*other) <= MAX_PAIR_DISTANCE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_stand_together_in_either_order_and_across_one_word() {
        let check = |text: &str, wanted: bool| {
            assert_eq!(stand_together(&list_terms(text), "support", "group"), wanted, "{text}");
        };
        check("She leads a support group.", true);
        check("the group of supporters", true);
        check("They support their small group", false);
        check("support, support; nobody in that old group", false);
        check("groups", false);
    }
}
