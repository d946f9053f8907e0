//! Compares the facts of a conversation with the summary that an agent wrote at its own compaction, and lists the facts
//! that the summary lost, to be injected again.
//!
//! Pure. A fact counts as kept when the summary has most of its words; for a file its name is enough. In doubt a fact
//! is lost: telling it again costs a line, losing it costs the work.

use crate::memory::fact::{FactTelling, without_label};
use model::{Fact, FactKind};
use std::cmp::Reverse;

/// What a summary kept of the facts, and what it lost.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SummaryComparison {
    pub(super) kept: usize,
    /// In the order in which they matter.
    pub(super) lost: Vec<String>,
}

/// Facts that must survive a compaction, the most important first. Commands and files that were only read can be found
/// again.
const KINDS: [(FactKind, &str); 5] = [
    (FactKind::Rule, "rule of the user"),
    (FactKind::Decision, "decided"),
    (FactKind::Todo, "to do"),
    (FactKind::Test, "test"),
    (FactKind::Failure, "failing"),
];
/// Words that a fact and a summary must share: three of five.
const MIN_SHARED_RATIO: (usize, usize) = (3, 5);
/// Shorter words are in every text.
const MIN_WORD_CHARS: usize = 4;

/// Compares a summary with the facts of its conversation. Without a summary, everything counts as lost.
pub(super) fn compare_facts(summary: Option<&str>, facts: &[Fact]) -> SummaryComparison {
    let summary = summary.unwrap_or_default().to_lowercase();
    let mut compared = SummaryComparison::default();
    // Only what would be told to an agent counts as lost: a rule that was taken back is no loss.
    let telling = FactTelling::of_conversation(facts);
    for (kind, word) in KINDS {
        let mut of: Vec<&Fact> = facts.iter().filter(|fact| fact.kind == kind && telling.is_told(fact)).collect();
        // The newest first, because the list is cut where the budget ends.
        of.sort_by_cached_key(|fact| (Reverse(fact.last_seq), fact.id.clone()));
        for fact in of {
            if mentions_subject(&summary, &fact.subject) {
                compared.kept += 1;
            } else {
                compared.lost.push(format!("{word}: {}", without_label(kind, &fact.subject)));
            }
        }
    }
    compared
}

fn mentions_subject(summary: &str, subject: &str) -> bool {
    let subject = subject.to_lowercase();
    let words: Vec<&str> =
        subject.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() >= MIN_WORD_CHARS).collect();
    // A share of the words and not all of them: a summary says the same in other forms.
    let found = words.iter().filter(|word| summary.contains(**word)).count();
    // A subject without a long word, such as `ls -l`, has to stand in the summary as it is.
    if words.is_empty() {
        summary.contains(subject.trim())
    } else {
        found * MIN_SHARED_RATIO.1 >= words.len() * MIN_SHARED_RATIO.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{ContentHash, ConversationId, FactState};

    fn fact(kind: FactKind, state: FactState, subject: &str) -> Fact {
        let conversation = ConversationId::from_hash(ContentHash::hash_bytes(b"c"));
        Fact {
            id: Fact::id_of(&conversation, kind, subject),
            conversation,
            kind,
            subject: subject.to_owned(),
            state,
            exit_code: None,
            seen_with: None,
            ended_by: None,
            times: 1,
            first_seq: 1,
            last_seq: 2,
            sources: Vec::new(),
        }
    }

    #[test]
    fn what_a_summary_does_not_say_is_lost() {
        let facts = [
            fact(FactKind::Todo, FactState::Open, "write the migration for the ledger"),
            fact(FactKind::Rule, FactState::Stated, "never push to the main branch without asking"),
            fact(FactKind::Rule, FactState::Stated, "always use tabs"),
        ];
        let compared = compare_facts(Some("The user never wants a push to the main branch without asking."), &facts);
        assert_eq!(compared.kept, 1);
        assert_eq!(compared.lost, ["rule of the user: always use tabs", "to do: write the migration for the ledger"]);
        assert_eq!(compare_facts(None, &facts).lost.len(), 3);
    }

    #[test]
    fn a_fact_does_not_say_twice_what_it_is() {
        let facts = [
            fact(FactKind::Rule, FactState::Stated, "Rule: always run the linter"),
            fact(FactKind::Decision, FactState::Stated, "We decided that discounts are rounded down."),
        ];
        let expected = ["rule of the user: always run the linter", "decided: discounts are rounded down."];
        assert_eq!(compare_facts(None, &facts).lost, expected);
    }
}
