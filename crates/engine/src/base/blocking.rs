//! Runs blocking work (computing, disk access) on tokio's blocking thread pool, so that the async threads that answer
//! requests do not wait for it; a panic of the work becomes an error.

use super::{Error, Result};

/// Runs work that computes or waits for the disk away from the threads that answer requests.
pub(crate) async fn run_blocking<T: Send + 'static>(
    what: &'static str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => Ok(done),
        // The runtime shuts down, and no caller is left to receive a result.
        Err(error) if error.is_cancelled() => std::future::pending().await,
        Err(_) => Err(Error::Panicked { what }),
    }
}
