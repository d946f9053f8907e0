//! Assembles the context of a conversation for a model within a token budget: instructions, the head of the thread,
//! summaries, facts, messages.
//!
//! The order is that of time, and what stands before the newest messages changes only when something is folded, because
//! prompt caches are prefixes. Turns are whole or absent: a tool call is never shown without its result.

mod at_hand;
mod message_cut;
mod quoted_blocks;
mod selection;
mod summary_form;
mod summary_versions;
mod thread_head;

use super::active_context::{ConversationContext, each_message, load_context};
use super::damage::missing_summary;
use super::fact::FactTelling;
use super::fold::FoldItem;
use super::summarize::names_path;
use super::{fact, find_conversation};
use crate::base::Result;
use crate::base::budget::{check_budget, footer_allowance};
use crate::memory::MemoryContext;
use model::{ConversationId, Fact, FactKind, Message, SeqRange, Summary, SummaryId, TokenCount, count_tokens};
use quoted_blocks::facts_item;
pub(super) use quoted_blocks::{FactBlock, pack_facts};
use selection::{ContextSelection, MAX_HEADING_TOKENS, is_tight, select_items};
use std::collections::{HashMap, HashSet};
pub use summary_form::SummaryForm;
use summary_versions::SummaryVersions;

/// Most tokens of facts, however much is left over.
const MAX_FACTS_TOKENS: TokenCount = TokenCount(2_000);
/// Blank lines around what is added last.
const SEPARATION_TOKENS: TokenCount = TokenCount(2);

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
    /// How summaries are set off from messages.
    pub form: SummaryForm,
}

