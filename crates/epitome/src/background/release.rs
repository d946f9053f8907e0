//! Background job of servers: lets go of what is kept in memory about worktrees that no question asked about in a while.

use crate::compose::App;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often to look. A worktree is kept for ten minutes, so that one more hardly matters.
const POLL_INTERVAL: Duration = Duration::from_mins(1);

/// Lets go until it is asked to stop.
pub(super) fn start_releasing(app: Arc<App>, stop: CancellationToken) {
    tokio::spawn(async move {
        while stop.run_until_cancelled(tokio::time::sleep(POLL_INTERVAL)).await.is_some() {
            app.engine.release_idle();
        }
    });
}
