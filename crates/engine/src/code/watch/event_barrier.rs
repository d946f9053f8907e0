//! A barrier in the queue of file system events: a question changes an in-memory file of its own and waits for its
//! event. Events are queued in order, so by then the watcher has received the events of everything saved before, and no
//! question overtakes a save. Such a file needs no place on a disk, no other process can touch it, and nothing is left
//! of it. On systems without such files or events the barrier never completes, and no question waits for it.

use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};
use tokio::sync::watch;

pub(super) struct EventBarrier {
    file: File,
    /// Its path in file events.
    pub(super) path: PathBuf,
    state: watch::Sender<BarrierState>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BarrierState {
    /// The event of the last change of the file arrived.
    Arrived,
    /// The file was changed, and its event has not arrived yet.
    Pending,
    /// The event did not arrive in time, or never did so far. No question waits before one arrives.
    Late,
}

/// The result of a wait at the barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BarrierResult {
    /// Every event from before has arrived.
    Arrived,
    /// No event of this barrier arrives here, so nothing was waited for.
    Unsupported,
    /// The event should have arrived by now.
    Late,
}

/// After this long, events were lost, or the system is so busy that a scan of everything makes no difference.
const EVENT_TIMEOUT: Duration = Duration::from_millis(250);

impl EventBarrier {
    /// A barrier, where the system supports one; its file is watched by its path.
    #[cfg(target_os = "linux")]
    pub(super) fn new() -> Option<Self> {
        use std::os::fd::AsRawFd;
        // A file in memory still has a path under `/proc`, by which it can be watched.
        let file = File::from(rustix::fs::memfd_create("epitome-barrier", rustix::fs::MemfdFlags::CLOEXEC).ok()?);
        let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
        // `Late` until the first event arrives: a barrier that was never seen to work must not delay a question.
        Some(Self { file, path, state: watch::Sender::new(BarrierState::Late) })
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn new() -> Option<Self> {
        None
    }

    /// Changes the file for the first time: once that event arrives, questions wait at the barrier.
    pub(super) fn try_out(&self) {
        self.touch_file();
    }

    /// Waits until every event from before this call has arrived.
    pub(super) async fn sync(&self) -> BarrierResult {
        let mut state = self.state.subscribe();
        if *state.borrow() == BarrierState::Late {
            return BarrierResult::Unsupported;
        }
        let arrival = async {
            // An earlier caller may have stopped waiting before its event arrived, and the system reports two changes in
            // a row as one event.
            state.wait_for(|state| *state == BarrierState::Arrived).await.is_ok() && {
                self.state.send_replace(BarrierState::Pending);
                self.touch_file();
                state.wait_for(|state| *state == BarrierState::Arrived).await.is_ok()
            }
        };
        if tokio::time::timeout(EVENT_TIMEOUT, arrival).await == Ok(true) {
            return BarrierResult::Arrived;
        }
        // The event may have arrived right after the timeout, so only a barrier that still waits becomes late.
        self.state.send_if_modified(|state| {
            let is_waited_for = *state == BarrierState::Pending;
            *state = if is_waited_for { BarrierState::Late } else { *state };
            is_waited_for
        });
        BarrierResult::Late
    }

    /// The event arrived, or events were lost and everything counts as changed.
    pub(super) fn complete_sync(&self) {
        self.state.send_replace(BarrierState::Arrived);
    }

    fn touch_file(&self) {
        // If the system refuses, the event does not arrive either. The time is the same every time: setting it is
        // reported all the same.
        let _ = self.file.set_modified(SystemTime::UNIX_EPOCH);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn no_question_waits_twice_for_an_event_that_does_not_arrive() {
        let barrier = EventBarrier::new().expect("this system has such files");
        assert_eq!(barrier.sync().await, BarrierResult::Unsupported, "no event arrived yet");
        barrier.complete_sync();
        assert_eq!((barrier.sync().await, barrier.sync().await), (BarrierResult::Late, BarrierResult::Unsupported));
        barrier.complete_sync();
        let (result, ()) = tokio::join!(barrier.sync(), async { barrier.complete_sync() });
        assert_eq!(result, BarrierResult::Arrived);
    }
}
