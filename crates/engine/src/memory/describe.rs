//! Looks up one item by its id (summary, message, artifact, fact or conversation) and describes it: its content, its
//! origin, and the summaries above and below it.

use super::artifact::{self, ArtifactPage};
use super::durable::{is_readable, set_origin};
use super::fact::FactTelling;
use super::list::list_conversation;
use super::naming::{complete_id, find_cited_message, is_of_project, malformed_id_error, normalize_id};
use super::{conversation_id, fact, find_conversation};
use crate::base::{Error, Result};
use crate::memory::MemoryContext;
use crate::memory::fold::FENCE;
use model::{
    ArtifactId, ConversationId, DurableMemory, Fact, FactId, MemoryId, Message, MessageId, SeqRange, Summary, SummaryId,
};
use std::collections::HashSet;
use store::{ActiveSummary, Artifact, Conversation, MessageWindow};

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
        /// How many summaries stand below it, over all levels.
        descendants: u64,
        /// The messages it was made from; none for one that was made from summaries.
        messages: Vec<MessageId>,
        /// The artifacts that its messages mention.
        artifacts: Vec<Artifact>,
    },
    /// A message.
    Message {
        /// It, with its parts.
        message: Box<Message>,
        /// The summaries that cover it, the lowest first. Those whose last message it is are its parts of kind
        /// `compaction`.
        covered_by: Vec<Summary>,
        /// The facts taken from it.
        facts: Vec<DescribedFact>,
    },
    /// Some of an artifact.
    Artifact(Box<ArtifactPage>),
    /// A fact.
    Fact(Box<DescribedFact>),
    /// A memory, and how far it is to be trusted now, from 0 to 1.
    Memory(Box<DurableMemory>, f64),
    /// A conversation.
    Conversation {
        /// It.
        conversation: Box<Conversation>,
        /// Tokens of its active context.
        context_tokens: u64,
        /// What a list calls it: what its source does, else the first sentence of a person.
        title: Option<String>,
        /// Summaries in its active context.
        summaries: Vec<ActiveSummary>,
        /// Messages in its active context.
        active_messages: u64,
        /// Its facts, as of its last message.
        facts: Vec<DescribedFact>,
        /// The artifacts that its messages mention.
        artifacts: Vec<Artifact>,
    },
}

/// A fact, and whether agents are told it.
#[derive(Clone, Debug)]
pub struct DescribedFact {
    /// It.
    pub fact: Fact,
    /// Whether it is told, which depends on what came after it in its conversation, too.
    pub is_told: bool,
}

pub(crate) async fn describe_item(memory: &MemoryContext, id: &str) -> Result<DescribedItem> {
    let id = &*complete_id(memory, normalize_id(id)).await?;
    let missing = |what| Error::NotFound { what, id: id.to_owned(), hint: Some(ID_LOOKUP_HINT.to_owned()) };
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
        // Whether a fact is told depends on the others of its conversation: a later one may have taken its place, so
        // all of them are read.
        let is_told =
            FactTelling::of_conversation(&fact::current_facts(memory, &fact.conversation).await?).is_told(&fact);
        return Ok(DescribedItem::Fact(Box::new(DescribedFact { fact, is_told })));
    }
    if let Ok(parsed) = MemoryId::parse(id) {
        let found = memory.store.load_memory(&parsed).await?.filter(|found| is_readable(memory, found));
        let mut found = found.ok_or_else(|| missing("memory"))?;
        set_origin(memory, &mut found);
        // A memory fades with the time that it is not seen, so its confidence is worked out now and stored nowhere.
        let confidence = found.confidence_at(memory.clock.now());
        return Ok(DescribedItem::Memory(Box::new(found), confidence));
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
        if !matches!(error, Error::NotFound { .. }) || id.starts_with(ConversationId::PREFIX) || is_of_project(id) {
            return error;
        }
        let hint = "give the id of a summary, message, fact, memory or artifact, or a conversation's name or id";
        Error::NotFound { what: "thing", id: id.to_owned(), hint: Some(hint.to_owned()) }
    })
}

/// How ids are found.
const ID_LOOKUP_HINT: &str = "ids stand in the replies of epitome recall, grep and history";

async fn describe_message(memory: &MemoryContext, message: Message) -> Result<DescribedItem> {
    let covered_by = memory.store.summaries_at(&message.conversation, message.seq).await?;
    let mut facts = describe_facts(memory, &message.conversation).await?;
    // A fact names its first and its newest message; those between are not kept with it.
    facts.retain(|described| described.fact.sources.contains(&message.id));
    Ok(DescribedItem::Message { message: Box::new(message), covered_by, facts })
}

