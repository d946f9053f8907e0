//! Graceful shutdown of the HTTP server on Ctrl-C or SIGTERM: running requests are finished within a time limit, then
//! cancelled.

use super::HttpState;
use super::connections::accept_connections;
use crate::errors::{AppError, ErrorClass};
use axum::Router;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Requests that are not done by then are cancelled; the supervisor that stops us stops waiting not much later.
const SHUTDOWN_GRACE_PERIOD: Duration = Duration::from_secs(10);

/// How long running work has to reach a safe place after it was asked to stop.
const LAST_MOMENT: Duration = Duration::from_secs(2);

/// The two steps of an end.
#[derive(Default)]
pub(super) struct ShutdownStages {
    /// No connection is accepted and no stream stands open any more; requests are finished.
    pub(super) of_listening: CancellationToken,
    /// Work under way stops at its next safe place.
    pub(super) of_work: CancellationToken,
}

/// Serves until a signal, then lets requests finish. A second signal, or the end of patience, cuts them short.
pub(super) async fn serve_until(
    mut signals: Signals,
    listener: TcpListener,
    server: &HttpState,
    router: Router,
) -> Result<(), AppError> {
    let ShutdownStages { of_listening, of_work } = &server.ends;
    let mut serving = std::pin::pin!(accept_connections(listener, router, of_listening.clone()));
    tokio::select! {
        () = &mut serving => return Ok(()),
        () = server.recorded.run_upkeep() => {}
        () = signals.next() => {}
    }
    // First no new requests; running requests have time to finish.
    of_listening.cancel();
    tokio::select! {
        () = &mut serving => return Ok(()),
        () = signals.next() => {}
        () = tokio::time::sleep(SHUTDOWN_GRACE_PERIOD) => {}
    }
    // Then the work itself is cancelled, and stops at its next safe place.
    of_work.cancel();
    if tokio::time::timeout(LAST_MOMENT, serving).await.is_err() {
        tracing::warn!("stopped with requests that were not done");
    }
    Ok(())
}

/// The wishes to stop: Ctrl-C and, on Unix, SIGTERM.
pub(super) struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    pub(super) fn listen() -> Result<Self, AppError> {
        use tokio::signal::unix::{SignalKind, signal};
        let listen = |kind| signal(kind).map_err(|error| serving_error(&error));
        Ok(Self { interrupt: listen(SignalKind::interrupt())?, terminate: listen(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
impl Signals {
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub(super) fn listen() -> Result<Self, AppError> {
        Ok(Self {})
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

fn serving_error(error: &std::io::Error) -> AppError {
    AppError::new(ErrorClass::Unavailable, "serving", format!("cannot go on serving: {error}"))
}
