//! Updates the stored facts of a conversation: loads the checkpoint, extracts facts from the messages since then, and
//! writes the changed ones. Also re-extracts all facts, and reads the current facts without writing.

use super::{FactExtractor, RULES};
use crate::base::Result;
use crate::memory::MemoryContext;
use crate::memory::active_context::each_message;
use model::{ConversationId, Fact, FactId, SeqRange};
use std::collections::HashMap;
use store::{FactsRead, NewFacts};

/// Takes the facts of messages that came since they were last taken, and keeps them. Where another process
/// does the same at this moment, its write counts and ours is dropped.
pub(crate) async fn update_facts(memory: &MemoryContext, conversation: &ConversationId) -> Result<()> {
    keep_facts(memory, take_facts(memory, conversation).await?.1).await
}

/// The same, and gives all facts as of the last message.
pub(crate) async fn refresh_facts(memory: &MemoryContext, conversation: &ConversationId) -> Result<Vec<Fact>> {
    let (current, new) = take_facts(memory, conversation).await?;
    // Stored facts spare the next question the work; where the store cannot be written, these are true all the same.
    let _ = keep_facts(memory, new).await;
    Ok(current)
}

/// The facts as of the last message, and what of them is to be kept, if anything.
async fn take_facts(memory: &MemoryContext, conversation: &ConversationId) -> Result<(Vec<Fact>, Option<NewFacts>)> {
    let start = FactCheckpoint::load(memory, conversation).await?;
    let extractor = start.load_facts(memory, start.end).await?;
    // Only up to the first call without a result: its message would be counted twice when the result comes.
    let final_to = extractor.final_to();
    let current = extractor.into_facts();
    if final_to == start.from && start.before.rules == RULES {
        return Ok((current, None));
    }
    // Read again where the first pass had to go on behind the place to stop at.
    let shorter =
        if final_to == start.end { None } else { Some(start.load_facts(memory, final_to).await?.into_facts()) };
    let known: HashMap<&FactId, &Fact> = start.known.iter().map(|fact| (&fact.id, fact)).collect();
    // Most facts of a long conversation stay the same, and only changed rows are written.
    let is_changed = |fact: &&Fact| known.get(&fact.id) != Some(fact);
    let facts = shorter.as_ref().unwrap_or(&current).iter().filter(is_changed).cloned().collect();
    let read = FactsRead { to: final_to, rules: RULES };
    let new = NewFacts { conversation: conversation.clone(), expected: start.before, read, facts };
    Ok((current, Some(new)))
}

async fn keep_facts(memory: &MemoryContext, new: Option<NewFacts>) -> Result<()> {
    let Some(new) = new else { return Ok(()) };
    match memory.store.write_facts(new).await {
        // Extraction is deterministic: another process has written the same facts from the same messages.
        Ok(()) | Err(store::Error::Conflict { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Takes the facts of a conversation from its messages again, whatever was kept.
pub(crate) async fn reextract_facts(memory: &MemoryContext, conversation: &ConversationId) -> Result<()> {
    let expected = memory.store.active_context(conversation).await?.facts;
    // A number that no version has: a crash before the next line leaves facts that the next update extracts again.
    let read = FactsRead { to: 0, rules: !RULES };
    let new = NewFacts { conversation: conversation.clone(), expected, read, facts: Vec::new() };
    memory.store.write_facts(new).await?;
    memory.stated.forget(conversation);
    update_facts(memory, conversation).await
}

/// The facts of a conversation as of its last message; nothing is kept.
pub(crate) async fn current_facts(memory: &MemoryContext, conversation: &ConversationId) -> Result<Vec<Fact>> {
    let start = FactCheckpoint::load(memory, conversation).await?;
    Ok(start.load_facts(memory, start.end).await?.into_facts())
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
    async fn load(memory: &MemoryContext, conversation: &ConversationId) -> Result<Self> {
        let before = memory.store.active_context(conversation).await?.facts;
        let ours = before.rules == RULES;
        let known = if ours { memory.store.facts_of(conversation).await? } else { Vec::new() };
        let from = if ours { before.to } else { 0 };
        let end = memory.store.load_conversation(conversation).await?.map_or(0, |conversation| conversation.messages);
        Ok(Self { conversation: conversation.clone(), before, known, from, end })
    }

    /// The facts up to and with a message.
    async fn load_facts(&self, memory: &MemoryContext, to: u64) -> Result<FactExtractor> {
        let mut facts = FactExtractor::resume(self.conversation.clone(), self.known.clone(), self.from);
        let range = SeqRange { first: self.from + 1, last: to };
        each_message(memory, &self.conversation, range, |message| facts.add_message(&message)).await?;
        Ok(facts)
    }
}
