//! Background job of servers and the daemon: folds (summarises) conversations that hold too much, reads for facts what
//! new rules or an import left behind, and checks the integrity of the summaries. Jobs are rows in the store, so no job is done twice and no job is lost with a process.
//! Of the processes that agents start on one machine, only the one that holds a lock file looks for jobs: twenty agents
//! must not all poll.

use super::ProcessKind;
use super::work_gate::WorkGate;
use crate::compose::App;
use crate::metrics;
use engine::{Engine, JobOutcome, Observer, SkippedConversations};
use fs_err::{self as fs, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use store::IntegrityMode;
use tokio_util::sync::CancellationToken;

/// How often to look for conversations that hold too much, and for jobs of others.
const POLL_INTERVAL: Duration = Duration::from_secs(10);
/// How long a process that an agent started waits before it looks the first time: the agent's own questions come first.
const FIRST_LOOK: Duration = Duration::from_secs(2);
/// How long after the start everything is looked at, and how often from then on.
const FIRST_CHECK: Duration = Duration::from_mins(10);
const CHECK_INTERVAL: Duration = Duration::from_hours(24);

/// Folds until it is asked to stop. A failure is logged, and the work is tried again later.
pub(super) fn start_folding(app: Arc<App>, process: ProcessKind, gate: Arc<WorkGate>, stop: CancellationToken) {
    if !app.config.memory.enabled {
        return;
    }
    tokio::spawn(async move {
        let told = StopObserver(stop);
        // A server over HTTP may have several tenants, each with its own store, so one lock file cannot cover all of
        // them.
        let mut lock = FoldLock::new(&app, process != ProcessKind::HttpServer);
        let mut is_check_requested = false;
        let mut skipped = SkippedConversations::default();
        // An agent starts its MCP server together with its first question, and folding must not compete with that.
        if process != ProcessKind::HttpServer {
            tokio::time::sleep(FIRST_LOOK).await;
        }
        while !told.0.is_cancelled() {
            if lock.is_held() {
                // Asked for once in a process: the job is a row in the store, and the check asks for the next one
                // itself.
                if !std::mem::replace(&mut is_check_requested, true) {
                    ask_for_check(&app.engine, FIRST_CHECK).await;
                }
                if let Err(error) = run_due_jobs(&app.engine, &gate, &mut skipped, &told).await
                    // A cancelled job is how the process ends, and no failure.
                    && !matches!(error, engine::Error::Cancelled)
                {
                    tracing::warn!(%error, "work in the background was interrupted");
                }
            }
            tokio::select! {
                () = told.0.cancelled() => {}
                () = tokio::time::sleep(POLL_INTERVAL) => {}
            }
        }
    });
}

/// Asks for what is to be done, and does all that is due. `skipped` are conversations that cannot be read for facts.
async fn run_due_jobs(
    engine: &Engine,
    gate: &WorkGate,
    skipped: &mut SkippedConversations,
    told: &StopObserver,
) -> Result<(), engine::Error> {
    // Before the folding, which may wait for a model: the next session is told these facts.
    if let Err(error) = renew_facts(engine, gate, skipped, told).await {
        // Facts can be read later, by a session as well; folding must not wait for it.
        tracing::warn!(%error, "could not read conversations for facts");
    }
    gate.pass(engine.archive_idle_conversations(told)).await?;
    gate.pass(engine.request_folding()).await?;
    while let Some(worked) = gate.pass(engine.run_next_job(told)).await? {
        match worked {
            JobOutcome::Compacted(run) => {
                metrics::count_compaction(run.folded.iter().map(|folded| folded.kind.as_str()));
            }
            JobOutcome::Checked(report) => {
                if !report.problems.is_empty() {
                    metrics::count_integrity_failure();
                }
                // The next check is scheduled only after this one, so that two never pile up in a store that is slow to
                // scan.
                ask_for_check(engine, CHECK_INTERVAL).await;
            }
            JobOutcome::Failed { .. } => {}
        }
    }
    Ok(())
}

async fn renew_facts(
    engine: &Engine,
    gate: &WorkGate,
    skipped: &mut SkippedConversations,
    told: &StopObserver,
) -> Result<(), engine::Error> {
    while gate.pass(engine.renew_facts(skipped, told)).await? > 0 {}
    Ok(())
}

async fn ask_for_check(engine: &Engine, from_now: Duration) {
    if let Err(error) = engine.request_look(IntegrityMode::ScanAndPlan, from_now).await {
        tracing::warn!(%error, "could not schedule the integrity check");
    }
}

/// The right to look for jobs on this machine. The operating system releases it when the process ends, however it ends.
struct FoldLock {
    path: Option<PathBuf>,
    file: Option<File>,
}

impl FoldLock {
    fn new(app: &App, is_needed: bool) -> Self {
        Self { path: is_needed.then(|| app.directories.state.join("fold.lock")), file: None }
    }

    /// Whether this process has the lock, or needs none; tries to get it otherwise.
    fn is_held(&mut self) -> bool {
        let Some(path) = &self.path else { return true };
        if self.file.is_none() {
            match open_lock(path) {
                // A lock of the operating system ends with its process, so a crash leaves no stale lock behind.
                Ok(file) => self.file = file.try_lock().is_ok().then_some(file),
                // Jobs are rows with leases, so without the lock processes only look for work more often than they need
                // to.
                Err(error) => {
                    tracing::warn!(%error, "cannot keep the lock of folding");
                    self.path = None;
                    return true;
                }
            }
        }
        self.file.is_some()
    }
}

fn open_lock(path: &Path) -> std::io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::OpenOptions::new().create(true).truncate(false).write(true).open(path)
}

/// Is cancelled with the process.
struct StopObserver(CancellationToken);

impl Observer for StopObserver {
    fn report_progress(&self, _what: &'static str, _done: u64, _total: u64) {}

    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}
