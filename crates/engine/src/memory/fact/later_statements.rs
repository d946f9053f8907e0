//! Finds which later statement ends an earlier one without comparing every pair: later statements are kept by the words
//! with which they can end something.
//!
//! A store has thousands of statements, and comparing two of them reads both sentences: all pairs took minutes.

use super::retraction::{
    RuleWords, chosen_words, is_retraction, may_be_refused, refused_words, rejected_words, retracts_rule,
};
use std::collections::{BTreeSet, HashMap};

/// Statements, each with a place that grows from the newest to the oldest.
#[derive(Default)]
pub(crate) struct LaterStatements {
    /// Decisions by each word that they reject.
    replacing: HashMap<String, Vec<usize>>,
    /// Orders not to do something, by one of their words, with all of them.
    refusing: HashMap<String, Vec<(usize, BTreeSet<String>)>>,
    /// Rules by what they are about, with whether they forbid it.
    ordering: HashMap<BTreeSet<String>, Vec<(usize, bool)>>,
    /// Sentences that take a rule back. There are few of them, and which rule is meant is a matter of degree.
    retracting: Vec<(usize, String)>,
}

impl LaterStatements {
    /// Adds a decision that holds.
    pub(crate) fn add_decision(&mut self, place: usize, sentence: &str) {
        for word in rejected_words(sentence) {
            self.replacing.entry(word).or_default().push(place);
        }
    }

    /// Adds what may be an order not to do something.
    pub(crate) fn add_order(&mut self, place: usize, sentence: &str) {
        if let Some(words) = refused_words(sentence)
            && let Some(first) = words.first().cloned()
        {
            self.refusing.entry(first).or_default().push((place, words));
        }
    }

    /// Adds a rule that holds.
    pub(crate) fn add_rule(&mut self, place: usize, sentence: &str) {
        let RuleWords { words, forbids } = RuleWords::read(sentence);
        self.ordering.entry(words).or_default().push((place, forbids));
    }

    /// Adds what may take a rule back.
    pub(crate) fn add_retraction(&mut self, place: usize, sentence: &str) {
        if is_retraction(sentence) {
            self.retracting.push((place, sentence.to_owned()));
        }
    }

    /// The newest decision that came in the place of one, among those that are accepted.
    pub(crate) fn find_replacing(&self, decision: &str, accepts: impl Fn(usize) -> bool) -> Option<usize> {
        let chosen = chosen_words(decision);
        let first = |word| self.replacing.get(word)?.iter().copied().find(|place| accepts(*place));
        chosen.iter().filter_map(first).min()
    }

    /// The newest order not to do what was decided.
    pub(crate) fn find_refusing(&self, decision: &str) -> Option<usize> {
        if !may_be_refused(decision) {
            return None;
        }
        let chosen = chosen_words(decision);
        let first = |word| {
            let orders = self.refusing.get(word)?;
            orders.iter().find(|(_, words)| words.is_subset(&chosen)).map(|(place, _)| *place)
        };
        chosen.iter().filter_map(first).min()
    }

    /// Whether a rule was taken back, or the opposite ordered, by a statement that is accepted.
    pub(crate) fn ends_rule(&self, rule: &str, accepts: impl Fn(usize) -> bool) -> bool {
        let RuleWords { words, forbids } = RuleWords::read(rule);
        let opposite = |(place, other): &(usize, bool)| *other != forbids && accepts(*place);
        (!words.is_empty() && self.ordering.get(&words).is_some_and(|same| same.iter().any(opposite)))
            || self.retracting.iter().any(|(place, sentence)| accepts(*place) && retracts_rule(sentence, rule))
    }
}

#[cfg(test)]
mod tests {
    use super::super::retraction::{contradicts, rejects_decision, replaces_decision};
    use super::*;
    use proptest::prelude::*;

    const CHOICES: &[&str] = &["Redis", "SQLite", "tabs", "spaces", "the cache", "a queue"];
    const FORMS: &[&str] = &[
        "We'll use $a for $b.",
        "Let's go with $a instead of $b.",
        "We decided to switch from $a to $b.",
        "No, do not use $a.",
        "Please don't use $a for $b!",
        "Never use $a.",
        "Always use $a.",
        "You can use $a again.",
        "We no longer use $a.",
        "We decided not to use $a.",
    ];

    fn sentences() -> impl Strategy<Value = Vec<String>> {
        let sentence = (0..FORMS.len(), 0..CHOICES.len(), 0..CHOICES.len());
        let write =
            |(form, a, b): (usize, usize, usize)| FORMS[form].replace("$a", CHOICES[a]).replace("$b", CHOICES[b]);
        prop::collection::vec(sentence.prop_map(write), 1..14)
    }

    proptest! {
        #[test]
        fn it_finds_what_comparing_every_pair_finds(said in sentences(), own in 0_usize..14) {
            let mut later = LaterStatements::default();
            for (place, sentence) in said.iter().enumerate() {
                later.add_decision(place, sentence);
                later.add_order(place, sentence);
                later.add_rule(place, sentence);
                later.add_retraction(place, sentence);
            }
            let other = |place: usize| place != own;
            for old in &said {
                let first = |fits: &dyn Fn(usize, &str) -> bool| {
                    said.iter().enumerate().position(|(place, new)| fits(place, new))
                };
                prop_assert_eq!(
                    later.find_replacing(old, other),
                    first(&|place, new| other(place) && replaces_decision(new, old)), "{}", old
                );
                prop_assert_eq!(later.find_refusing(old), first(&|_, new| rejects_decision(new, old)), "{}", old);
                prop_assert_eq!(
                    later.ends_rule(old, other),
                    said.iter().enumerate()
                        .any(|(place, new)| other(place) && (contradicts(new, old) || retracts_rule(new, old))), "{}", old
                );
            }
        }
    }
}
