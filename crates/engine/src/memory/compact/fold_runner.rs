//! Compacts one conversation: plans the next fold, has its summary written by a model or by the built-in summarizer,
//! stores it, and repeats until the plan is empty or a time limit is reached. A dry run stores nothing and adds up the
//! price.

use super::fold_input::{FoldInput, WrittenSummary};
use super::lease::ContextLease;
use super::model_summarizer::{ModelSummarizer, SummaryAttempt};
use super::{CompactEffect, CompactRequest, CompactRun, FoldPrice, FoldRecord, SkippedFold};
use crate::base::{Error, Observer, Result};
use crate::ledger::model_name;
use crate::memory::MemoryContext;
use crate::memory::active_context::{ConversationContext, load_context};
use crate::memory::durable::promote_after_fold;
use crate::memory::fact;
use crate::memory::fold::{FENCE, FoldItem, FoldNode, FoldProgress, FoldStep, next_step, total_cost};
use crate::memory::summarize::{SummaryDraft, SummaryOutline};
use model::{ConversationId, DigestBuilder, Money, Summary, SummaryId, SummaryMethod, TokenCount, count_tokens};
use std::collections::HashMap;
use std::time::Duration;
use store::NewFold;

/// One run does not go on for longer, nor make more folds; asking again goes on.
const MAX_RUN_DURATION: Duration = Duration::from_mins(10);
const MOST_FOLDS: usize = 10_000;
/// Tokens of a prompt besides its material, about.
const PROMPT: u64 = 400;
/// How often a context that changed meanwhile is read again.
const MAX_CONTEXT_RELOADS: u32 = 3;

/// Folds one conversation.
pub(crate) async fn fold_one(
    memory: &MemoryContext,
    id: &ConversationId,
    request: &CompactRequest,
    observer: &dyn Observer,
) -> Result<CompactRun> {
    match request.effect {
        CompactEffect::Redo => return super::redo::redo_summaries(memory, id, request, observer).await,
        CompactEffect::Show => {
            let mut folding = FoldRunner::start(memory, id, request, None).await?;
            folding.fold_all(observer).await?;
            return Ok(folding.run);
        }
        CompactEffect::Fold => {}
    }
    let lease = ContextLease::acquire(memory, id).await?;
    let outcome = lease.renew_during(fold_with_lease(memory, id, request, &lease, observer)).await;
    // Released also where the run failed: a lease that is left behind keeps others waiting until it ends.
    let released = lease.release(outcome.as_ref().map_or(0, |(_, seen)| *seen)).await;
    let (run, _) = outcome?;
    released?;
    log_run(&run, request);
    Ok(run)
}

async fn fold_with_lease(
    memory: &MemoryContext,
    id: &ConversationId,
    request: &CompactRequest,
    lease: &ContextLease<'_>,
    observer: &dyn Observer,
) -> Result<(CompactRun, u64)> {
    let mut folding = FoldRunner::start(memory, id, request, Some(lease)).await?;
    folding.fold_all(observer).await?;
    // Facts are what a context says besides summaries, so they move on when it does: a prompt that begins with both
    // stays the same between folds. An earlier fold may have been stopped between the two.
    let context = &folding.active.context;
    let are_behind = context.summaries.last().is_some_and(|newest| context.facts.to < newest.range.last);
    if !folding.run.folded.is_empty() || are_behind {
        fact::update_facts(memory, id).await?;
        promote_after_fold(memory, id).await;
    }
    Ok((folding.run, folding.active.conversation.messages))
}

struct FoldRunner<'a> {
    memory: &'a MemoryContext,
    request: &'a CompactRequest,
    /// `None` for a dry run.
    lease: Option<&'a ContextLease<'a>>,
    active: ConversationContext,
    progress: FoldProgress,
    run: CompactRun,
    looks: u32,
    /// Models failed for a reason that holds for the next chunk, too, so they are not asked again.
    models_rest: bool,
    /// Summaries of a dry run.
    shown: HashMap<SummaryId, Summary>,
}

