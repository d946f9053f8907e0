//! The time, as a value somebody hands in: tests stop it, and nothing is ordered by it.

use model::Timestamp;

/// Tells the time.
pub trait Clock: Send + Sync {
    /// The time now.
    fn now(&self) -> Timestamp;
}
