//! Looks up one item by its id (summary, message, artifact, fact or conversation) and describes it: its content, its
//! origin, and the summaries above and below it.

use super::artifact::{self, ArtifactPage};
use super::naming::{find_cited_message, malformed_id_error, normalize_id};
use super::{active_context, conversation_id, fact, find_conversation};
use crate::base::{Error, Result};
use crate::memory::MemoryContext;
use crate::memory::fold::total_cost;
use model::{ArtifactId, ConversationId, Fact, FactId, Message, MessageId, Summary, SummaryId};
use store::Conversation;

/// A described thing.
#[derive(Clone, Debug)]
pub enum DescribedItem {
    /// A summary.
    Summary {
        /// It.
        summary: Box<Summary>,
        /// The summaries it covers, in order.
        covers: Vec<Summary>,
        /// The summaries that cover it, the lowest first.
        covered_by: Vec<SummaryId>,
        /// Whether it is part of the active context.
        active: bool,
        /// The redone version of it.
        redone: Option<SummaryId>,
    },
    /// A message.
    Message {
        /// It, with its parts.
        message: Box<Message>,
        /// The summaries that cover it, the lowest first. Those whose last message it is are its parts of kind
        /// `compaction`.
        covered_by: Vec<Summary>,
        /// The facts taken from it.
        facts: Vec<Fact>,
    },
    /// Some of an artifact.
    Artifact(Box<ArtifactPage>),
    /// A fact.
    Fact(Box<Fact>),
    /// A conversation.
    Conversation {
        /// It.
        conversation: Box<Conversation>,
        /// Tokens of its active context.
        context_tokens: u64,
        /// Summaries in its active context.
        summaries: Vec<SummaryId>,
        /// Messages in its active context.
        active_messages: u64,
        /// Its facts, as of its last message.
        facts: Vec<Fact>,
    },
}

pub(crate) async fn describe_item(memory: &MemoryContext, id: &str) -> Result<DescribedItem> {
    let id = &*normalize_id(id);
    let missing = |what| Error::NotFound { what, id: id.to_owned(), hint: Some(FINDING.to_owned()) };
    if let Ok(parsed) = SummaryId::parse(id) {
        let summary = memory.store.load_summary(&parsed).await?.ok_or_else(|| missing("summary"))?;
        return describe_summary(memory, summary).await;
    }
    if let Ok(parsed) = MessageId::parse(id) {
        return describe_message(memory, memory.store.load_message(&parsed).await?.ok_or_else(|| missing("message"))?)
            .await;
    }
    if let Ok(parsed) = FactId::parse(id) {
        let fact = memory.store.load_fact(&parsed).await?.ok_or_else(|| missing("fact"))?;
        return Ok(DescribedItem::Fact(Box::new(fact)));
    }
    if id.starts_with(ArtifactId::PREFIX) {
        return Ok(DescribedItem::Artifact(Box::new(artifact::read_page(memory, id).await?)));
    }
    // Before ids are judged as malformed: a conversation may be called anything, `msg_board` too.
    if memory.store.load_conversation(&conversation_id(id)).await?.is_some() {
        return describe_conversation(memory, id).await;
    }
    if let Some(error) = malformed_id_error(id) {
        return Err(error);
    }
    if let Some(message) = find_cited_message(memory, id).await? {
        return describe_message(memory, memory.store.load_message(&message).await?.ok_or_else(|| missing("message"))?)
            .await;
    }
    describe_conversation(memory, id).await.map_err(|error| {
        if !matches!(error, Error::NotFound { .. }) || id.starts_with(ConversationId::PREFIX) {
            return error;
        }
        let hint = "give the id of a summary, a message, a fact or an artifact, or a conversation's name or id";
        Error::NotFound { what: "thing", id: id.to_owned(), hint: Some(hint.to_owned()) }
    })
}

/// How ids are found.
const FINDING: &str = "ids stand in the replies of epitome recall, grep and history";

async fn describe_message(memory: &MemoryContext, message: Message) -> Result<DescribedItem> {
    let covered_by = memory.store.summaries_at(&message.conversation, message.seq).await?;
    let facts = fact::current_facts(memory, &message.conversation).await?;
    let facts = facts.into_iter().filter(|fact| fact.sources.contains(&message.id)).collect();
    Ok(DescribedItem::Message { message: Box::new(message), covered_by, facts })
}

async fn describe_summary(memory: &MemoryContext, summary: Summary) -> Result<DescribedItem> {
    let mut covers = Vec::new();
    for id in &summary.covers {
        covers.extend(memory.store.load_summary(id).await?);
    }
    let around = memory.store.summaries_at(&summary.conversation, summary.range.first).await?;
    let above = around.into_iter().filter(|other| other.depth > summary.depth && other.range.covers(summary.range));
    let covered_by = above.map(|summary| summary.id).collect();
    let context = memory.store.active_context(&summary.conversation).await?;
    let active = context.summaries.iter().any(|active| active.id == summary.id);
    let redone = memory.store.newest_redo(&summary.id).await?;
    Ok(DescribedItem::Summary { summary: Box::new(summary), covers, covered_by, active, redone })
}

async fn describe_conversation(memory: &MemoryContext, id: &str) -> Result<DescribedItem> {
    let id = find_conversation(memory, id).await?;
    let active = active_context::load_context(memory, &id).await?;
    let facts = fact::current_facts(memory, &id).await?;
    let summaries: Vec<SummaryId> = active.context.summaries.iter().map(|summary| summary.id.clone()).collect();
    Ok(DescribedItem::Conversation {
        context_tokens: total_cost(&active.items),
        active_messages: (active.items.len() - summaries.len()) as u64,
        conversation: Box::new(active.conversation),
        summaries,
        facts,
    })
}