impl<'a> FoldRunner<'a> {
    async fn start(
        memory: &'a MemoryContext,
        id: &ConversationId,
        request: &'a CompactRequest,
        lease: Option<&'a ContextLease<'a>>,
    ) -> Result<Self> {
        let active = load_context(memory, id).await?;
        let run = CompactRun::new(&active.conversation, total_cost(&active.items));
        let progress = FoldProgress::default();
        let looks = 0;
        let models_rest = false;
        let shown = HashMap::default();
        Ok(Self { memory, request, lease, active, progress, run, looks, models_rest, shown })
    }

    async fn fold_all(&mut self, observer: &dyn Observer) -> Result<()> {
        let started = self.memory.clock.monotonic_time();
        let rules = self.memory.settings.fold_rules_for(self.request.trigger);
        let chunk = u64::from(rules.leaf_chunk.0.max(1));
        while let Some(step) = next_step(&self.active.items, &rules, self.request.mode, &self.progress) {
            if observer.is_cancelled() {
                return Err(Error::Cancelled);
            }
            let done = self.run.folded.len() + self.run.left_alone.len();
            observer.report_progress("folding", done as u64, done as u64 + self.run.tokens_after / chunk);
            // Checked between folds, so every fold that was begun is whole.
            if done >= MOST_FOLDS || self.memory.clock.monotonic_time().saturating_sub(started) > MAX_RUN_DURATION {
                self.run.stopped = Some("there is more to fold than one run does: run it again".to_owned());
                return Ok(());
            }
            self.fold_step(&step).await?;
            self.run.tokens_after = total_cost(&self.active.items);
        }
        Ok(())
    }

    async fn fold_step(&mut self, step: &FoldStep) -> Result<()> {
        let window = &self.active.items[step.window.clone()];
        let before = total_cost(window);
        let material = FoldInput::load_window(self.memory, &self.run.conversation, window, &self.shown).await?;
        let (material, outline, draft) = material.build_outline(step.target).await?;
        let written = self.write_summary(step, &material, &outline, draft, before).await?;
        let tokens = u64::from((written.draft.tokens + FENCE).0);
        // Noted as skipped, or the next look at the context would plan the same window for ever.
        if written.draft.content.is_empty() || tokens >= before {
            self.progress.skipped.insert(step.range);
            let why = format!("cannot be made shorter: {tokens} tokens in place of {before}");
            self.run.left_alone.push(SkippedFold { range: step.range, why });
            return Ok(());
        }
        let now = self.memory.clock.now();
        let summary = material.build_summary(&self.run.conversation, step, written, self.request.trigger, now);
        if let Some(lease) = self.lease {
            if !self.store_fold(&summary, lease).await? {
                return Ok(());
            }
        } else {
            self.shown.insert(summary.id.clone(), summary.clone());
        }
        self.progress.leaves += u32::from(step.depth == 0);
        let id = summary.id.clone();
        let range = summary.range;
        let tokens = summary.tokens;
        let depth = summary.depth;
        self.active.items.splice(step.window.clone(), [FoldItem::Summary(FoldNode { id, range, tokens, depth })]);
        self.run.folded.push(fold_record(&summary, before));
        Ok(())
    }

