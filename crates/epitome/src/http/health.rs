//! The route `GET /health`: reports whether the store answers, for the supervisor that restarts servers.

use super::HttpState;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// A store that takes longer to find one row does not answer.
const STORE_TIMEOUT: Duration = Duration::from_secs(5);

/// Asks the store for one conversation. An empty result is an answer too; the route needs no token, so it must be cheap
/// and tell nothing.
pub(super) async fn report_health(State(server): State<Arc<HttpState>>) -> Response {
    let engine = &server.tenants.configured_tenant().app.engine;
    // A name that no conversation has: the query touches one index and gives nothing away.
    let request = engine::HistoryRequest { conversation: "health".to_owned(), limit: 1 };
    let reply = |status: StatusCode, word: &str| {
        (status, Json(json!({ "status": word, "version": env!("CARGO_PKG_VERSION") }))).into_response()
    };
    match tokio::time::timeout(STORE_TIMEOUT, engine.load_history(request)).await {
        Ok(Err(error)) if error.kind() != engine::ErrorKind::NotFound => {
            tracing::warn!(%error, "the store does not answer");
            reply(StatusCode::SERVICE_UNAVAILABLE, "unavailable")
        }
        Ok(_) => reply(StatusCode::OK, "ok"),
        Err(_) => {
            tracing::warn!("the store does not answer in {STORE_TIMEOUT:?}");
            reply(StatusCode::SERVICE_UNAVAILABLE, "unavailable")
        }
    }
}
