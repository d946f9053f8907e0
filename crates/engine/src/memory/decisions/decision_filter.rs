//! Which decisions fit a request, and how well: by words, time, status, and the files or symbols they name.

use super::{Decision, DecisionRequest, DecisionStatus};
use crate::memory::recall::{WordPurpose, word_purpose};
use model::Timestamp;
use model::terms::each_term;
use search::StemRules;
use std::collections::BTreeSet;

pub(super) struct DecisionFilter {
    /// The stems of the words that are asked about.
    words: BTreeSet<String>,
    since: Option<Timestamp>,
    entity: Option<String>,
    status: Option<DecisionStatus>,
}

impl DecisionFilter {
    pub(super) fn new(request: &DecisionRequest) -> Self {
        Self {
            words: request.about.as_deref().map(|about| stems(about, true)).unwrap_or_default(),
            since: request.since,
            entity: request.entity.as_ref().map(|entity| entity.trim().to_lowercase()).filter(|it| !it.is_empty()),
            status: request.status,
        }
    }

    /// Whether a sentence that was said then is one of those asked for.
    pub(super) fn fits_statement(&self, sentence: &str, said: Timestamp) -> bool {
        let is_about = self.words.is_empty() || !self.words.is_disjoint(&stems(sentence, false));
        is_about && self.since.is_none_or(|since| said >= since)
    }

    /// How many of the words a decision holds; none where it is not one of those asked for.
    pub(super) fn score(&self, decision: &Decision) -> Option<u32> {
        let fits = self.status.is_none_or(|status| decision.status == status)
            // A decision without a time is not known to be that new, so a bound leaves it out.
            && self.since.is_none_or(|since| decision.at.is_some_and(|at| at >= since))
            && self.entity.as_ref().is_none_or(|entity| names_entity(decision, entity));
        if !fits {
            return None;
        }
        let held = self.words.intersection(&stems(&decision.decision, false)).count() as u32;
        // One word is enough to be listed. How many are held decides the order, so that the best stands first.
        (self.words.is_empty() || held > 0).then_some(held)
    }
}

/// Whether a decision names a file or a symbol: by its whole name, by its last part, or as a word.
fn names_entity(decision: &Decision, entity: &str) -> bool {
    let is_same = |name: &String| {
        let name = name.to_lowercase();
        let ends =
            name.strip_suffix(entity).is_some_and(|before| before.is_empty() || before.ends_with(['/', '.', ':']));
        // `cart.rs` is meant by `cart`, and `Cart::total` by `Cart`; `cartography` is not.
        ends || name.strip_prefix(entity).is_some_and(|rest| rest.starts_with(['.', ':', '(']))
    };
    let is_word =
        |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_').eq_ignore_ascii_case(entity);
    decision.related.iter().any(is_same) || decision.decision.split_whitespace().any(is_word)
}

/// The stems of a text's words; of a question only of those that name its topic.
fn stems(text: &str, is_question: bool) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut stem = String::new();
    each_term(text, |written| {
        if !is_question || word_purpose(written) == WordPurpose::Content {
            StemRules::English.stem_word(written, &mut stem);
            found.insert(stem.clone());
        }
    });
    found
}