async fn describe_facts(memory: &MemoryContext, conversation: &ConversationId) -> Result<Vec<DescribedFact>> {
    let facts = fact::refresh_facts(memory, conversation).await?;
    let telling = FactTelling::of_conversation(&facts);
    Ok(facts.into_iter().map(|fact| DescribedFact { is_told: telling.is_told(&fact), fact }).collect())
}

async fn describe_summary(memory: &MemoryContext, summary: Summary) -> Result<DescribedItem> {
    let mut covers = Vec::new();
    for id in &summary.covers {
        covers.extend(memory.store.load_summary(id).await?);
    }
    // The store knows what a summary covers and not what covers it. Every summary above it holds its first message,
    // which makes this one read.
    let around = memory.store.summaries_at(&summary.conversation, summary.range.first).await?;
    let above = around.into_iter().filter(|other| other.depth > summary.depth && other.range.covers(summary.range));
    let covered_by = above.map(|summary| summary.id).collect();
    let context = memory.store.active_context(&summary.conversation).await?;
    let active = context.summaries.iter().any(|active| active.id == summary.id);
    let redone = memory.store.newest_redo(&summary.id).await?;
    let descendants = count_descendants(memory, &covers).await?;
    let messages = if summary.depth == 0 { message_ids(memory, &summary).await? } else { Vec::new() };
    let artifacts = memory.store.artifacts_within(&summary.conversation, summary.range).await?;
    let summary = Box::new(summary);
    Ok(DescribedItem::Summary { summary, covers, covered_by, active, redone, descendants, messages, artifacts })
}

async fn describe_conversation(memory: &MemoryContext, id: &str) -> Result<DescribedItem> {
    let id = find_conversation(memory, id).await?;
    // In this order: a message that arrives between the reads is at the end, behind every summary.
    let summaries = memory.store.active_context(&id).await?.summaries;
    let missing = || Error::NotFound { what: "conversation", id: id.to_string(), hint: None };
    let conversation = memory.store.load_conversation(&id).await?.ok_or_else(missing)?;
    let facts = describe_facts(memory, &id).await?;
    let everything = SeqRange { first: 1, last: u64::MAX };
    let artifacts = memory.store.artifacts_within(&id, everything).await?;
    let title = list_conversation(memory, conversation.clone()).await?.title;
    // The conversation and its summaries say what stands for itself, so that no message has to be read.
    let folded = |value: fn(&ActiveSummary) -> u64| summaries.iter().map(value).sum::<u64>();
    let folded_tokens = folded(|summary| u64::from(summary.source_tokens.0));
    let summary_tokens = folded(|summary| u64::from((summary.tokens + FENCE).0));
    Ok(DescribedItem::Conversation {
        title,
        context_tokens: u64::from(conversation.tokens.0).saturating_sub(folded_tokens) + summary_tokens,
        active_messages: conversation.messages.saturating_sub(folded(|summary| summary.range.count())),
        conversation: Box::new(conversation),
        summaries,
        facts,
        artifacts,
    })
}

/// How many summaries there are, with all below them. Each is counted once, however many cover it.
async fn count_descendants(memory: &MemoryContext, covers: &[Summary]) -> Result<u64> {
    let mut seen: HashSet<SummaryId> = covers.iter().map(|summary| summary.id.clone()).collect();
    let mut next: Vec<SummaryId> = covers.iter().flat_map(|summary| summary.covers.clone()).collect();
    while let Some(id) = next.pop() {
        // A summary that was made anew covers the same ones as that before it, so what was counted is remembered.
        if !seen.contains(&id)
            && let Some(summary) = memory.store.load_summary(&id).await?
        {
            next.extend(summary.covers);
            seen.insert(id);
        }
    }
    Ok(seen.len() as u64)
}

async fn message_ids(memory: &MemoryContext, summary: &Summary) -> Result<Vec<MessageId>> {
    let limit = u32::try_from(summary.range.last - summary.range.first + 1).unwrap_or(u32::MAX);
    // A range begins with 1, because places do, so this is never below 0.
    let window = MessageWindow::After { seq: summary.range.first - 1, limit };
    let messages = memory.store.load_messages(&summary.conversation, window).await?;
    Ok(messages.into_iter().map(|message| message.id).collect())
}
