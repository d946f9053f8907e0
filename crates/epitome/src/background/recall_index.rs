//! Background job of servers: indexes messages for recall behind a bulk ingest through the same process, so that the
//! first question does not wait for it.

use super::work_gate::WorkGate;
use crate::compose::App;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often to look whether many messages came.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Indexes until it is asked to stop. A failure is logged, and the next question tries again.
pub(super) fn start_indexing(app: Arc<App>, gate: Arc<WorkGate>, stop: CancellationToken) {
    tokio::spawn(async move {
        while !stop.is_cancelled() {
            if let Err(error) = gate.pass(app.engine.prepare_recall()).await {
                tracing::warn!(%error, "could not index the messages for recall");
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(POLL_INTERVAL) => {}
            }
        }
    });
}
