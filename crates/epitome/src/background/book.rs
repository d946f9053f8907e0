//! Background job of servers and the daemon: writes what was noted for the ledger a moment after it was noted, so that
//! other processes see it at once and a process that is killed loses no more than that moment.

use crate::compose::App;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long notes are gathered before they are written together. A listener wants to see a call within 100 ms.
const GATHER_TIME: Duration = Duration::from_millis(25);

/// Writes until it is asked to stop.
pub(super) fn start_booking(app: Arc<App>, stop: CancellationToken) {
    tokio::spawn(async move {
        while stop.run_until_cancelled(app.engine.wait_for_notes()).await.is_some() {
            tokio::time::sleep(GATHER_TIME).await;
            app.engine.flush_pending().await;
        }
    });
}
