//! Facts kept in the store, and brought up to date.

use super::{FactExtractor, RULES};
use crate::Engine;
use crate::base::Result;
use crate::memory::active_context::each_message;
use model::{ConversationId, Fact, FactId, SeqRange};
use std::collections::HashMap;
use store::{FactsRead, NewFacts};

/// Takes the facts of messages that came since they were last taken, and keeps them. Where another process
/// does the same at this moment, its write counts and ours is dropped.
pub(crate) async fn update_facts(engine: &Engine, conversation: &ConversationId) -> Result<()> {
    let start = FactCheckpoint::load(engine, conversation).await?;
    // Only up to the first call without a result: its message would be counted twice when the result comes.
    let settled = start.load_facts(engine, start.end).await?.settled_to();
    if settled == start.from && start.before.rules == RULES {
        return Ok(());
    }
    // Read twice: the first pass finds where to stop, the second extracts up to there.
    let facts = start.load_facts(engine, settled).await?.into_facts();
    let known: HashMap<&FactId, &Fact> = start.known.iter().map(|fact| (&fact.id, fact)).collect();
    // Most facts of a long conversation stay the same, and only changed rows are written.
    let changed = facts.into_iter().filter(|fact| known.get(&fact.id) != Some(&fact)).collect();
    let (expected, read) = (start.before, FactsRead { to: settled, rules: RULES });
    let new = NewFacts { conversation: conversation.clone(), expected, read, facts: changed };
    match engine.store.write_facts(new).await {
        // Extraction is deterministic: another process has written the same facts from the same messages.
        Ok(()) | Err(store::Error::Conflict { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Takes the facts of a conversation from its messages again, whatever was kept.
pub(crate) async fn reextract_facts(engine: &Engine, conversation: &ConversationId) -> Result<()> {
    let expected = engine.store.active_context(conversation).await?.facts;
    // A number that no version has: a crash before the next line leaves facts that the next update extracts again.
    let read = FactsRead { to: 0, rules: !RULES };
    let new = NewFacts { conversation: conversation.clone(), expected, read, facts: Vec::new() };
    engine.store.write_facts(new).await?;
    update_facts(engine, conversation).await
}

/// The facts of a conversation as of its last message; nothing is kept.
pub(crate) async fn current_facts(engine: &Engine, conversation: &ConversationId) -> Result<Vec<Fact>> {
    let start = FactCheckpoint::load(engine, conversation).await?;
    Ok(start.load_facts(engine, start.end).await?.into_facts())
}

/// Where taking goes on.
struct FactCheckpoint {
    conversation: ConversationId,
    before: FactsRead,
    known: Vec<Fact>,
    from: u64,
    end: u64,
}

impl FactCheckpoint {
    async fn load(engine: &Engine, conversation: &ConversationId) -> Result<Self> {
        let before = engine.store.active_context(conversation).await?.facts;
        let ours = before.rules == RULES;
        let known = if ours { engine.store.facts_of(conversation).await? } else { Vec::new() };
        let from = if ours { before.to } else { 0 };
        let end = engine.store.load_conversation(conversation).await?.map_or(0, |conversation| conversation.messages);
        Ok(Self { conversation: conversation.clone(), before, known, from, end })
    }

    /// The facts up to and with a message.
    async fn load_facts(&self, engine: &Engine, to: u64) -> Result<FactExtractor> {
        let mut facts = FactExtractor::resume(self.conversation.clone(), self.known.clone(), self.from);
        let range = SeqRange { first: self.from + 1, last: to };
        each_message(engine, &self.conversation, range, |message| facts.add_message(&message)).await?;
        Ok(facts)
    }
}
