//! Summaries that a model was asked for and could not write, written anew.
//!
//! The new one stands for the same messages and covers the same summaries. Where the old one is part of the context, it
//! takes its place; where the old one is covered by another, it is kept beside it, and whoever expands the other one
//! is shown the new one. Nothing above is touched: a summary's name is its text.

use super::asking::{Asked, Asking};
use super::lease::Lease;
use super::material::{Material, Written};
use super::run::folded_of;
use super::{CompactRequest, CompactRun};
use crate::memory::active::load;
use crate::memory::fold::cost;
use crate::memory::summarize::Draft;
use crate::{Engine, Error, Observer, Result};
use model::{ConversationId, Summary, SummaryMethod, Timestamp};
use store::NewFold;

/// Summaries read at a time.
const PAGE: u32 = 200;

pub(super) async fn redo(
    engine: &Engine,
    id: &ConversationId,
    request: &CompactRequest,
    observer: &dyn Observer,
) -> Result<CompactRun> {
    let lease = Lease::take(engine, id).await?;
    let outcome = all(engine, id, request, &lease, observer).await;
    let released = lease.release(outcome.as_ref().map_or(0, |(_, seen)| *seen)).await;
    let (run, _) = outcome?;
    released?;
    Ok(run)
}

async fn all(
    engine: &Engine,
    id: &ConversationId,
    request: &CompactRequest,
    lease: &Lease<'_>,
    observer: &dyn Observer,
) -> Result<(CompactRun, u64)> {
    let active = load(engine, id).await?;
    let mut run = CompactRun::new(id.clone(), active.conversation.name.clone(), cost(&active.items));
    let asking = Asking {
        conversation: id,
        project: active.conversation.project.as_ref(),
        trigger: request.trigger,
        provider: request.provider.as_deref(),
    };
    if !asking.has_model(engine) {
        run.stopped = Some("no model is there that could write them: see providers.chain".to_owned());
        return Ok((run, active.conversation.messages));
    }
    let failed = failed(engine, id).await?;
    for (done, old) in failed.iter().enumerate() {
        if observer.cancelled() {
            return Err(Error::Cancelled);
        }
        observer.progress("writing anew", done as u64, failed.len() as u64);
        lease.renew().await?;
        let settings = &engine.settings.memory;
        let target = if old.depth == 0 { settings.leaf_target_tokens } else { settings.condensed_target_tokens };
        let material = Material::of(engine, old).await?;
        let (material, outline, _) = material.outlined(target).await?;
        // Shorter than what it stands for, and no longer than twice what was asked for: it may be longer than the old one.
        let sizes = (target, old.depth, u64::from(old.source_tokens.0));
        match asking.ask(engine, &material, &outline, None, sizes).await? {
            Asked::Wrote(written) => {
                let new = anew(old, written, engine.clock.now());
                let expected = engine.store.active_context(id).await?.version;
                engine.store.fold(NewFold { summary: new.clone(), expected, fence: lease.fence() }).await?;
                run.folded.push(folded_of(&new, u64::from(old.tokens.0)));
            }
            Asked::Nobody => break,
            Asked::Missed { why, others_may } => {
                run.tell(why);
                if !others_may {
                    break;
                }
            }
        }
    }
    run.tokens_after = cost(&load(engine, id).await?.items);
    Ok((run, active.conversation.messages))
}

/// Summaries that a model could not write and that nobody wrote since, oldest first.
async fn failed(engine: &Engine, id: &ConversationId) -> Result<Vec<Summary>> {
    let (mut failed, mut before) = (Vec::new(), None);
    loop {
        let page = engine.store.scan_summaries(Some(id), before, PAGE).await?;
        let Some((last, _)) = page.last() else { break };
        before = Some(*last);
        for (_, summary) in page {
            if summary.method == SummaryMethod::Fallback && engine.store.redone(&summary.id).await?.is_none() {
                failed.push(summary);
            }
        }
    }
    failed.reverse();
    Ok(failed)
}

/// The summary that takes the place of another one.
fn anew(old: &Summary, written: Written, now: Timestamp) -> Summary {
    let Draft { content, tokens, kept } = written.draft;
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
    pub(super) fn tell(&mut self, why: Vec<crate::ledger::Degraded>) {
        for degraded in why {
            if !self.degraded.contains(&degraded) {
                self.degraded.push(degraded);
            }
        }
    }
}
