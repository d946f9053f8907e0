//! A bell in every watch: rung by a question, heard where the system tells of changes.
//!
//! The system queues what happens to all that a watch is on in the order in which it happens. So whoever hears the bell
//! has been told of everything that was saved before it was rung, and a question need not overtake a save. It is a file
//! that only memory holds: it needs no place on a disk, nobody else can touch it, and nothing is left of it. Systems
//! without such files, or that do not tell of them, have no bell that was ever heard, and nobody waits for it.

use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};
use tokio::sync::watch;

pub(super) struct Bell {
    file: File,
    /// What it is called where changes are told.
    pub(super) path: PathBuf,
    state: watch::Sender<State>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Heard,
    Rung,
    /// Rung, and not heard in time. Nobody waits for it again before it is heard.
    Late,
}

/// What became of a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ring {
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

impl Bell {
    /// A bell, where the system has any; to be watched by its path.
    #[cfg(target_os = "linux")]
    pub(super) fn new() -> Option<Self> {
        use std::os::fd::AsRawFd;
        let file = File::from(rustix::fs::memfd_create("bell", rustix::fs::MemfdFlags::CLOEXEC).ok()?);
        let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
        Some(Self { file, path, state: watch::Sender::new(State::Late) })
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn new() -> Option<Self> {
        None
    }

    /// Rings for the first time: from when it is heard on, questions wait for it.
    pub(super) fn try_out(&self) {
        self.strike();
    }

    /// Waits until everything that happened before is told.
    pub(super) async fn ring(&self) -> Ring {
        let mut state = self.state.subscribe();
        if *state.borrow() == State::Late {
            return Ring::Unheard;
        }
        let heard = async {
            // Where somebody gave up waiting: two rings in a row are told as one.
            state.wait_for(|state| *state == State::Heard).await.is_ok() && {
                self.state.send_replace(State::Rung);
                self.strike();
                state.wait_for(|state| *state == State::Heard).await.is_ok()
            }
        };
        if tokio::time::timeout(PATIENCE, heard).await == Ok(true) {
            return Ring::Heard;
        }
        self.state.send_if_modified(|state| {
            let is_waited_for = *state == State::Rung;
            *state = if is_waited_for { State::Late } else { *state };
            is_waited_for
        });
        Ring::Late
    }

    /// It was heard, or so much was lost that everything is in doubt.
    pub(super) fn heard(&self) {
        self.state.send_replace(State::Heard);
    }

    fn strike(&self) {
        // Where that is refused, it is not heard either.
        let _ = self.file.set_modified(SystemTime::UNIX_EPOCH);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn nobody_waits_twice_for_a_bell_that_is_not_heard() {
        let bell = Bell::new().expect("this system has bells");
        assert_eq!(bell.ring().await, Ring::Unheard, "never heard yet");
        bell.heard();
        assert_eq!((bell.ring().await, bell.ring().await), (Ring::Late, Ring::Unheard));
        bell.heard();
        let (ring, ()) = tokio::join!(bell.ring(), async { bell.heard() });
        assert_eq!(ring, Ring::Heard);
    }
}
