//! Summaries: immutable nodes that cover messages or other summaries.

use crate::{ConversationId, MessageId, SummaryId, Timestamp, Tokens};

/// Which level a summary stands on, with what it covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SummaryKind {
    /// Covers messages.
    Leaf {
        /// The messages, in order; at least one.
        sources: Vec<MessageId>,
    },
    /// Covers summaries.
    Condensed {
        /// The summaries, in order; at least one.
        covers: Vec<SummaryId>,
    },
}

/// One summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Named by its content and what it covers.
    pub id: SummaryId,
    /// The conversation it belongs to.
    pub conversation: ConversationId,
    /// Level and coverage.
    pub kind: SummaryKind,
    /// 0 for a leaf; one more than the deepest it covers otherwise.
    pub depth: u32,
    /// The text.
    pub content: String,
    /// Tokens of the text.
    pub tokens: Tokens,
    /// When it was stored.
    pub created: Timestamp,
}
