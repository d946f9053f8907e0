//! Work that a server does by itself: folding conversations that hold too much, and looking whether all fits together.
//!
//! Every server process works; jobs are rows in the store, so none is done twice and none is lost with a process.

use crate::compose::App;
use crate::http::metrics;
use engine::{Engine, Observer, Worked};
use std::sync::Arc;
use std::time::Duration;
use store::IntegrityMode;
use tokio_util::sync::CancellationToken;

/// How often to look for conversations that hold too much, and for jobs of others.
const LOOK: Duration = Duration::from_secs(10);
/// How long after the start everything is looked at, and how often from then on.
const FIRST_CHECK: Duration = Duration::from_mins(10);
const CHECK: Duration = Duration::from_hours(24);

/// Works until it is told to stop. What goes wrong is logged and tried again later.
pub(crate) fn start(app: Arc<App>, stop: CancellationToken) {
    if !app.config.memory.enabled {
        return;
    }
    tokio::spawn(async move {
        let told = Told(stop);
        ask_for_check(&app.engine, FIRST_CHECK).await;
        while !told.0.is_cancelled() {
            if let Err(error) = round(&app.engine, &told).await
                && !matches!(error, engine::Error::Cancelled)
            {
                tracing::warn!(%error, "work in the background was interrupted");
            }
            tokio::select! {
                () = told.0.cancelled() => {}
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    });
}

/// Asks for what is to be done, and does all that is due.
async fn round(engine: &Engine, told: &Told) -> Result<(), engine::Error> {
    engine.request_folding().await?;
    while let Some(worked) = engine.work(told).await? {
        match worked {
            Worked::Compacted(run) => metrics::compacted(run.folded.iter().map(|folded| folded.kind.as_str())),
            Worked::Checked(report) => {
                if !report.problems.is_empty() {
                    metrics::integrity_failed();
                }
                ask_for_check(engine, CHECK).await;
            }
            Worked::Failed { .. } => {}
        }
    }
    Ok(())
}

async fn ask_for_check(engine: &Engine, from_now: Duration) {
    if let Err(error) = engine.request_look(IntegrityMode::ScanAndPlan, from_now).await {
        tracing::warn!(%error, "nobody will look whether what was folded fits together");
    }
}

/// Is told to stop with the server.
struct Told(CancellationToken);

impl Observer for Told {
    fn progress(&self, _what: &'static str, _done: u64, _total: u64) {}

    fn cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}
