//! The `Observer` trait, through which long-running work, such as indexing, reports its progress to the caller and asks
//! whether it is cancelled.

/// Watches one long piece of work.
pub trait Observer: Send + Sync {
    /// `done` of `total` steps are behind us; `what` names the stage. Called often, must be quick.
    fn report_progress(&self, what: &'static str, done: u64, total: u64);

    /// Whether the work should stop at the next safe place.
    fn is_cancelled(&self) -> bool;
}

/// An observer that ignores progress and never cancels.
pub struct NullObserver;

impl Observer for NullObserver {
    fn report_progress(&self, _what: &'static str, _done: u64, _total: u64) {}

    fn is_cancelled(&self) -> bool {
        false
    }
}
