//! Puts decisions of several conversations together: a newer conversation ends decisions of an older one, and a decision
//! that several conversations state is one, with the messages of all.

use super::decision_title::decision_title;
use super::{Decision, DecisionStatus};
use crate::memory::fact::{LaterStatements, read_decision};
use model::{Fact, FactId, FactKind, FactState};
use std::collections::HashMap;
use store::DatedFact;

/// Decisions so far, the newest conversation first.
#[derive(Default)]
pub(super) struct MergedDecisions {
    decisions: Vec<Decision>,
    /// Where the decision of a wording is.
    known: HashMap<String, usize>,
    /// What the user said in newer conversations, which may end decisions of older ones; places are those of `stated`.
    newer: LaterStatements,
    /// The ids of these statements.
    stated: Vec<FactId>,
}

impl MergedDecisions {
    /// Adds the statements of the next older conversation, the newest first.
    pub(super) fn add_conversation(&mut self, statements: &[DatedFact]) {
        for dated in statements.iter().filter(|dated| dated.fact.kind == FactKind::Decision) {
            self.add_decision(dated);
        }
        // After its own decisions: within one conversation the state of its facts says what ended.
        for DatedFact { fact, .. } in statements {
            let place = self.stated.len();
            match (fact.kind, fact.state) {
                (FactKind::Decision, FactState::Stated) => self.newer.add_decision(place, &fact.subject),
                (FactKind::Rule, FactState::Withdrawn | FactState::Superseded) | (FactKind::Decision, _) => {}
                _ => self.newer.add_order(place, &fact.subject),
            }
            self.stated.push(fact.id.clone());
        }
    }

    pub(super) fn finish(self) -> Vec<Decision> {
        self.decisions
    }

    fn add_decision(&mut self, DatedFact { fact, at }: &DatedFact) {
        let wording = fact.subject.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        if let Some(at) = self.known.get(&wording) {
            let known = &mut self.decisions[*at].messages;
            // Older messages come first.
            let older = fact.sources.iter().filter(|id| !known.contains(id)).cloned();
            *known = older.collect::<Vec<_>>().into_iter().chain(known.drain(..)).collect();
            return;
        }
        let (status, superseded_by) = self.status_of(fact);
        let mut parts = read_decision(&fact.subject);
        // What was not chosen is not what it is about.
        parts.related.retain(|name| !parts.alternatives.contains(name));
        self.known.insert(wording, self.decisions.len());
        self.decisions.push(Decision {
            id: fact.id.clone(),
            title: decision_title(&fact.subject),
            decision: fact.subject.clone(),
            reason: parts.reason,
            alternatives: parts.alternatives,
            related: parts.related,
            messages: fact.sources.clone(),
            conversation: fact.conversation.clone(),
            seq: fact.first_seq,
            at: *at,
            status,
            superseded_by,
        });
    }

    fn status_of(&self, fact: &Fact) -> (DecisionStatus, Option<FactId>) {
        match fact.state {
            FactState::Proposed => (DecisionStatus::Proposed, None),
            FactState::Superseded => {
                let later = fact.ended_by.as_deref().and_then(|id| FactId::parse(id).ok());
                (DecisionStatus::Superseded, later)
            }
            FactState::Stated => self.end_by_newer(fact).unwrap_or((DecisionStatus::InForce, None)),
            FactState::Withdrawn
            | FactState::Passed
            | FactState::Read
            | FactState::Edited
            | FactState::Written
            | FactState::Deleted
            | FactState::Ran
            | FactState::Succeeded
            | FactState::Failed
            | FactState::Standing
            | FactState::Ended
            | FactState::Failing
            | FactState::Passing
            | FactState::Open
            | FactState::Begun
            | FactState::Done
            | FactState::Dropped => (DecisionStatus::Withdrawn, None),
        }
    }

    /// How a newer conversation ended a decision, if one did.
    fn end_by_newer(&self, fact: &Fact) -> Option<(DecisionStatus, Option<FactId>)> {
        let replaced = self.newer.find_replacing(&fact.subject, |_| true).map(|at| (at, DecisionStatus::Superseded));
        let refused = self.newer.find_refusing(&fact.subject).map(|at| (at, DecisionStatus::Withdrawn));
        let (at, status) = replaced.into_iter().chain(refused).min_by_key(|(at, _)| *at)?;
        Some((status, self.stated.get(at).cloned()))
    }
}
