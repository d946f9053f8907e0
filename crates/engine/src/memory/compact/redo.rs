//! Rewrites summaries for which a model was asked and failed, so that the built-in text had to take their place.
//!
//! A new summary covers the same messages and summaries as the old one. Where the old one is part of the context, it is
//! replaced; where another summary covers the old one, both are kept, and expanding that other one shows the new one.
//! Nothing above is touched: a summary's name is its text.

use super::fold_input::{FoldInput, WrittenSummary};
use super::fold_runner::fold_record;
use super::lease::ContextLease;
use super::model_summarizer::{ModelSummarizer, SummaryAttempt};
use super::{CompactRequest, CompactRun};
use crate::base::{Error, Observer, Result};
use crate::memory::MemoryContext;
use crate::memory::active_context::load_context;
use crate::memory::fold::total_cost;
use crate::memory::summarize::SummaryDraft;
use model::{ConversationId, Summary, SummaryMethod, Timestamp};
use store::NewFold;

/// Summaries read at a time.
const PAGE: u32 = 200;

pub(super) async fn redo_summaries(
    memory: &MemoryContext,
    id: &ConversationId,
    request: &CompactRequest,
    observer: &dyn Observer,
) -> Result<CompactRun> {
    let lease = ContextLease::acquire(memory, id).await?;
    let outcome = lease.renew_during(redo_all(memory, id, request, &lease, observer)).await;
    let released = lease.release(outcome.as_ref().map_or(0, |(_, seen)| *seen)).await;
    let (run, _) = outcome?;
    released?;
    Ok(run)
}

async fn redo_all(
    memory: &MemoryContext,
    id: &ConversationId,
    request: &CompactRequest,
    lease: &ContextLease<'_>,
    observer: &dyn Observer,
) -> Result<(CompactRun, u64)> {
    let active = load_context(memory, id).await?;
    let mut run = CompactRun::new(&active.conversation, total_cost(&active.items));
    let asking = ModelSummarizer {
        conversation: id,
        project: active.conversation.project.as_ref(),
        trigger: request.trigger,
        provider: request.provider.as_deref(),
    };
    // Without a model the built-in text would only be written again.
    if !asking.has_model(memory) {
        run.stopped = Some("no model is configured that could write them: see providers.chain".to_owned());
        return Ok((run, active.conversation.messages));
    }
    let failed = load_failed_summaries(memory, id).await?;
    for (done, old) in failed.iter().enumerate() {
        if observer.is_cancelled() {
            return Err(Error::Cancelled);
        }
        observer.report_progress("writing anew", done as u64, failed.len() as u64);
        let settings = &memory.settings;
        let target = if old.depth == 0 { settings.leaf_target_tokens } else { settings.condensed_target_tokens };
        let material = FoldInput::load_covered(memory, old).await?;
        let (material, outline, _) = material.build_outline(target).await?;
        // It must be shorter than its messages, and no longer than twice the target; it may be longer than the summary
        // it replaces.
        let sizes = (target, old.depth, u64::from(old.source_tokens.0));
        match asking.write_summary(memory, &material, &outline, None, sizes).await? {
            SummaryAttempt::Wrote(written) => {
                let new = build_replacement(old, written, memory.clock.now());
                // Read for each summary: the redo before this one has changed the context.
                let expected = memory.store.active_context(id).await?.version;
                memory.store.apply_fold(NewFold { summary: new.clone(), expected, fence: lease.fence() }).await?;
                run.folded.push(fold_record(&new, u64::from(old.tokens.0)));
            }
            SummaryAttempt::Nobody => break,
            SummaryAttempt::Missed { why, others_may } => {
                run.add_degraded(why);
                if !others_may {
                    break;
                }
            }
        }
    }
    run.tokens_after = total_cost(&load_context(memory, id).await?.items);
    Ok((run, active.conversation.messages))
}

/// Summaries that a model could not write and that no later run wrote anew, oldest first.
async fn load_failed_summaries(memory: &MemoryContext, id: &ConversationId) -> Result<Vec<Summary>> {
    let mut failed = Vec::new();
    let mut before = None;
    loop {
        let page = memory.store.scan_summaries(Some(id), before, PAGE).await?;
        let Some((last, _)) = page.last() else { break };
        before = Some(*last);
        for (_, summary) in page {
            if summary.method == SummaryMethod::Fallback && memory.store.newest_redo(&summary.id).await?.is_none() {
                failed.push(summary);
            }
        }
    }
    failed.reverse();
    Ok(failed)
}

/// The summary that takes the place of another one.
fn build_replacement(old: &Summary, written: WrittenSummary, now: Timestamp) -> Summary {
    let SummaryDraft { content, tokens, kept } = written.draft;
    Summary {
        id: Summary::id_of(&old.conversation, old.range, &old.covers, &content),
        content,
        tokens,
        kept,
        method: written.method,
        created: now,
        redoes: Some(old.id.clone()),
        ..old.clone()
    }
}

impl CompactRun {
    /// Notes what models could not do, each once.
    pub(super) fn add_degraded(&mut self, why: Vec<crate::ledger::Degradation>) {
        for degraded in why {
            if !self.degraded.contains(&degraded) {
                self.degraded.push(degraded);
            }
        }
    }
}
