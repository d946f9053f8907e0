//! `ConversationState` and `SessionSummary`, the data types of conversations as sessions: whether one goes on, was
//! summed up, or was put away, and the text that sums up the whole of it.

use crate::{ConversationId, SummaryMethod, Timestamp};

/// How a conversation stands. No state hides or removes a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConversationState {
    /// It goes on: every new message makes it so again.
    Active,
    /// A text sums up the whole of it.
    Summarized,
    /// It was put away, by its user or because it was silent for long.
    Archived,
}

crate::enum_words! {
    pub ConversationState { Active = "active", Summarized = "summarized", Archived = "archived" }
}

/// A text that sums up a whole conversation. It stands beside the conversation and takes the place of no message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSummary {
    /// The conversation.
    pub conversation: ConversationId,
    /// The last message that it knows.
    pub last_seq: u64,
    /// The text, in four parts.
    pub content: String,
    /// How it was made.
    pub method: SummaryMethod,
    /// When it was made.
    pub created: Timestamp,
}
