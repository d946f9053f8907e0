//! MCP over the streamable HTTP transport: builds the router that the HTTP server nests at `/mcp`.

use super::conformance::FixtureServer;
use super::profile::ToolProfile;
use super::server::McpHandler;
use crate::compose::App;
use axum::Router;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// How the transport is to behave.
pub(crate) struct HttpOptions {
    /// Host names accepted in requests, without a port. Never empty: the SDK takes that for all.
    pub(crate) allowed_hosts: Vec<String>,
    /// Web origins accepted in requests, as `http://localhost:8787`; a request from any other origin is refused.
    pub(crate) allowed_origins: Vec<String>,
    pub(crate) profile: &'static ToolProfile,
    /// When the process ends: work under way stops at its next safe place.
    pub(crate) stop: CancellationToken,
    /// Whether the tools that the official conformance suite calls are offered too.
    pub(crate) conformance_fixtures: bool,
}

/// Serves MCP at `/`, both eras: sessions for clients that begin with `initialize`, none for the others.
pub(crate) fn build_router(app: Arc<App>, options: HttpOptions) -> Router {
    let most_bytes = usize::try_from(app.config.server.max_body_bytes).unwrap_or(usize::MAX);
    let config = StreamableHttpServerConfig::default()
        .with_json_response(true)
        .with_max_request_body_bytes(most_bytes)
        .with_allowed_hosts(options.allowed_hosts)
        .with_allowed_origins(options.allowed_origins)
        // The library checks host and origin a second time, should the router ever be reached another way.
        .enforce_origin_validation();
    let server = McpHandler::new(app, options.profile, options.stop);
    if options.conformance_fixtures {
        route_handler(FixtureServer::new(server), config)
    } else {
        route_handler(server, config)
    }
}

fn route_handler<H: ServerHandler + Clone>(handler: H, config: StreamableHttpServerConfig) -> Router {
    let sessions = Arc::new(LocalSessionManager::default());
    Router::new().route_service("/", StreamableHttpService::new(move || Ok(handler.clone()), sessions, config))
}
