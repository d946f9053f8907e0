//! Observer of one MCP tool call: sends progress notifications to a client that asked for them, and reports
//! cancellation by the client or the server to the operation.

use engine::Observer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The least time between two notifications of one call.
const NOTIFICATION_INTERVAL: Duration = Duration::from_millis(100);

/// Observes the operation of one call.
pub(super) struct CallObserver {
    of_client: CancellationToken,
    of_server: CancellationToken,
    steps: watch::Sender<ProgressSteps>,
}

/// How far the work is. Stages follow each other and each counts from zero; what is reported only grows.
#[derive(Clone, Copy, Default)]
struct ProgressSteps {
    stage: &'static str,
    /// Steps of the stages before this one.
    before: u64,
    done: u64,
    total: u64,
}

impl CallObserver {
    /// Begins to watch, and to report if the request carries a progress token. The report ends when the watch is
    /// dropped; await it before answering, since nothing may follow the answer.
    pub(super) fn new(
        context: &RequestContext<RoleServer>,
        of_server: CancellationToken,
    ) -> (Self, impl Future<Output = ()> + use<>) {
        let (steps, seen) = watch::channel(ProgressSteps::default());
        let report = context
            .meta
            .get_progress_token()
            .map(|token| tokio::spawn(report_progress(context.peer.clone(), token, seen)));
        let ended = async {
            if let Some(report) = report {
                // The report cannot panic, and one that ended early takes nothing from the reply.
                let _ = report.await;
            }
        };
        (Self { of_client: context.ct.clone(), of_server, steps }, ended)
    }
}

impl Observer for CallObserver {
    fn report_progress(&self, what: &'static str, done: u64, total: u64) {
        self.steps.send_modify(|steps| steps.advance(what, done, total));
    }

    fn is_cancelled(&self) -> bool {
        self.of_client.is_cancelled() || self.of_server.is_cancelled()
    }
}

impl ProgressSteps {
    fn advance(&mut self, stage: &'static str, done: u64, total: u64) {
        if self.stage != stage {
            // A new stage counts on from the steps before it: the protocol wants numbers that only grow.
            *self = Self { stage, before: self.before + self.done, done: 0, total };
        }
        self.done = self.done.max(done);
        self.total = total;
    }

    fn steps_done(self) -> u64 {
        self.before + self.done
    }

    fn steps_total(self) -> Option<u64> {
        (self.total > 0).then(|| self.before + self.total.max(self.done))
    }
}

async fn report_progress(peer: Peer<RoleServer>, token: ProgressToken, mut seen: watch::Receiver<ProgressSteps>) {
    let mut told = None;
    let mut goes_on = true;
    while goes_on {
        goes_on = seen.changed().await.is_ok() && !ends_within(NOTIFICATION_INTERVAL, &mut seen).await;
        let steps = *seen.borrow_and_update();
        // The protocol demands that every number is larger than the one before.
        if steps.stage.is_empty() || told >= Some(steps.steps_done()) {
            continue;
        }
        told = Some(steps.steps_done());
        let mut note =
            ProgressNotificationParam::new(token.clone(), steps.steps_done() as f64).with_message(steps.stage);
        note.total = steps.steps_total().map(|total| total as f64);
        // The client went away; the work itself is cancelled by its own token.
        if peer.notify_progress(note).await.is_err() {
            return;
        }
    }
}

/// Waits for `pause`, or shorter when the work ends before.
async fn ends_within(pause: Duration, seen: &mut watch::Receiver<ProgressSteps>) -> bool {
    let ended = async { while seen.changed().await.is_ok() {} };
    tokio::time::timeout(pause, ended).await.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_grows_over_all_stages() {
        let mut steps = ProgressSteps::default();
        let rows = [
            (("looking", 0, 0), (0, None)),
            (("indexing", 2, 5), (2, Some(5))),
            (("indexing", 1, 5), (2, Some(5))),
            (("indexing", 5, 5), (5, Some(5))),
            (("linking", 1, 3), (6, Some(8))),
            (("linking", 4, 3), (9, Some(9))),
        ];
        for ((stage, done, total), expected) in rows {
            steps.advance(stage, done, total);
            assert_eq!((steps.steps_done(), steps.steps_total()), expected, "{stage} {done}/{total}");
        }
    }
}
