//! Background jobs of long-running processes (servers, daemon): one table says which kind of process runs which job.

mod book;
mod fold;
mod follow;
mod recall_index;
mod release;
mod work_gate;

pub(crate) use follow::hold_watch;
pub(crate) use work_gate::RequestActivity;

use crate::compose::App;
use crate::hook::drain_while_serving;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use work_gate::WorkGate;

/// A kind of process that lives longer than one command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProcessKind {
    /// Answers hooks.
    Daemon,
    /// Serves one agent on standard input and output.
    McpServer,
    /// Serves over HTTP.
    HttpServer,
}

/// Work that goes on while a process lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BackgroundJob {
    /// Keeps the index of the project up to date as files change.
    Follow,
    /// Takes in the records of hooks that wait in the spool.
    Drain,
    /// Folds conversations that hold more than their share, and checks the integrity of what was folded.
    Fold,
    /// Indexes messages for recall behind a bulk ingest.
    IndexMessages,
    /// Lets go of what is kept in memory about worktrees that no question asked about in a while.
    Release,
    /// Writes what was noted for the ledger.
    Book,
}

/// Which process does which work. The daemon also drains and releases, in its own loop: hooks wake it, and it has engines
/// of several projects (`daemon/server.rs`). It watches the files of a project only while it answers about that project
/// (`daemon/app_cache.rs`).
const JOBS: [(ProcessKind, &[BackgroundJob]); 3] = [
    (ProcessKind::Daemon, &[BackgroundJob::Fold, BackgroundJob::Book]),
    (ProcessKind::McpServer, SERVER_JOBS),
    (ProcessKind::HttpServer, SERVER_JOBS),
];

const SERVER_JOBS: &[BackgroundJob] = &[
    BackgroundJob::Follow,
    BackgroundJob::Drain,
    BackgroundJob::Fold,
    BackgroundJob::IndexMessages,
    BackgroundJob::Release,
    BackgroundJob::Book,
];

/// The parts of a process that its background work needs.
pub(crate) struct JobResources {
    /// Whose files are followed.
    pub(crate) project: Arc<App>,
    /// For whom hooks of this machine write.
    pub(crate) local: Arc<App>,
    /// Whose conversations are folded, and who asks about code.
    pub(crate) tenants: Vec<Arc<App>>,
    /// The requests that the work gives way to.
    pub(crate) activity: Arc<RequestActivity>,
    /// Folding ends when this is cancelled.
    pub(crate) stop: CancellationToken,
}

impl JobResources {
    /// The context of a process that works for one project and one tenant.
    pub(crate) fn for_app(app: &Arc<App>, stop: CancellationToken) -> Self {
        let tenants = vec![Arc::clone(app)];
        Self { project: Arc::clone(app), local: Arc::clone(app), tenants, activity: Arc::default(), stop }
    }
}

/// Starts the background work of a process.
pub(crate) fn start_jobs(process: ProcessKind, context: &JobResources) {
    let gate = Arc::new(WorkGate::new(Arc::clone(&context.activity)));
    let jobs = JOBS.iter().filter(|(kind, _)| *kind == process).flat_map(|(_, jobs)| *jobs);
    for job in jobs {
        match job {
            BackgroundJob::Follow => follow::follow_project(Arc::clone(&context.project)),
            BackgroundJob::Drain => drain_while_serving(Arc::clone(&context.local)),
            BackgroundJob::Fold => {
                for app in &context.tenants {
                    fold::start_folding(Arc::clone(app), process, Arc::clone(&gate), context.stop.clone());
                }
            }
            BackgroundJob::IndexMessages => {
                for app in &context.tenants {
                    recall_index::start_indexing(Arc::clone(app), Arc::clone(&gate), context.stop.clone());
                }
            }
            BackgroundJob::Release => {
                for app in &context.tenants {
                    release::start_releasing(Arc::clone(app), context.stop.clone());
                }
            }
            BackgroundJob::Book => {
                for app in &context.tenants {
                    book::start_booking(Arc::clone(app), context.stop.clone());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_process_that_lives_on_folds() {
        for process in [ProcessKind::Daemon, ProcessKind::McpServer, ProcessKind::HttpServer] {
            let folds = |(kind, jobs): &(ProcessKind, &[BackgroundJob])| {
                *kind == process && jobs.contains(&BackgroundJob::Fold)
            };
            assert!(JOBS.iter().any(folds), "{process:?}");
        }
    }
}
