//! Assembles the context of a conversation for a model within a token budget: instructions, summaries, facts, messages.
//!
//! The order is that of time, and what stands before the newest messages changes only when something is folded, because
//! prompt caches are prefixes. Turns are whole or absent: a tool call is never shown without its result.

mod quoted_blocks;
mod selection;

use super::active_context::{ConversationContext, each_message, load_context};
use super::damage::missing_summary;
use super::fold::FoldItem;
use super::summarize::names_path;
use super::{fact, find_conversation};
use crate::base::Result;
use crate::base::budget::{check_budget, footer_allowance};
use crate::memory::MemoryContext;
use model::{ConversationId, Fact, FactKind, Message, SeqRange, Summary, SummaryId, TokenCount, count_tokens};
use quoted_blocks::facts_item;
use quoted_blocks::summary_text;
pub(super) use quoted_blocks::{FactBlock, pack_facts};
use selection::{ContextSelection, select_items};
use std::collections::HashMap;

/// What is wanted.
#[derive(Clone, Debug)]
pub struct AssembleRequest {
    /// The conversation's name or id.
    pub conversation: String,
    /// Most tokens of the text: the items with their headings, and the list of omitted ones. Without a budget: the
    /// tokens that the model reads at once.
    pub budget: Option<TokenCount>,
    /// The topic by which summaries are chosen.
    pub query: Option<String>,
}

/// One item of a context.
#[derive(Clone, Debug)]
pub enum AssembledItem {
    /// A message as it is.
    Message(Box<Message>),
    /// A summary, quoted.
    Summary {
        /// The summary.
        summary: Box<Summary>,
        /// Its text, with the lines around it that say what it is.
        text: String,
        /// Tokens of the text.
        tokens: TokenCount,
    },
    /// Facts of the folded messages.
    Facts {
        /// The facts shown.
        facts: Vec<Fact>,
        /// Their text.
        text: String,
        /// Tokens of the text.
        tokens: TokenCount,
    },
}

impl AssembledItem {
    /// The line above it in a text: a message does not say by itself whose it is.
    pub fn render_heading(&self) -> String {
        match self {
            Self::Message(message) => format!("[{} {}]\n", message.body.role.as_str(), message.id),
            Self::Summary { .. } | Self::Facts { .. } => String::new(),
        }
    }

    /// Tokens of its text.
    pub fn token_count(&self) -> TokenCount {
        match self {
            Self::Message(message) => message.tokens,
            Self::Summary { tokens, .. } | Self::Facts { tokens, .. } => *tokens,
        }
    }
}

/// A stretch that did not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OmittedRange {
    /// Its messages.
    pub range: SeqRange,
    /// The summary that covers it, if there is one: it expands to all of its messages.
    pub summary: Option<SummaryId>,
}

/// A context.
#[derive(Clone, Debug)]
pub struct AssembledContext {
    /// Which conversation.
    pub conversation: ConversationId,
    /// The items, in order.
    pub items: Vec<AssembledItem>,
    /// Tokens of all of them.
    pub tokens: TokenCount,
    /// The omitted ranges, in order.
    pub left_out: Vec<OmittedRange>,
}

pub(crate) async fn assemble_context(memory: &MemoryContext, request: AssembleRequest) -> Result<AssembledContext> {
    let id = find_conversation(memory, &request.conversation).await?;
    let settings = &memory.settings;
    check_budget(request.budget)?;
    let budget =
        // The list of omitted ranges is printed within the budget as well, so its share is taken off first.
        request.budget.map_or(settings.context_tokens, |budget| budget.saturating_sub(footer_allowance(budget)));
    let active = load_context(memory, &id).await?;
    let summaries = load_summaries(memory, &active).await?;
    let choice = select_items(&active.items, &settings.fold_rules(), budget, &summaries, request.query.as_deref());
    let mut messages = load_messages(memory, &active, &choice).await?;
    let mut known = load_facts(memory, &active, &choice).await?;
    let shown = choice.summary_ids(&active.items).filter_map(|id| summaries.get(id));
    let shown: Vec<&str> = shown.map(|quoted| quoted.summary.content.as_str()).collect();
    // After the choice of summaries: a fact is dropped only where the summary that states it is shown.
    known.retain(|fact| !shown.iter().any(|text| states_fact(text, fact)));
    let mut facts = facts_item(&known, &id, choice.facts);
    let mut items = Vec::new();
    for (at, item) in active.items.iter().enumerate() {
        // Behind the last summary: what stands before the newest messages then changes only when something is folded.
        if at == choice.facts_at {
            items.extend(facts.take());
        }
        if !choice.chosen[at] {
            continue;
        }
        match item {
            FoldItem::Summary(node) => items.extend(summaries.get(&node.id).map(|quoted| AssembledItem::Summary {
                summary: Box::new(quoted.summary.clone()),
                text: quoted.text.clone(),
                tokens: quoted.tokens,
            })),
            FoldItem::Message(entry) => {
                items.extend(messages.remove(&entry.seq).map(Box::new).map(AssembledItem::Message));
            }
        }
    }
    items.extend(facts);
    let tokens = items.iter().map(AssembledItem::token_count).sum();
    Ok(AssembledContext { conversation: id, items, tokens, left_out: choice.left_out })
}

/// Whether a summary contains a fact word for word: showing it again would waste tokens.
fn states_fact(summary: &str, fact: &Fact) -> bool {
    if fact.kind == FactKind::File { names_path(summary, &fact.subject) } else { summary.contains(&fact.subject) }
}

/// A summary as it is shown.
struct QuotedSummary {
    summary: Summary,
    text: String,
    tokens: TokenCount,
}

async fn load_summaries(
    memory: &MemoryContext,
    active: &ConversationContext,
) -> Result<HashMap<SummaryId, QuotedSummary>> {
    let mut quoted = HashMap::new();
    for active in &active.context.summaries {
        let summary = memory.store.load_summary(&active.id).await?.ok_or_else(|| missing_summary(&active.id))?;
        let text = summary_text(&summary);
        quoted.insert(active.id.clone(), QuotedSummary { tokens: count_tokens(&text), text, summary });
    }
    Ok(quoted)
}

async fn load_messages(
    memory: &MemoryContext,
    active: &ConversationContext,
    choice: &ContextSelection,
) -> Result<HashMap<u64, Message>> {
    let mut messages = HashMap::new();
    for range in choice.message_ranges(&active.items) {
        each_message(memory, &active.conversation.id, range, |message| drop(messages.insert(message.seq, message)))
            .await?;
    }
    Ok(messages)
}

/// The facts to show: those of folded messages, or of all messages where some were left out that no summary covers.
async fn load_facts(
    memory: &MemoryContext,
    active: &ConversationContext,
    choice: &ContextSelection,
) -> Result<Vec<Fact>> {
    let id = &active.conversation.id;
    let (facts, before) = match choice.shown_from {
        // Stored facts end at the last fold; messages that are left out came after it, so facts are extracted now.
        Some(first) => (fact::current_facts(memory, id).await?, first),
        None if choice.horizon == 0 => return Ok(Vec::new()),
        None => (memory.store.facts_of(id).await?, choice.horizon + 1),
    };
    Ok(facts.into_iter().filter(|fact| fact.first_seq < before).collect())
}
