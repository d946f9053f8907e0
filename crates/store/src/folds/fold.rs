//! Data types of a fold (a summary that takes the place of messages in a conversation's active context), and
//! `decide_fold` and `decide_unfold`, the rule for accepting one that both stores apply inside their transactions.

use model::{ConversationId, Fact, SeqRange, Summary, SummaryId, Timestamp, TokenCount};

/// Counts the folds of a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContextVersion(pub u64);

/// Counts the holders of a lease: who has an older number has lost it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fence(pub u64);

/// How far messages were read for facts, and by which rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FactsRead {
    /// The last message read.
    pub to: u64,
    /// The number of the rules.
    pub rules: u32,
}

/// How facts have to be read to be up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactsBound {
    /// By the rules of this number.
    pub rules: u32,
    /// With fewer unread messages than this.
    pub unread: u64,
}

/// A summary that is part of the active context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveSummary {
    /// Its id.
    pub id: SummaryId,
    /// The messages it stands for.
    pub range: SeqRange,
    /// Tokens of its text.
    pub tokens: TokenCount,
    /// Tokens of the messages it stands for.
    pub source_tokens: TokenCount,
    /// How many summaries stand below it at most.
    pub depth: u32,
}

/// How much a context may hold before it is to be folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextLimits {
    /// So many tokens are too many.
    pub tokens: u64,
    /// More messages than this are too many; none for any number.
    pub messages: Option<u64>,
    /// What each summary takes besides its text.
    pub fence: TokenCount,
}

/// The active context of a conversation. Messages that no summary here covers are part of it themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActiveContext {
    /// Which state it is in.
    pub version: ContextVersion,
    /// Its summaries, in order.
    pub summaries: Vec<ActiveSummary>,
    /// How far facts were taken.
    pub facts: FactsRead,
}

/// An item of a context that leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DanglingItem {
    /// Its place: that of the first message it stood for.
    pub place: u64,
    /// What is not there.
    pub missing: MissingRow,
}

/// What an item of a context refers to and does not find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingRow {
    /// The summary it stands for.
    Summary,
    /// The state of the context it belongs to.
    Context,
}

/// A summary to add to the context.
#[derive(Clone, Debug)]
pub struct NewFold {
    /// The summary.
    pub summary: Summary,
    /// The version of the context that it was made for.
    pub expected: ContextVersion,
    /// The lease it was made under.
    pub fence: Fence,
}

/// Summaries to take out of a context.
#[derive(Clone, Debug)]
pub struct UnfoldRequest {
    /// Whose context it is.
    pub conversation: ConversationId,
    /// The summaries.
    pub summaries: Vec<SummaryId>,
    /// The version of the context in which they stand.
    pub expected: ContextVersion,
    /// The lease under which they go.
    pub fence: Fence,
}

/// Facts that came up or changed.
#[derive(Clone, Debug)]
pub struct NewFacts {
    /// Whose they are.
    pub conversation: ConversationId,
    /// How far messages had been read for facts before, as the caller knows it.
    pub expected: FactsRead,
    /// How far messages are read now. Other rules than before: all facts are taken anew, those before are dropped.
    pub read: FactsRead,
    /// The facts.
    pub facts: Vec<Fact>,
}

/// Facts of one conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationFacts {
    /// Which conversation.
    pub conversation: ConversationId,
    /// How far its messages were read for facts.
    pub read: FactsRead,
    /// Those asked for, in no order.
    pub facts: Vec<DatedFact>,
}

/// A fact, and when the message happened in which it came up first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatedFact {
    /// The fact.
    pub fact: Fact,
    /// When, as far as the source is believed; none where the message is not there.
    pub at: Option<Timestamp>,
}

/// Totals of what was folded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FoldTotals {
    /// Summaries, active and not.
    pub summaries: u64,
    /// Facts.
    pub facts: u64,
    /// Jobs that are not done.
    pub jobs: u64,
}

/// What one conversation holds, and what it was folded into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationFolds {
    /// The conversation.
    pub conversation: ConversationId,
    /// What people call it.
    pub name: String,
    /// Its messages.
    pub messages: u64,
    /// Tokens of them.
    pub tokens: u64,
    /// Summaries, active and not.
    pub summaries: u64,
    /// The greatest depth of one; none where there is none.
    pub deepest: Option<u32>,
    /// Summaries in its context.
    pub active_summaries: u64,
    /// Tokens of those.
    pub active_tokens: u64,
    /// Tokens of the messages that those stand for.
    pub folded_tokens: u64,
    /// Facts.
    pub facts: u64,
}

/// What is said of an item that leads nowhere.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn describe_dangling(item: &DanglingItem, conversation: &ConversationId) -> String {
    let missing = match item.missing {
        MissingRow::Summary => "a summary",
        MissingRow::Context => "a context",
    };
    format!("item {} of the context of {conversation} refers to {missing} that is not there", item.place)
}

/// What a fold finds in the store.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) struct ContextState {
    pub(crate) version: ContextVersion,
    pub(crate) fence: Fence,
    /// The summaries whose range meets the new one's, in order.
    pub(crate) met: Vec<(SummaryId, SeqRange)>,
    /// How many messages there are.
    pub(crate) messages: u64,
}

/// What to do about a fold.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FoldDecision {
    /// Put it in the place of what it meets, or take out what is to go.
    Fold,
    /// Add it, but not to the context: the summary it redoes is covered by another summary.
    AddOnly,
    /// It was done before.
    Done,
    /// The context is not what the caller thinks.
    Moved,
}

/// Decides about taking summaries out of a context, in which `active` of them are.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn decide_unfold(
    unfold: &UnfoldRequest,
    version: ContextVersion,
    fence: Fence,
    active: u64,
) -> FoldDecision {
    let is_as_expected = version == unfold.expected && fence == unfold.fence;
    match active {
        // Nothing is left to take out: either this request came twice after a lost reply, or the summaries were never
        // active.
        0 if is_as_expected || version == ContextVersion(unfold.expected.0 + 1) => FoldDecision::Done,
        _ if is_as_expected => FoldDecision::Fold,
        _ => FoldDecision::Moved,
    }
}

/// Decides about a fold.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn decide_fold(fold: &NewFold, found: &ContextState) -> FoldDecision {
    let summary = &fold.summary;
    let met: Vec<&SummaryId> = found.met.iter().map(|(id, _)| id).collect();
    // A connection that was lost during the commit leaves a fold that the server applied and the caller does not know
    // of.
    let next = ContextVersion(fold.expected.0 + 1);
    if found.version == next && met == [&summary.id] {
        return FoldDecision::Done;
    }
    // A fold must not cover messages that do not exist yet: they would be hidden from the model unread.
    let in_order = 1 <= summary.range.first && summary.range.first <= summary.range.last;
    if found.version != fold.expected || found.fence != fold.fence || !in_order || summary.range.last > found.messages {
        return FoldDecision::Moved;
    }
    // A summary that is covered in part would leave some of its messages in no summary and in no context.
    let whole = found.met.iter().all(|(_, range)| summary.range.covers(*range));
    match &summary.redoes {
        Some(redone) if met == [redone] && found.met[0].1 == summary.range => FoldDecision::Fold,
        // A redo whose original was folded into a larger summary meanwhile is still worth keeping for `expand`, but
        // putting it into the context would show its messages twice.
        Some(_) => FoldDecision::AddOnly,
        None if whole && met.iter().copied().eq(&summary.covers) => FoldDecision::Fold,
        None => FoldDecision::Moved,
    }
}
