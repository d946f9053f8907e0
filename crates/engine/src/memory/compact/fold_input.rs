//! Loads the messages and summaries that one new summary will cover from the store, and builds the `Summary` record
//! from the text that was written about them.

use crate::base::run_blocking;
use crate::base::{Error, Result};
use crate::memory::MemoryContext;
use crate::memory::active_context::messages_in;
use crate::memory::fold::{FoldItem, FoldStep};
use crate::memory::summarize::{OutlineInput, SummaryDraft, SummaryOutline};
use model::{ConversationId, FoldTrigger, Message, SeqRange, Summary, SummaryId, SummaryMethod, Timestamp, TokenCount};
use std::collections::HashMap;

/// The items of a window with their texts, in order.
pub(super) struct FoldInput {
    stretches: Vec<FoldInputItem>,
}

pub(super) enum FoldInputItem {
    Messages(Vec<Message>),
    Summary(Box<Summary>),
}

/// A summary that is not kept yet.
pub(super) struct WrittenSummary {
    pub(super) draft: SummaryDraft,
    pub(super) method: SummaryMethod,
}

impl FoldInput {
    /// Reads the items of a window.
    /// Summaries that are only shown, and so in no store, are in `shown`.
    pub(super) async fn load_window(
        memory: &MemoryContext,
        conversation: &ConversationId,
        window: &[FoldItem],
        shown: &HashMap<SummaryId, Summary>,
    ) -> Result<Self> {
        let mut stretches = Vec::new();
        // Adjoining messages become one stretch: one read, and facts that go on from message to message.
        for run in window.chunk_by(|a, b| matches!((a, b), (FoldItem::Message(_), FoldItem::Message(_)))) {
            stretches.push(match &run[0] {
                FoldItem::Summary(node) => {
                    let found = match shown.get(&node.id) {
                        // A dry run folds its own summaries again, which exist nowhere but in memory.
                        Some(summary) => Some(summary.clone()),
                        None => memory.store.load_summary(&node.id).await?,
                    };
                    let missing = || Error::NotFound { what: "summary", id: node.id.to_string(), hint: None };
                    FoldInputItem::Summary(Box::new(found.ok_or_else(missing)?))
                }
                FoldItem::Message(first) => {
                    let range = SeqRange { first: first.seq, last: run[run.len() - 1].seq_range().last };
                    FoldInputItem::Messages(messages_in(memory, conversation, range).await?)
                }
            });
        }
        Ok(Self { stretches })
    }

    /// Reads what a summary covers.
    pub(super) async fn load_covered(memory: &MemoryContext, summary: &Summary) -> Result<Self> {
        let mut stretches = Vec::new();
        let mut next = summary.range.first;
        for id in &summary.covers {
            let missing = || Error::NotFound { what: "summary", id: id.to_string(), hint: None };
            let covered = memory.store.load_summary(id).await?.ok_or_else(missing)?;
            // Messages between two covered summaries belong to the range as well; left out, a redo would lose them.
            if next < covered.range.first {
                let range = SeqRange { first: next, last: covered.range.first - 1 };
                stretches.push(FoldInputItem::Messages(messages_in(memory, &summary.conversation, range).await?));
            }
            next = covered.range.last + 1;
            stretches.push(FoldInputItem::Summary(Box::new(covered)));
        }
        if next <= summary.range.last {
            let range = SeqRange { first: next, last: summary.range.last };
            stretches.push(FoldInputItem::Messages(messages_in(memory, &summary.conversation, range).await?));
        }
        Ok(Self { stretches })
    }

    pub(super) fn input_items(&self) -> &[FoldInputItem] {
        &self.stretches
    }

    /// Everything a summary of it could say, and the built-in one.
    pub(super) async fn build_outline(self, target: TokenCount) -> Result<(Self, SummaryOutline, SummaryDraft)> {
        run_blocking("summarizing", move || {
            let pieces: Vec<OutlineInput<'_>> = self.stretches.iter().map(FoldInputItem::outline_input).collect();
            let outline = SummaryOutline::from_inputs(&pieces);
            let draft = outline.write_draft(target);
            (self, outline, draft)
        })
        .await
    }

    /// The summary of it.
    pub(super) fn build_summary(
        &self,
        conversation: &ConversationId,
        step: &FoldStep,
        written: WrittenSummary,
        trigger: FoldTrigger,
        now: Timestamp,
    ) -> Summary {
        let covers: Vec<SummaryId> =
            self.stretches.iter().filter_map(FoldInputItem::as_summary).map(|it| it.id.clone()).collect();
        let SummaryDraft { content, tokens, kept } = written.draft;
        Summary {
            id: Summary::id_of(conversation, step.range, &covers, &content),
            conversation: conversation.clone(),
            range: step.range,
            covers,
            depth: step.depth,
            content,
            tokens,
            source_tokens: self.stretches.iter().map(FoldInputItem::token_count).sum(),
            from: self.stretches.first().and_then(FoldInputItem::first_time),
            until: self.stretches.last().and_then(FoldInputItem::last_time),
            method: written.method,
            trigger,
            kept,
            redoes: None,
            created: now,
        }
    }
}

impl FoldInputItem {
    pub(super) fn outline_input(&self) -> OutlineInput<'_> {
        match self {
            Self::Messages(messages) => OutlineInput::Messages(messages),
            Self::Summary(summary) => OutlineInput::Summary(&summary.content),
        }
    }

    fn as_summary(&self) -> Option<&Summary> {
        match self {
            Self::Messages(_) => None,
            Self::Summary(summary) => Some(summary),
        }
    }

    fn token_count(&self) -> TokenCount {
        match self {
            Self::Messages(messages) => messages.iter().map(|message| message.tokens).sum(),
            // The tokens of the messages below, not of the summary text: savings are counted against the original
            // words.
            Self::Summary(summary) => summary.source_tokens,
        }
    }

    pub(super) fn first_time(&self) -> Option<String> {
        match self {
            Self::Messages(messages) => messages.iter().find_map(message_time),
            Self::Summary(summary) => summary.from.clone(),
        }
    }

    pub(super) fn last_time(&self) -> Option<String> {
        match self {
            Self::Messages(messages) => messages.iter().rev().find_map(message_time),
            Self::Summary(summary) => summary.until.clone(),
        }
    }
}

fn message_time(message: &Message) -> Option<String> {
    message.body.at.as_ref().map(|at| at.text.clone())
}
