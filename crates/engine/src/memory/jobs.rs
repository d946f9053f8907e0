//! The background job queue: jobs that compact conversations that are too full, and jobs that check the integrity of
//! summaries, contexts and facts.
//!
//! Jobs are rows in the store, so that many processes share them and none is lost with one. The process that takes a
//! job renews its lease; one that stops renewing loses the job, and its later writes are refused.

use super::compact::{CompactEffect, CompactRequest, CompactRun, ConversationSelection, fold_one, run_with_renewal};
use super::fold::FoldMode;
use super::integrity::{FoldProblem, check_folds};
use crate::base::{Error, Observer, Result};
use crate::memory::MemoryContext;
use model::{ConversationId, Timestamp};
use std::time::Duration;
use store::{IntegrityMode, Job, JobEnd, JobTask, NewJob};

/// The result of a job.
#[derive(Debug)]
pub enum JobOutcome {
    /// A conversation was folded.
    Compacted(Box<CompactRun>),
    /// Conversations were checked.
    Checked(IntegrityReport),
    /// It failed; it is tried again, or given up.
    Failed {
        /// Why.
        why: String,
    },
}

/// The result of a check of all conversations.
#[derive(Clone, Debug, Default)]
pub struct IntegrityReport {
    /// Conversations checked.
    pub conversations: u64,
    /// Summaries checked.
    pub summaries: u64,
    /// The problems. Where a plan was requested, their remedies are the plan.
    pub problems: Vec<FoldProblem>,
    /// Whether a plan was requested.
    pub planned: bool,
}

/// A job that failed so often is given up.
const MAX_JOB_ATTEMPTS: u32 = 5;
/// How long after the first failure it is tried again; longer after each more.
const INITIAL_RETRY_DELAY: Duration = Duration::from_secs(30);

/// Asks for the folding of every conversation that holds too much, and says how many they are.
pub(crate) async fn request_folding(memory: &MemoryContext) -> Result<u64> {
    let settings = &memory.settings;
    if !settings.enabled || !settings.autocompact {
        return Ok(0);
    }
    let pressed = memory.store.oversized_contexts(settings.fold_pressure()).await?;
    for conversation in &pressed {
        let work = JobTask::Compact(model::FoldTrigger::Threshold);
        request_job(memory, work, Some(conversation.clone()), Duration::ZERO).await?;
    }
    Ok(pressed.len() as u64)
}

/// Requests a check of all conversations, some time from now.
pub(crate) async fn request_integrity_check(
    memory: &MemoryContext,
    mode: IntegrityMode,
    from_now: Duration,
) -> Result<()> {
    request_job(memory, JobTask::Integrity(mode), None, from_now).await
}

async fn request_job(
    memory: &MemoryContext,
    work: JobTask,
    conversation: Option<ConversationId>,
    wait: Duration,
) -> Result<()> {
    let now = memory.clock.now();
    let job = NewJob { work, conversation, requested: now, not_before: time_after(now, wait) };
    memory.store.request_job(job).await?;
    Ok(())
}

/// Takes the next job that is due and does it; none when nothing is due.
pub(crate) async fn run_next_job(memory: &MemoryContext, observer: &dyn Observer) -> Result<Option<JobOutcome>> {
    let now = memory.clock.now();
    // Held to the end of the job: a worker that is gone must not keep others from it.
    let Some((job, _lease)) = memory.store.take_job(now, memory.leases.lasts).await? else { return Ok(None) };
    let outcome = run_with_heartbeat(memory, &job, observer).await;
    let (worked, end) = match outcome {
        Ok(worked) => (worked, JobEnd::Done),
        // The caller cancelled it: another process may take the job at once.
        Err(Error::Cancelled) => {
            let end = JobEnd::Failed { why: Error::Cancelled.to_string(), again: Some(memory.clock.now()) };
            memory.store.end_job(job.id, job.fence, end).await?;
            return Err(Error::Cancelled);
        }
        Err(error) => {
            let why = error.to_string();
            // Doubled each time, so that a store or provider that is briefly down is not asked five times in a row.
            let pause = INITIAL_RETRY_DELAY * 2_u32.saturating_pow(job.attempts.saturating_sub(1));
            let again = (job.attempts < MAX_JOB_ATTEMPTS).then(|| time_after(memory.clock.now(), pause));
            tracing::warn!(job = job.id.0, attempts = job.attempts, %error, "a job failed");
            (JobOutcome::Failed { why: why.clone() }, JobEnd::Failed { why, again })
        }
    };
    memory.store.end_job(job.id, job.fence, end).await?;
    Ok(Some(worked))
}

/// Runs a job, and renews its lease meanwhile.
async fn run_with_heartbeat(memory: &MemoryContext, job: &Job, observer: &dyn Observer) -> Result<JobOutcome> {
    let leases = memory.leases;
    // On the heap: a job holds whole conversations while it folds, and every caller would carry the room for them.
    let work = Box::pin(execute_job(memory, job, observer));
    run_with_renewal(work, leases.renewed_every, || async {
        Ok(memory.store.keep_job(job.id, job.fence, leases.lasts).await?)
    })
    .await
}

async fn execute_job(memory: &MemoryContext, job: &Job, observer: &dyn Observer) -> Result<JobOutcome> {
    match (job.work, &job.conversation) {
        (JobTask::Compact(trigger), Some(id)) => {
            let which = ConversationSelection::One(id.to_string());
            let effect = CompactEffect::Fold;
            // Few and large steps: every fold changes the beginning of the prompt, and prompt caches are beginnings.
            let request = CompactRequest { which, mode: FoldMode::Sweep, trigger, effect, provider: None };
            Ok(JobOutcome::Compacted(Box::new(fold_one(memory, id, &request, observer).await?)))
        }
        // The engine never requests folding without a conversation; such a row was not written by it.
        (JobTask::Compact(_), None) => Err(Error::NotFound { what: "conversation", id: String::new(), hint: None }),
        (JobTask::Integrity(mode), one) => {
            Ok(JobOutcome::Checked(check_integrity(memory, one.as_ref(), mode, observer).await?))
        }
    }
}

async fn check_integrity(
    memory: &MemoryContext,
    one: Option<&ConversationId>,
    mode: IntegrityMode,
    observer: &dyn Observer,
) -> Result<IntegrityReport> {
    let mut report = IntegrityReport { planned: mode == IntegrityMode::ScanAndPlan, ..IntegrityReport::default() };
    let conversations = memory.store.list_conversations().await?;
    for conversation in conversations.iter().filter(|it| one.is_none_or(|one| *one == it.id)) {
        if observer.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let check = check_folds(memory, conversation).await?;
        report.conversations += 1;
        report.summaries += check.summaries;
        report.problems.extend(check.problems);
    }
    for problem in &report.problems {
        let plan = if report.planned { problem.remedy.advice_text() } else { "" };
        tracing::error!(subject = problem.subject, what = problem.what, plan, "what was folded does not fit together");
    }
    Ok(report)
}

fn time_after(now: Timestamp, wait: Duration) -> Timestamp {
    Timestamp(now.0.saturating_add(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX)))
}
