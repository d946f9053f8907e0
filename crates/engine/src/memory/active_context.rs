//! Loads the active context of a conversation from the store: the sequence of summaries and unsummarized messages that
//! a model would be shown. Also reads ranges of messages page by page, for compaction, expansion and facts.

use super::damage::check_order;
use super::fold::{FoldItem, FoldNode, FoldOutliner};
use crate::base::{Error, Result};
use crate::memory::MemoryContext;
use model::{ConversationId, Message, SeqRange};
use store::{ActiveContext, Conversation, MessageWindow};

/// Messages read at a time.
const PAGE: u32 = 500;

/// A conversation and its active context.
pub(crate) struct ConversationContext {
    pub(crate) conversation: Conversation,
    pub(crate) context: ActiveContext,
    pub(crate) items: Vec<FoldItem>,
}

/// Reads the active context of a conversation that exists.
pub(crate) async fn load_context(memory: &MemoryContext, id: &ConversationId) -> Result<ConversationContext> {
    // In this order: a message that arrives between the reads is at the end, behind every summary.
    let context = memory.store.active_context(id).await?;
    let missing = || Error::NotFound { what: "conversation", id: id.to_string(), hint: None };
    let conversation = memory.store.load_conversation(id).await?.ok_or_else(missing)?;
    let mut outliner = FoldOutliner::default();
    let mut next = 1;
    for summary in &context.summaries {
        outline_gap(memory, id, next, summary.range.first, &mut outliner).await?;
        let id = summary.id.clone();
        let range = summary.range;
        let tokens = summary.tokens;
        let depth = summary.depth;
        outliner.add_summary(FoldNode { id, range, tokens, depth });
        next = range.last + 1;
    }
    outline_gap(memory, id, next, conversation.messages + 1, &mut outliner).await?;
    Ok(ConversationContext { conversation, context, items: outliner.finish() })
}

async fn outline_gap(
    memory: &MemoryContext,
    id: &ConversationId,
    from: u64,
    to: u64,
    outliner: &mut FoldOutliner,
) -> Result<()> {
    if from >= to {
        return Ok(());
    }
    each_message(memory, id, SeqRange { first: from, last: to - 1 }, |message| outliner.add_message(&message)).await
}

/// Hands every message of a range to `take`, in order, holding few of them at a time.
pub(crate) async fn each_message(
    memory: &MemoryContext,
    id: &ConversationId,
    range: SeqRange,
    mut take: impl FnMut(Message),
) -> Result<()> {
    let mut seq = range.first.saturating_sub(1);
    while seq < range.last {
        let limit = u32::try_from(range.last - seq).unwrap_or(u32::MAX).min(PAGE);
        let page = memory.store.load_messages(id, MessageWindow::After { seq, limit }).await?;
        // A gap must fail here: folded over, a missing message would be hidden under a summary for good.
        check_order(id, seq, seq + u64::from(limit), &page)?;
        seq += u64::from(limit);
        page.into_iter().for_each(&mut take);
    }
    Ok(())
}

/// The messages of a range.
pub(crate) async fn messages_in(memory: &MemoryContext, id: &ConversationId, range: SeqRange) -> Result<Vec<Message>> {
    let mut messages = Vec::new();
    each_message(memory, id, range, |message| messages.push(message)).await?;
    Ok(messages)
}
