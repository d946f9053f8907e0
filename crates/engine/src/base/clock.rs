//! The time, as a value that the caller hands in: tests stop it, and nothing is ordered by it.

use model::Timestamp;
use std::time::Duration;

/// Tells the time.
pub trait Clock: Send + Sync {
    /// The time now.
    fn now(&self) -> Timestamp;

    /// Time that has passed since some moment before; never runs backwards. For deadlines, never for data.
    fn monotonic_time(&self) -> Duration;
}
