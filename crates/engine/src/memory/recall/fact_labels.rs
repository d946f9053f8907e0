//! Labels recalled messages with the facts they state: a decision, rule or correction, with its id and whether it still
//! holds. Only questions that ask for a decision get labels, because facts of a conversation take time to read.

use super::RecalledMessage;
use super::corpus::Corpus;
use crate::base::{Error, Result};
use crate::memory::{MemoryContext, facts_of};
use model::{ConversationId, Fact, FactId, FactKind, FactState};
use std::collections::HashMap;

/// A fact that a recalled message states.
#[derive(Clone, Debug)]
pub struct RecalledFact {
    /// Its id.
    pub id: FactId,
    /// What it is about.
    pub kind: FactKind,
    /// How it stands.
    pub state: FactState,
}

impl RecalledFact {
    /// Whether it still holds.
    pub fn holds(&self) -> bool {
        self.state == FactState::Stated
    }

    /// In words.
    fn render_label(&self) -> String {
        let standing = if self.holds() {
            "which still holds"
        } else if self.state == FactState::Proposed {
            "which nobody agreed to"
        } else {
            "which no longer holds"
        };
        format!("a {} ({}), {standing}", self.kind.as_str(), self.id)
    }
}

/// The facts of the conversations of some results.
#[derive(Default)]
pub(super) struct FactLabels(HashMap<ConversationId, Vec<Fact>>);

/// Conversations whose facts are read for one answer.
const MAX_LABELED_CONVERSATIONS: usize = 6;

/// Messages of a conversation that are read for facts that no fold has extracted yet.
const MAX_UNREAD_MESSAGES: u64 = 2_000;

impl FactLabels {
    /// Adds to a result the fact that its shown text states.
    pub(super) async fn label_result(
        &mut self,
        memory: &MemoryContext,
        corpus: &Corpus,
        result: &mut RecalledMessage,
    ) -> Result<()> {
        let facts = self.load_facts(memory, corpus, &result.message.conversation).await?;
        let is_source = |fact: &&Fact| {
            matches!(fact.kind, FactKind::Decision | FactKind::Rule | FactKind::Correction)
                && fact.sources.contains(&result.message.id)
        };
        // The one whose words are shown; of several the first, as the message has them.
        let stated = facts.iter().filter(is_source).max_by_key(|fact| {
            (result.text.contains(fact.subject.as_str()), fact.state == FactState::Stated, std::cmp::Reverse(&fact.id))
        });
        if let Some(fact) = stated {
            let fact = RecalledFact { id: fact.id.clone(), kind: fact.kind, state: fact.state };
            result.why = format!("{}; {}", result.why, fact.render_label());
            result.fact = Some(fact);
        }
        Ok(())
    }

    async fn load_facts(
        &mut self,
        memory: &MemoryContext,
        corpus: &Corpus,
        conversation: &ConversationId,
    ) -> Result<&[Fact]> {
        if !self.0.contains_key(conversation) {
            if self.0.len() == MAX_LABELED_CONVERSATIONS {
                return Ok(&[]);
            }
            let read_to = memory.store.active_context(conversation).await?.facts.to;
            let unread = corpus.message_count(conversation).saturating_sub(read_to);
            let facts = if unread > MAX_UNREAD_MESSAGES {
                Vec::new()
            } else {
                match facts_of(memory, conversation).await {
                    // A label is an extra: a damaged message elsewhere in the conversation takes nothing from the
                    // result.
                    Err(Error::Store(error)) if error.is_damage() => Vec::new(),
                    facts => facts?,
                }
            };
            self.0.insert(conversation.clone(), facts);
        }
        Ok(self.0.get(conversation).map_or(&[], Vec::as_slice))
    }
}
