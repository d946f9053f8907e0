//! The session operations that hooks call on the store: recall earlier messages for a prompt, compare an agent's
//! compaction summary with the facts, and store the message of an event. Nothing is indexed or imported and no model is
//! asked, because an agent waits for the answer.

use super::guard::compare_facts;
use super::injection::render_recalled;
use super::relevance::RecallPrompt;
use super::state::SessionState;
use crate::base::{Error, Project, Result};
use crate::ledger::{CallInitiative, OF_EVENT};
use crate::memory::{
    DescribedItem, IngestOutcome, IngestRequest, MemoryContext, MemoryLookup, RecallRequest, RecallScope,
    describe_item, ingest_messages, lookup_memories, message_id, note_recalled, recall_messages,
};
use model::{DurableMemory, MessageRole, NewMessage};

/// How many results are looked at for three that are worth telling.
const MAX_CANDIDATES: u32 = 12;
/// The same for outputs of tools, of which one is injected.
const OUTPUTS: u32 = 4;
/// How many memories are looked at.
const MEMORY_CANDIDATES: u32 = 3;

/// A prompt that may be answered with what was said before.
#[derive(Clone, Debug)]
pub struct PromptRequest {
    /// What the user said.
    pub prompt: String,
    /// The conversation in which it was said.
    pub conversation: String,
    /// What the answer may cost; 0 tells nothing.
    pub tokens: u32,
}

/// What was said before about what the user asks, unless the session was told it already.
pub(crate) async fn recall_for_prompt(
    memory: &MemoryContext,
    project: &Project,
    request: PromptRequest,
    session: &mut SessionState,
) -> Result<Option<String>> {
    let PromptRequest { prompt: said, conversation, tokens } = request;
    // A prompt that asks and orders nothing is not searched for at all.
    let Some(prompt) = RecallPrompt::from_text(&said).filter(|_| tokens > 0) else { return Ok(None) };
    let query = said.clone();
    let request = RecallRequest {
        query: said,
        scope: RecallScope::Project,
        role: None,
        since: None,
        until: None,
        limit: MAX_CANDIDATES,
        budget: None,
        // Neither user nor agent asked for this text, so no model is paid for it.
        initiative: CallInitiative::Background,
    };
    let mut replies = vec![recall_messages(memory, project, request.clone()).await?];
    if prompt.asks_about_past() {
        // The words about an output stand before it, so the output itself is hardly ever among the first results.
        let outputs = RecallRequest { role: Some(MessageRole::Tool), limit: OUTPUTS, ..request };
        replies.push(recall_messages(memory, project, outputs).await?);
    }
    // A degraded search may have missed the better half; an unasked text should be right or absent. That no output shares
    // a word with the prompt says nothing about the messages.
    replies.retain(|reply| reply.degraded.is_empty());
    let lookup = MemoryLookup { query, tags: Vec::new(), everywhere: false, limit: MEMORY_CANDIDATES };
    let mut memories: Vec<DurableMemory> =
        lookup_memories(memory, project, &lookup).await?.into_iter().map(|found| found.memory).collect();
    memories.retain(|memory| prompt.is_covered_by(&memory.body.content));
    // The agent still has what this conversation said, unless it was compacted.
    let mut found: Vec<_> = replies.into_iter().flat_map(|reply| reply.results).collect();
    found.retain(|hit| session.compacted || hit.conversation != conversation);
    let Some((text, shown)) = render_recalled(&prompt, &found, &memories, &session.injected, tokens) else {
        return Ok(None);
    };
    note_recalled(memory, memories.iter().filter(|memory| shown.iter().any(|id| id == memory.id.as_str())));
    session.injected.extend(shown);
    Ok(Some(text))
}

/// Remembers what the agent's own summary of a conversation lost.
pub(crate) async fn compare_compaction(
    memory: &MemoryContext,
    conversation: &str,
    summary: Option<&str>,
    session: &mut SessionState,
) -> Result<()> {
    let facts = match describe_item(memory, conversation).await {
        Ok(DescribedItem::Conversation { facts, .. }) => facts.into_iter().map(|described| described.fact).collect(),
        // Nothing of the conversation is stored yet, so nothing can be missing.
        Ok(_) | Err(Error::NotFound { .. }) => Vec::new(),
        Err(error) => return Err(error),
    };
    session.note_compared(compare_facts(summary, &facts));
    Ok(())
}

/// A message that an event brought.
#[derive(Clone, Debug)]
pub struct EventMessage {
    /// What its conversation is called.
    pub conversation: String,
    /// The project it is about.
    pub project: Option<Project>,
    /// The id of the event.
    pub event: String,
    /// What it says.
    pub message: NewMessage,
}

/// Stores what an event says. The same words under the agent's own id are there already, a moment older; other words are
/// kept beside them.
pub(crate) async fn ingest_event(memory: &MemoryContext, brought: EventMessage) -> Result<()> {
    let EventMessage { conversation, project, event, message } = brought;
    let ingest = async |message: NewMessage| {
        let (conversation, project) = (conversation.clone(), project.clone());
        ingest_messages(memory, IngestRequest { conversation, project, messages: vec![message] }).await
    };
    let outcomes = ingest(message.clone()).await?;
    let Some(IngestOutcome::Conflict { id }) = outcomes.first() else { return Ok(()) };
    let known = describe_item(memory, message_id(&conversation, id).as_str()).await?;
    // The conflict is with the same words under another form; only other words are stored beside them.
    if !matches!(known, DescribedItem::Message { message: known, .. } if known.body.parts == message.parts) {
        ingest(NewMessage { external_id: Some(format!("{OF_EVENT}{event}")), ..message }).await?;
    }
    Ok(())
}
