//! `FoldStore`, the store trait for summaries, active contexts, facts, jobs, and grants to expand summaries.
//!
//! A summary covers a range of places without gaps, and the active context is a list of summaries whose ranges do not
//! overlap: every message is in exactly one of them, or stands for itself. Nothing has to be written for a message to
//! be part of the context, so appending and folding never meet.
//!
//! Summaries and what they cover are only ever added. The context, facts, jobs and leases are state and change.

mod fold;
mod grant;
mod job;
mod lease;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod rows;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod totals;

pub use fold::{
    ActiveContext, ActiveSummary, ContextLimits, ContextVersion, ConversationFacts, ConversationFolds, DanglingItem,
    DatedFact, FactsBound, FactsRead, Fence, FoldTotals, MissingRow, NewFacts, NewFold, UnfoldRequest,
};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) use fold::{ContextState, FoldDecision, decide_fold, decide_unfold, describe_dangling};
pub use grant::{ChargeOutcome, ExpansionGrant, GrantRefusal};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) use grant::{decide_charge, join_ids, split_ids};
pub use job::{IntegrityMode, Job, JobEnd, JobId, JobTask, NewJob};
#[cfg(feature = "sqlite")]
pub(crate) use lease::ASK_AGAIN_AFTER;
pub use lease::{Lease, LeaseEnd, LeaseOutcome};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) use rows::{FactRow, GrantRow, JobRow, SummaryRow, collect_facts, kind_list, method_of, require_intact};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) use totals::conversation_folds_sql;

use crate::{Result, StoreCursor};
use async_trait::async_trait;
use model::{
    ConversationId, Fact, FactId, FactKind, GrantId, Message, MessageId, Summary, SummaryId, Timestamp, TokenCount,
};
use std::time::Duration;

/// Folded conversations.
#[async_trait]
pub trait FoldStore: Send + Sync {
    /// Takes the lease of a conversation's context, unless another worker has it. A holder that neither renews it for
    /// as long as it lasts nor lives has lost it. A lease saves two workers from doing the same work; what keeps the
    /// context whole is [`FoldStore::apply_fold`].
    async fn lease_context(&self, conversation: &ConversationId, lasts: Duration) -> Result<LeaseOutcome>;

    /// Prolongs a lease that is held, also after its end as long as no other process took it. `Conflict` when it is
    /// lost.
    async fn renew_context(&self, conversation: &ConversationId, held: Fence, lasts: Duration) -> Result<()>;

    /// Gives a lease back, and says up to which message the context was looked at. Does nothing when another worker
    /// has the lease by now.
    async fn release_context(&self, conversation: &ConversationId, held: Fence, seen_to: u64) -> Result<()>;

    /// Conversations whose context holds too much and that got messages since a worker last looked, ordered by id.
    async fn oversized_contexts(&self, pressure: ContextLimits) -> Result<Vec<ConversationId>>;

    /// The active context of a conversation; empty and of version 0 when nothing was ever folded.
    async fn active_context(&self, conversation: &ConversationId) -> Result<ActiveContext>;

    /// Adds a summary and puts it in the place of what it covers, all or nothing, and gives the version after it. A
    /// summary that redoes another takes its place where that one is active, and is only added where it is not.
    ///
    /// `Conflict` when the context has another version than expected or its lease another holder: nothing is written.
    /// Folding the same again gives the same answer.
    async fn apply_fold(&self, fold: NewFold) -> Result<ContextVersion>;

    /// Takes summaries out of the active context, all or nothing, and gives the version after it: the messages they
    /// stand for stand for themselves again, and may be folded anew. The summaries stay where they are; one that is not
    /// active is passed over. `Conflict` as for [`FoldStore::apply_fold`].
    async fn apply_unfold(&self, unfold: UnfoldRequest) -> Result<ContextVersion>;

    /// Items of a context that refer to a summary, or belong to a context, that is not there; by their places.
    async fn dangling_items(&self, conversation: &ConversationId) -> Result<Vec<DanglingItem>>;

