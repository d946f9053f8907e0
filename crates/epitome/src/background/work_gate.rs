//! `WorkGate`: how much a process does behind its answers at once, for however many tenants, and how it gives way to
//! requests.
//!
//! A server has work for each of its tenants, and after a bulk load for all of them together. Without a bound they would
//! share the processor and the connections among them, and a request would have to wait for its part.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// How often to look whether requests are still answered.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);
/// How long after the last request the process counts as busy.
const BUSY_AFTER_REQUEST: Duration = Duration::from_secs(1);
/// While requests are answered, a piece of work is followed by a rest of so many times its length.
const REST_FACTOR: u32 = 3;

/// The requests that a process answers.
#[derive(Default)]
pub(crate) struct RequestActivity {
    in_flight: AtomicUsize,
    last_end: Mutex<Option<Instant>>,
}

impl RequestActivity {
    /// Counts a request until what is returned is dropped.
    pub(crate) fn begin_request(self: &Arc<Self>) -> RunningRequest {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        RunningRequest(Arc::clone(self))
    }

    fn is_busy(&self) -> bool {
        let last = *self.last_end.lock().unwrap_or_else(PoisonError::into_inner);
        self.in_flight.load(Ordering::Relaxed) > 0 || last.is_some_and(|last| last.elapsed() < BUSY_AFTER_REQUEST)
    }
}

/// A request that is being answered.
pub(crate) struct RunningRequest(Arc<RequestActivity>);

impl Drop for RunningRequest {
    fn drop(&mut self) {
        *self.0.last_end.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Lets so much work begin at once as there are processors.
pub(crate) struct WorkGate {
    permits: Semaphore,
    activity: Arc<RequestActivity>,
}

impl WorkGate {
    pub(crate) fn new(activity: Arc<RequestActivity>) -> Self {
        // Two at least: work that waits for a model must not keep all other work waiting.
        let processors = std::thread::available_parallelism().map_or(2, usize::from).max(2);
        Self { permits: Semaphore::new(processors), activity }
    }

    /// Does a piece of work when it is its turn, and then rests as long as requests need the processor.
    pub(super) async fn pass<T>(&self, work: impl Future<Output = T>) -> T {
        // The semaphore is never closed; without a permit the work would only be less bounded.
        let _permit = self.permits.acquire().await;
        let started = Instant::now();
        let done = work.await;
        let rest = started.elapsed() * REST_FACTOR;
        let begun = Instant::now();
        // The permit is kept meanwhile, so that no other work takes the place of this one.
        while begun.elapsed() < rest && self.activity.is_busy() {
            tokio::time::sleep(LOOK_INTERVAL.min(rest)).await;
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn no_more_work_begins_than_the_gate_has_room_for() {
        let gate = Arc::new(WorkGate { permits: Semaphore::new(2), activity: Arc::default() });
        let running = Arc::new(AtomicUsize::new(0));
        let most = Arc::new(AtomicUsize::new(0));
        let work = (0..20).map(|_| {
            let (gate, running, most) = (Arc::clone(&gate), Arc::clone(&running), Arc::clone(&most));
            tokio::spawn(async move {
                gate.pass(async {
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    running.fetch_sub(1, Ordering::SeqCst);
                })
                .await;
            })
        });
        for done in work.collect::<Vec<_>>() {
            done.await.expect("no work panics");
        }
        assert_eq!(most.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn a_process_is_busy_while_a_request_runs_and_shortly_after() {
        let activity = Arc::new(RequestActivity::default());
        assert!(!activity.is_busy());
        let request = activity.begin_request();
        assert!(activity.is_busy());
        drop(request);
        assert!(activity.is_busy());
        *activity.last_end.lock().expect("not poisoned") = None;
        assert!(!activity.is_busy());
    }
}