    /// The text of a step: a model's where one is asked and answers, else the built-in one.
    async fn write_summary(
        &mut self,
        step: &FoldStep,
        material: &FoldInput,
        outline: &SummaryOutline,
        draft: SummaryDraft,
        before: u64,
    ) -> Result<WrittenSummary> {
        let conversation = &self.active.conversation;
        let asking = ModelSummarizer {
            conversation: &conversation.id,
            project: conversation.project.as_ref(),
            trigger: self.request.trigger,
            provider: self.request.provider.as_deref(),
        };
        // A dry run calls no model: it shows the built-in text and what a model would cost.
        if self.lease.is_none() {
            if asking.has_model(self.memory) {
                let shown = material.render_material(outline, step.depth, step.target);
                let tokens = shown.iter().map(|text| u64::from(count_tokens(text).0)).sum();
                self.add_price(tokens, step.target);
            }
            return Ok(WrittenSummary { draft, method: SummaryMethod::Extractive });
        }
        if self.models_rest {
            return Ok(WrittenSummary { draft, method: SummaryMethod::Fallback });
        }
        // A model that sees the summary before writes on from it instead of repeating it.
        let earlier = match step.window.start.checked_sub(1).map(|at| &self.active.items[at]) {
            Some(FoldItem::Summary(node)) => {
                self.memory.store.load_summary(&node.id).await?.map(|summary| summary.content)
            }
            Some(FoldItem::Message(_)) | None => None,
        };
        let room = before.saturating_sub(u64::from(FENCE.0));
        let sizes = (step.target, step.depth, room);
        match asking.write_summary(self.memory, material, outline, earlier.as_deref(), sizes).await? {
            SummaryAttempt::Wrote(written) => Ok(written),
            SummaryAttempt::Nobody => Ok(WrittenSummary { draft, method: SummaryMethod::Extractive }),
            SummaryAttempt::Missed { why, others_may } => {
                // Providers that refused once for a reason that stays are not asked again for every chunk.
                self.models_rest = !others_may;
                self.run.add_degraded(why);
                Ok(WrittenSummary { draft, method: SummaryMethod::Fallback })
            }
        }
    }

    /// Adds one call to what a model would cost.
    fn add_price(&mut self, source: u64, target: TokenCount) {
        let generators = &self.memory.ledger.providers.generators;
        let Some(model) = generators.first().map(|generator| model_name(generator.model())) else { return };
        let known = self.memory.ledger.spend.prices.find_price(&model);
        let price = self.run.price.get_or_insert_with(|| FoldPrice {
            model,
            calls: 0,
            tokens_in: 0,
            tokens_out: 0,
            money: known.map(|_| Money::default()),
        });
        price.calls += 1;
        price.tokens_in += source + PROMPT;
        price.tokens_out += u64::from(target.0);
        price.money = known.map(|known| known.worst_cost(price.tokens_in, price.tokens_out).money);
    }

    /// Puts the summary into the context. False when the context moved under us and was read again.
    async fn store_fold(&mut self, summary: &Summary, lease: &ContextLease<'_>) -> Result<bool> {
        let expected = self.active.context.version;
        let fence = lease.fence();
        match self.memory.store.apply_fold(NewFold { summary: summary.clone(), expected, fence }).await {
            Ok(version) => {
                self.active.context.version = version;
                Ok(true)
            }
            // Messages may have come, or another process may have folded: the plan is made anew from what is there.
            Err(store::Error::Conflict { .. }) if self.looks < MAX_CONTEXT_RELOADS => {
                self.looks += 1;
                self.active = load_context(self.memory, &self.run.conversation).await?;
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// The record of a summary in the report of a run.
pub(super) fn fold_record(summary: &Summary, instead_of: u64) -> FoldRecord {
    FoldRecord {
        id: summary.id.clone(),
        kind: summary.kind(),
        depth: summary.depth,
        range: summary.range,
        tokens: summary.tokens,
        instead_of,
        method: summary.method.clone(),
        kept: summary.kept,
    }
}

/// Logs what a run did.
fn log_run(run: &CompactRun, request: &CompactRequest) {
    let Some(first) = run.folded.first() else { return };
    let compaction = DigestBuilder::new("compaction").add_field(first.id.as_str().as_bytes()).finish().to_string();
    for folded in &run.folded {
        tracing::info!(conversation_id = %run.conversation, compaction_id = &compaction[..16], summary_id = %folded.id,
            kind = folded.kind.as_str(), "folded");
    }
    tracing::info!(
        conversation_id = %run.conversation,
        session_id = %run.name,
        compaction_id = &compaction[..16],
        trigger_reason = request.trigger.as_str(),
        token_before = run.tokens_before,
        token_after = run.tokens_after,
        summaries = run.folded.len(),
        "compacted"
    );
}
