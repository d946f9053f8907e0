//! The `Clock` trait: wall-clock time for data and monotonic time for deadlines. The caller hands a clock in, so that
//! tests can stop the time; nothing is ordered by time.

use model::Timestamp;
use std::time::Duration;

/// Tells the time.
pub trait Clock: Send + Sync {
    /// The time now.
    fn now(&self) -> Timestamp;

    /// Time that has passed since some moment before; never runs backwards. For deadlines, never for data.
    fn monotonic_time(&self) -> Duration;
}
