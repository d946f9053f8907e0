//! Updates the stored facts of a conversation: loads the checkpoint, extracts facts from the messages since then, and
//! writes the changed ones. Also re-extracts all facts, and reads the current facts without writing.
//!
//! New rules read every message again. What answers while an agent waits reads a bounded number of them and takes the
//! facts of the old rules for the rest; `renew_facts` reads the rest in the background.

use super::{FactExtractor, MAX_PENDING_MESSAGES, RULES};
use crate::base::{Error, Observer, Result};
use crate::memory::MemoryContext;
use crate::memory::active_context::each_message;
use model::{ConversationId, Fact, FactId, SeqRange};
use std::collections::{HashMap, HashSet};
use store::{Conversation, FactsBound, FactsRead, NewFacts};

/// Takes the facts of messages that came since they were last taken, and keeps them. Where another process
/// does the same at this moment, its write counts and ours is dropped. Says whether there was anything to take.
pub(crate) async fn update_facts(memory: &MemoryContext, conversation: &ConversationId) -> Result<bool> {
    let new = take_facts(memory, conversation).await?.1;
    let has_new = new.is_some();
    keep_facts(memory, new).await?;
    Ok(has_new)
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
    update_facts(memory, conversation).await?;
    Ok(())
}

/// The facts of a conversation as of its last message; nothing is kept.
pub(crate) async fn current_facts(memory: &MemoryContext, conversation: &ConversationId) -> Result<Vec<Fact>> {
    let start = FactCheckpoint::load(memory, conversation).await?;
    Ok(start.load_facts(memory, start.end).await?.into_facts())
}

/// How many messages of a conversation are not read for facts yet.
pub(crate) async fn count_unread(memory: &MemoryContext, conversation: &Conversation) -> Result<u64> {
    let read = memory.store.active_context(&conversation.id).await?.facts;
    Ok(if read.rules == RULES { conversation.messages.saturating_sub(read.to) } else { conversation.messages })
}

/// A conversation of the current rules is behind by this many messages before it is read in the background. Calls without
/// a result hold its reading back by less.
const MAX_UNREAD_MESSAGES: u64 = MAX_PENDING_MESSAGES + 100;
/// Conversations whose facts are read at once. The others wait for the next call, so that requests come in between.
const MAX_RENEWED_AT_ONCE: u32 = 4;

/// Conversations that cannot be read on for facts, as far as a process has tried.
#[derive(Debug, Default)]
pub struct SkippedConversations(HashSet<ConversationId>);

/// Reads the conversations of projects for facts whose facts are outdated, a few at once, and says how many it read.
/// One that is damaged, or waits for the end of a call, is skipped from then on.
pub(crate) async fn renew_facts(
    memory: &MemoryContext,
    SkippedConversations(skipped): &mut SkippedConversations,
    observer: &dyn Observer,
) -> Result<usize> {
    if !memory.settings.enabled {
        return Ok(0);
    }
    let bound = FactsBound { rules: RULES, unread: MAX_UNREAD_MESSAGES };
    let most = MAX_RENEWED_AT_ONCE.saturating_add(u32::try_from(skipped.len()).unwrap_or(u32::MAX));
    let mut outdated = memory.store.outdated_facts(bound, most).await?;
    outdated.retain(|id| !skipped.contains(id));
    outdated.truncate(MAX_RENEWED_AT_ONCE as usize);
    for conversation in &outdated {
        if observer.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let is_renewed = match update_facts(memory, conversation).await {
            Err(Error::Store(error)) if error.is_damage() => {
                tracing::warn!(conversation = conversation.as_str(), %error, "a damaged conversation keeps its facts");
                false
            }
            renewed => renewed?,
        };
        if !is_renewed {
            skipped.insert(conversation.clone());
        }
    }
    Ok(outdated.len())
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