/// One item of a context.
#[derive(Clone, Debug)]
pub enum AssembledItem {
    /// A message as it is.
    Message(Box<Message>),
    /// The goal, the rules, the open steps and where the work stands.
    Thread {
        /// Its text.
        text: String,
        /// Tokens of the text.
        tokens: TokenCount,
    },
    /// A summary, quoted.
    Summary {
        /// The summary.
        summary: Box<Summary>,
        /// Its text or a shorter one, with the lines around it that say what it is.
        text: String,
        /// Tokens of the text.
        tokens: TokenCount,
    },
    /// Says which messages are left out between two that are shown.
    Gap {
        /// The messages.
        range: SeqRange,
        /// Its text.
        text: String,
        /// Tokens of the text.
        tokens: TokenCount,
    },
    /// Facts of the folded messages, and what the sessions of the project keep at hand.
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
            Self::Message(message) => render_message_heading(message),
            Self::Thread { .. } | Self::Summary { .. } | Self::Gap { .. } | Self::Facts { .. } => String::new(),
        }
    }

    /// Tokens of its text.
    pub fn token_count(&self) -> TokenCount {
        match self {
            Self::Message(message) => message.tokens,
            Self::Thread { tokens, .. }
            | Self::Summary { tokens, .. }
            | Self::Gap { tokens, .. }
            | Self::Facts { tokens, .. } => *tokens,
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
    let mut summaries = load_summaries(memory, &active, request.form).await?;
    if is_tight(&active.items, &summaries, budget) {
        summaries.values_mut().for_each(SummaryVersions::add_shorter);
    }
    let mut choice = select_items(&active.items, &settings.fold_rules(), budget, &summaries, request.query.as_deref());
    let mut messages = load_messages(memory, &active, &choice).await?;
    let mut known = load_told_facts(memory, &active, &choice).await?;
    let mut left = choice.left;
    let mut head = None;
    if let Some(allowance) = choice.head {
        // Where messages are left out that no summary covers, the head tells of them, too.
        let shown_from = choice.shown_from.unwrap_or_default().min(active.conversation.messages + 1);
        let until = choice.horizon.max(shown_from.saturating_sub(1));
        head = thread_head::build_head(memory, &id, &known, until, allowance).await?;
        left += allowance.saturating_sub(head.as_deref().map_or(TokenCount(0), count_tokens));
    }
    // What the lines above the messages cost is known by now, and was reckoned at its most.
    left += messages.values().map(heading_slack).sum();
    left = choice.lengthen_summaries(&active.items, &summaries, left);
    let shown = choice.versions.iter().filter_map(|(id, version)| Some(summaries.get(id)?.text(*version)));
    let shown: Vec<&str> = shown.chain(head.as_deref()).collect();
    // After the choice of summaries: a fact is dropped only where the text that states it is shown.
    known.retain(|fact| !shown.iter().any(|text| states_fact(text, fact)));
    let mut facts = facts_item(&known, &id, left.saturating_sub(SEPARATION_TOKENS).min(MAX_FACTS_TOKENS));
    let told = facts.as_ref().map_or(TokenCount(0), AssembledItem::token_count);
    let room = left.saturating_sub(SEPARATION_TOKENS).saturating_sub(told).saturating_sub(SEPARATION_TOKENS);
    facts = at_hand::add_hot_items(memory, active.conversation.project.as_ref(), facts, room).await?;
    let mut items = Vec::new();
    let mut gap: Option<SeqRange> = None;
    let mut has_shown_message = false;
    let mut head = head.map(|text| AssembledItem::Thread { tokens: count_tokens(&text), text });
    for (at, item) in active.items.iter().enumerate() {
        if at == choice.instructions {
            items.extend(head.take());
        }
        // Behind the last summary: what stands before the newest messages then changes only when something is folded.
        if at == choice.facts_at {
            items.extend(facts.take());
        }
        if !choice.chosen[at] {
            if matches!(item, FoldItem::Message(_)) && has_shown_message {
                let range = item.seq_range();
                gap = Some(gap.map_or(range, |gap: SeqRange| SeqRange { first: gap.first, last: range.last }));
            }
            continue;
        }
        items.extend(gap.take().map(gap_item));
        has_shown_message |= at >= choice.instructions && matches!(item, FoldItem::Message(_));
        match item {
            FoldItem::Summary(node) => {
                let version = choice.versions.get(&node.id).copied().unwrap_or_default();
                items.extend(summaries.get(&node.id).map(|versions| AssembledItem::Summary {
                    summary: Box::new(versions.summary.clone()),
                    text: versions.text(version).to_owned(),
                    tokens: versions.tokens(version),
                }));
            }
            FoldItem::Message(entry) => {
                items.extend(messages.remove(&entry.seq).map(Box::new).map(AssembledItem::Message));
            }
        }
    }
    items.extend(head);
    items.extend(facts);
    let mut left_out = choice.left_out;
    if choice.needs_cut {
        let dropped = message_cut::cut_messages(&mut items, budget);
        left_out.extend(dropped.into_iter().map(|range| OmittedRange { range, summary: None }));
        left_out.sort_by_key(|left| left.range);
    }
    let tokens = items.iter().map(AssembledItem::token_count).sum();
    Ok(AssembledContext { conversation: id, items, tokens, left_out })
}

/// How much less the line above a message costs than was set aside for it.
fn heading_slack(message: &Message) -> TokenCount {
    let TokenCount(cost) = count_tokens(&render_message_heading(message));
    TokenCount(MAX_HEADING_TOKENS.saturating_sub(cost + 1))
}

fn render_message_heading(message: &Message) -> String {
    format!("[{} {}]\n", message.body.role.as_str(), message.id)
}

fn gap_item(range: SeqRange) -> AssembledItem {
    let text = if range.count() == 1 {
        format!("[message {} is left out here]", range.first)
    } else {
        format!("[messages {range} are left out here]")
    };
    AssembledItem::Gap { range, tokens: count_tokens(&text), text }
}

/// Whether a summary contains a fact word for word: showing it again would waste tokens.
fn states_fact(summary: &str, fact: &Fact) -> bool {
    if fact.kind == FactKind::File { names_path(summary, &fact.subject) } else { summary.contains(&fact.subject) }
}

async fn load_summaries(
    memory: &MemoryContext,
    active: &ConversationContext,
    form: SummaryForm,
) -> Result<HashMap<SummaryId, SummaryVersions>> {
    let mut versions = HashMap::new();
    for active in &active.context.summaries {
        let summary = memory.store.load_summary(&active.id).await?.ok_or_else(|| missing_summary(&active.id))?;
        let below = if form == SummaryForm::Xml { count_below(memory, &summary).await? } else { 0 };
        versions.insert(active.id.clone(), SummaryVersions::new(summary, below, form));
    }
    Ok(versions)
}

/// How many summaries stand below one, on all levels.
async fn count_below(memory: &MemoryContext, summary: &Summary) -> Result<u64> {
    let mut seen: HashSet<SummaryId> = HashSet::new();
    let mut waiting: Vec<SummaryId> = summary.covers.clone();
    while let Some(id) = waiting.pop() {
        if seen.insert(id.clone()) {
            let below = memory.store.load_summary(&id).await?.ok_or_else(|| missing_summary(&id))?;
            waiting.extend(below.covers);
        }
    }
    Ok(seen.len() as u64)
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
async fn load_told_facts(
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
    let telling = FactTelling::of_conversation(&facts);
    Ok(facts.into_iter().filter(|fact| fact.first_seq < before && telling.is_told(fact)).collect())
}
