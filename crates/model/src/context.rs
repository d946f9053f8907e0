//! `ContextItem`, one entry of a conversation's active context: the messages and summaries that a model would be
//! shown, in order.
//!
//! Messages that no summary covers are part of it themselves, so appending one never touches it, and only the
//! summaries are kept: which of them are active, and where.

use crate::{MessageId, SeqRange, SummaryId, TokenCount};

/// The item at one place of the active context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContextItemKind {
    /// A message, as itself.
    Message(MessageId),
    /// A summary, in place of what it covers.
    Summary(SummaryId),
}

/// One place of the active context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextItem {
    /// The messages it stands for, or is; places are ordered by it and never overlap.
    pub range: SeqRange,
    /// The item.
    pub kind: ContextItemKind,
    /// Tokens of its text.
    pub tokens: TokenCount,
    /// How many summaries stand below it at most; `None` for a message.
    pub depth: Option<u32>,
}
