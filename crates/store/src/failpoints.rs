//! Failpoints for crash tests: named points in the middle of a write at which a process can be held, so that a test
//! can kill it there, or the database under it.
//!
//! Only builds with debug assertions have them: in a release nothing is compared and nothing can be armed. A process
//! that is held leaves a file to say so and waits until the test removes it.

/// A point in the middle of writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailPoint {
    /// Messages are written, and not committed.
    AppendWritten,
    /// A lease is written, and not committed.
    LeaseWritten,
    /// A summary is added, and stands in no context yet.
    FoldAdded,
    /// A summary stands in the context, and nothing is committed.
    FoldWritten,
    /// Facts are written, and not committed.
    FactsWritten,
    /// A lease is given back, and that is not committed.
    ReleaseWritten,
    /// Everything is written: the next thing is the commit.
    Committing,
    /// The commit is done, and no caller has its answer yet.
    Committed,
}

model::enum_words! {
    pub FailPoint {
        AppendWritten = "append.written",
        LeaseWritten = "lease.written",
        FoldAdded = "fold.added",
        FoldWritten = "fold.written",
        FactsWritten = "facts.written",
        ReleaseWritten = "release.written",
        Committing = "committing",
        Committed = "committed",
    }
}

#[cfg(debug_assertions)]
pub use armed::arm_failpoint;
#[cfg(all(debug_assertions, any(feature = "sqlite", feature = "postgres")))]
pub(crate) use armed::pass;

/// Does nothing: there are no points in a release.
#[cfg(all(not(debug_assertions), any(feature = "sqlite", feature = "postgres")))]
pub(crate) fn pass(_: FailPoint) {}

#[cfg(debug_assertions)]
mod armed {
    use super::FailPoint;
    use std::path::PathBuf;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    static HOLD: OnceLock<ArmedPoint> = OnceLock::new();

    struct ArmedPoint {
        point: FailPoint,
        /// Passed so often before it holds.
        before: AtomicU64,
        file: PathBuf,
    }

    /// Holds this process the given number of times after which it reaches a point: `POINT:TIMES:FILE`.
    pub fn arm_failpoint(text: &str) -> Result<(), String> {
        let wrong = || format!("`{text}` is not POINT:TIMES:FILE");
        let mut fields = text.splitn(3, ':');
        let mut field = || fields.next().ok_or_else(wrong);
        let name = field()?;
        let times = field()?;
        let file = field()?;
        let point = FailPoint::parse(name).ok_or_else(wrong)?;
        let times: u64 = times.parse().ok().filter(|times| *times > 0).ok_or_else(wrong)?;
        let hold = ArmedPoint { point, before: AtomicU64::new(times), file: file.into() };
        HOLD.set(hold).map_err(|_| "a process is held at one point only".to_owned())
    }

    /// Says that a point is reached.
    pub(crate) fn pass(point: FailPoint) {
        let Some(hold) = HOLD.get().filter(|hold| hold.point == point) else { return };
        // The counter wraps below zero afterwards, so the process is held once and a later pass goes through.
        if hold.before.fetch_sub(1, Ordering::Relaxed) != 1 {
            return;
        }
        // The file tells the test that the process is held; the test kills it now, or removes the file to let it go on.
        fs_err::write(&hold.file, "held\n").expect("the test that armed the point gave a folder that exists");
        while hold.file.exists() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_named_in_full_or_refused() {
        for (text, why) in [
            ("fold.written:1", "`fold.written:1` is not POINT:TIMES:FILE"),
            ("fold.written:0:/tmp/x", "`fold.written:0:/tmp/x` is not POINT:TIMES:FILE"),
            ("fold:1:/tmp/x", "`fold:1:/tmp/x` is not POINT:TIMES:FILE"),
        ] {
            assert_eq!(arm_failpoint(text), Err(why.to_owned()));
        }
    }
}
