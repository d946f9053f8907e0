//! The active context of a conversation: what a model would be shown, in order.

use crate::{MessageId, SummaryId};

/// What stands at one place of the active context.
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
    /// Position; gaps are allowed, order is what counts.
    pub ordinal: u64,
    /// What stands there.
    pub kind: ContextItemKind,
}
