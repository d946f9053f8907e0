//! A barrier in the queue of file events: a question changes a file of its own, and waits until its event arrives.
//!
//! The system queues what happens to all that a watch is on in the order in which it happens. So when the watcher hears
//! this event, it has received the events of everything that was saved before it, and a question need not
//! overtake a save. It is a file that only memory holds: it needs no place on a disk, no other process can touch it,
//! and nothing is left of it. Systems without such files, or that do not tell of them, have no barrier that was ever
//! heard, and no question waits for it.

use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};
use tokio::sync::watch;

pub(super) struct EventBarrier {
    file: File,
    /// What it is called where changes are told.
    pub(super) path: PathBuf,
    state: watch::Sender<BarrierState>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BarrierState {
    Heard,
    Rung,
    /// Rung, and not heard in time. No question waits for it again before it is heard.
    Late,
}

/// What became of a wait at the barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BarrierResult {
    /// Everything that happened before is told.
    Heard,
    /// Here bells are not heard.
    Unheard,
    /// It should have been heard by now.
    Late,
}

/// As long as this to be told of what happened is a system that lost it, or is so busy that a look at everything is no
/// matter.
const PATIENCE: Duration = Duration::from_millis(250);

impl EventBarrier {
    /// A barrier, where the system supports one; its file is watched by its path.
    #[cfg(target_os = "linux")]
    pub(super) fn new() -> Option<Self> {
        use std::os::fd::AsRawFd;
        let file = File::from(rustix::fs::memfd_create("bell", rustix::fs::MemfdFlags::CLOEXEC).ok()?);
        let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
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

    /// Waits until everything that happened before is told.
    pub(super) async fn sync(&self) -> BarrierResult {
        let mut state = self.state.subscribe();
        if *state.borrow() == BarrierState::Late {
            return BarrierResult::Unheard;
        }
        let heard = async {
            // An earlier caller may have stopped waiting before its ring was heard, and the system reports two rings in
            // a row as one event.
            state.wait_for(|state| *state == BarrierState::Heard).await.is_ok() && {
                self.state.send_replace(BarrierState::Rung);
                self.touch_file();
                state.wait_for(|state| *state == BarrierState::Heard).await.is_ok()
            }
        };
        if tokio::time::timeout(PATIENCE, heard).await == Ok(true) {
            return BarrierResult::Heard;
        }
        self.state.send_if_modified(|state| {
            let is_waited_for = *state == BarrierState::Rung;
            *state = if is_waited_for { BarrierState::Late } else { *state };
            is_waited_for
        });
        BarrierResult::Late
    }

    /// It was heard, or so much was lost that everything is in doubt.
    pub(super) fn complete_sync(&self) {
        self.state.send_replace(BarrierState::Heard);
    }

    fn touch_file(&self) {
        // Where that is refused, it is not heard either.
        let _ = self.file.set_modified(SystemTime::UNIX_EPOCH);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn nobody_waits_twice_for_a_bell_that_is_not_heard() {
        let bell = EventBarrier::new().expect("this system has bells");
        assert_eq!(bell.sync().await, BarrierResult::Unheard, "never heard yet");
        bell.complete_sync();
        assert_eq!((bell.sync().await, bell.sync().await), (BarrierResult::Late, BarrierResult::Unheard));
        bell.complete_sync();
        let (ring, ()) = tokio::join!(bell.sync(), async { bell.complete_sync() });
        assert_eq!(ring, BarrierResult::Heard);
    }
}