    /// Takes items out of a context by their places, all or nothing, and gives the version after it: their messages
    /// stand for themselves again. `Conflict` when the lease has another holder.
    async fn drop_items(&self, conversation: &ConversationId, held: Fence, places: &[u64]) -> Result<ContextVersion>;

    /// One summary, if it exists; `Corrupt` when it is not what it was made with.
    async fn load_summary(&self, id: &SummaryId) -> Result<Option<Summary>>;

    /// The newest summary that redoes a given summary.
    async fn newest_redo(&self, id: &SummaryId) -> Result<Option<SummaryId>>;

    /// Summaries of a conversation whose range holds a place, the lowest first; `Corrupt` when one of them is not what
    /// it was made with.
    async fn summaries_at(&self, conversation: &ConversationId, seq: u64) -> Result<Vec<Summary>>;

    /// Summaries of one or any conversation, newest first, each with the place to continue behind. They are given as
    /// they are stored, so that damaged ones can be named: a caller that shows one asks [`Summary::is_intact`] first.
    async fn scan_summaries(
        &self,
        conversation: Option<&ConversationId>,
        before: Option<StoreCursor>,
        limit: u32,
    ) -> Result<Vec<(StoreCursor, Summary)>>;

    /// Totals over all conversations.
    async fn fold_totals(&self) -> Result<FoldTotals>;

    /// What each conversation holds and was folded into, ordered by id.
    async fn conversation_folds(&self) -> Result<Vec<ConversationFolds>>;

    /// One message by its id, if it exists.
    async fn load_message(&self, id: &MessageId) -> Result<Option<Message>>;

    /// The facts of a conversation, in the order in which they came up; those of one message by the words of their
    /// kinds, then by id.
    async fn facts_of(&self, conversation: &ConversationId) -> Result<Vec<Fact>>;

    /// The facts of some kinds of all conversations, and how far the messages of each were read for facts. A conversation
    /// whose messages were never read is not among them.
    async fn facts_of_kinds(&self, kinds: &[FactKind]) -> Result<Vec<ConversationFacts>>;

    /// One fact, if it exists.
    async fn load_fact(&self, id: &FactId) -> Result<Option<Fact>>;

    /// Writes facts that came up or changed, and how far messages were read for them. `Conflict` when another
    /// caller read on meanwhile.
    async fn write_facts(&self, facts: NewFacts) -> Result<()>;

    /// Conversations of projects whose facts were read by other rules or not at all, or are behind by so many messages.
    /// The one that got a message last comes first; of equal ones, that of the lower id.
    async fn outdated_facts(&self, bound: FactsBound, limit: u32) -> Result<Vec<ConversationId>>;

    /// Asks for work to be done. A job for the same work that no worker has begun yet is the same job.
    async fn request_job(&self, job: NewJob) -> Result<JobId>;

    /// Takes the oldest job that is due: one that waits, or one whose worker died or did not renew its lease in time.
    async fn take_job(&self, now: Timestamp, lasts: Duration) -> Result<Option<(Job, Lease)>>;

    /// Prolongs the lease of a job. `Conflict` when another worker took it.
    async fn keep_job(&self, job: JobId, fence: Fence, lasts: Duration) -> Result<()>;

    /// Ends a job, or this attempt at it. `Conflict` when another worker took it meanwhile.
    async fn end_job(&self, job: JobId, fence: Fence, end: JobEnd) -> Result<()>;

    /// Every job that is not done, oldest first.
    async fn list_jobs(&self) -> Result<Vec<Job>>;

    /// Keeps a new grant.
    async fn add_grant(&self, grant: ExpansionGrant) -> Result<()>;

    /// One grant, if it exists.
    async fn load_grant(&self, id: &GrantId) -> Result<Option<ExpansionGrant>>;

    /// Counts tokens against a grant, or says why not. However many ask at once, its cap is never passed.
    async fn charge_grant(&self, id: &GrantId, tokens: TokenCount, now: Timestamp) -> Result<ChargeOutcome>;

    /// Takes a grant back. `NotFound` when there is none.
    async fn revoke_grant(&self, id: &GrantId, now: Timestamp) -> Result<()>;
}
