//! Repairs the problems in summaries, contexts and facts that `integrity.rs` finds, when the user asks for it.
//!
//! Messages are never touched, and no summary is deleted: wrong or overlapping summaries leave the context, so that
//! their messages are in it again and are folded again. Facts are extracted again. Damage that cannot be rebuilt stays
//! a problem, and its remedy says so.

use super::compact::{ContextLease, ConversationSelection};
use super::integrity::{FoldProblem, FoldRemedy, check_folds};
use super::{fact, find_conversation};
use crate::base::{Error, Observer, Result};
use crate::memory::MemoryContext;
use model::{ConversationId, SeqRange, SummaryId};
use store::{ActiveSummary, Conversation, DanglingItem, UnfoldRequest};

/// A repair.
#[derive(Clone, Debug)]
pub struct RepairRequest {
    /// Which conversations.
    pub which: ConversationSelection,
    /// Whether to do it.
    pub effect: RepairEffect,
}

/// Whether a repair is done or shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepairEffect {
    /// Problems are listed with their remedies, and nothing is changed.
    Plan,
    /// The remedies are applied.
    Mend,
}

/// A problem, and whether it still exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairedProblem {
    /// Its conversation.
    pub conversation: ConversationId,
    /// The problem.
    pub problem: FoldProblem,
    /// Whether it is gone.
    pub mended: bool,
}

/// The problems, and which of them were repaired.
#[derive(Clone, Debug, Default)]
pub struct RepairReport {
    /// Conversations checked.
    pub conversations: u64,
    /// The problems that were found.
    pub problems: Vec<RepairedProblem>,
}

pub(crate) async fn repair(
    memory: &MemoryContext,
    request: RepairRequest,
    observer: &dyn Observer,
) -> Result<RepairReport> {
    let one = match &request.which {
        ConversationSelection::One(name) => Some(find_conversation(memory, name).await?),
        ConversationSelection::All => None,
    };
    let mut conversations = memory.store.list_conversations().await?;
    conversations.retain(|conversation| one.as_ref().is_none_or(|one| *one == conversation.id));
    let mut report = RepairReport::default();
    let mut has_mended = false;
    let total = conversations.len() as u64;
    for conversation in conversations {
        if observer.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let found = check_folds(memory, &conversation).await?.problems;
        // Checked again after the remedies: a problem counts as mended only where it is gone.
        let mut left = found.clone();
        if request.effect == RepairEffect::Mend && !found.is_empty() {
            apply_remedies(memory, &conversation, &found).await?;
            left = check_folds(memory, &conversation).await?.problems;
        }
        let has_found = !found.is_empty();
        let is_whole = left.is_empty();
        report.problems.extend(found.into_iter().map(|problem| RepairedProblem {
            conversation: conversation.id.clone(),
            mended: !left.contains(&problem),
            problem,
        }));
        has_mended |= request.effect == RepairEffect::Mend && has_found && is_whole;
        report.conversations += 1;
        observer.report_progress("mending", report.conversations, total);
    }
    // What was made anew from messages is right by being so, whatever was counted of it before.
    if has_mended && report.problems.iter().all(|problem| problem.mended) {
        memory.store.recount_derived().await?;
    }
    Ok(report)
}

async fn apply_remedies(memory: &MemoryContext, conversation: &Conversation, found: &[FoldProblem]) -> Result<()> {
    // Asked before the lease is taken, which writes the state of a context that has none.
    let dangling = memory.store.dangling_items(&conversation.id).await?;
    let lease = ContextLease::acquire(memory, &conversation.id).await?;
    let outcome = lease.renew_during(apply_with_lease(memory, conversation, found, &dangling, &lease)).await;
    // Messages whose summary was taken out are in the context again; no fold has checked yet if they are too many.
    let released = lease.release(0).await;
    outcome.and(released)
}

async fn apply_with_lease(
    memory: &MemoryContext,
    conversation: &Conversation,
    found: &[FoldProblem],
    dangling: &[DanglingItem],
    lease: &ContextLease<'_>,
) -> Result<()> {
    if !dangling.is_empty() {
        let places: Vec<u64> = dangling.iter().map(|item| item.place).collect();
        memory.store.drop_items(&conversation.id, lease.fence(), &places).await?;
        // Facts were taken under the context that is gone, and say how far; all else is found by the next look.
        return Ok(());
    }
    let wrong = |remedy| found.iter().filter(move |problem| problem.remedy == remedy);
    let context = memory.store.active_context(&conversation.id).await?;
    let mut ranges: Vec<SeqRange> = Vec::new();
    for problem in wrong(FoldRemedy::FoldAgain) {
        if let Ok(id) = SummaryId::parse(&problem.subject)
            && let Some(summary) = memory.store.load_summary(&id).await?
        {
            ranges.push(summary.range);
        }
    }
    let meets = |active: &&ActiveSummary| {
        // Every active summary over the range leaves the context: those above were made from the wrong one.
        ranges.iter().any(|range| range.first <= active.range.last && active.range.first <= range.last)
    };
    let summaries: Vec<SummaryId> = context.summaries.iter().filter(meets).map(|active| active.id.clone()).collect();
    if !summaries.is_empty() {
        let conversation = conversation.id.clone();
        let expected = context.version;
        let fence = lease.fence();
        memory.store.apply_unfold(UnfoldRequest { conversation, summaries, expected, fence }).await?;
    }
    if wrong(FoldRemedy::TakeFactsAgain).next().is_some() {
        fact::reextract_facts(memory, &conversation.id).await?;
    }
    Ok(())
}
