//! The HTTP server: operations as `POST /v1/<operation>`, MCP at `/mcp`, and routes for operators (health, metrics,
//! `openapi.json`). The server listens on loopback and requires a token there too (see `guard` and `auth` for why).
//! Nothing is encrypted: another address is refused unless it is asked for by name.

pub(crate) mod tokens;

mod auth;
mod body;
mod call_events;
mod connections;
mod dashboard;
mod guard;
mod health;
mod openapi;
mod refusal;
mod routes;
mod shutdown;
mod value_api;

use crate::background::{JobResources, ProcessKind, RequestActivity, start_jobs};
use crate::compose::App;
use crate::errors::{AppError, ErrorClass};
use crate::mcp;
use crate::metrics::{self, MetricsRecorder};
use auth::{TenantRegistry, TenantState};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Method, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use axum::{Extension, Json, Router};
use body::{BodyLimits, RequestBody};
use connections::ClientConnection;
pub(crate) use dashboard::SIGN_IN_PATH;
use dashboard::{BrowserSessions, SlowParts};
use futures::StreamExt;
use guard::RequestGuard;
pub(crate) use openapi::openapi_document;
use refusal::HttpRefusal;
use shutdown::{ShutdownStages, Signals};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tower::ServiceExt;
use tower_http::catch_panic::CatchPanicLayer;

const HEALTH: &str = "/health";
const MCP: &str = "/mcp";

/// What a caller is told once connections are accepted.
pub(crate) struct OpenDoor {
    pub(crate) address: SocketAddr,
    /// The path that signs one browser in, once.
    pub(crate) sign_in: String,
}

/// How the door is opened.
pub(crate) struct ServeOptions {
    pub(crate) address: SocketAddr,
    /// Listen where other machines can connect, unencrypted.
    pub(crate) allow_remote: bool,
    /// Which tools MCP offers.
    pub(crate) profile: String,
    /// For the MCP conformance suite, which knows no tokens: MCP with its fixtures and without asking for one.
    pub(crate) conformance_fixtures: bool,
    /// Whether pages show how this machine is set up: for a person at it, not for everybody who has a token.
    pub(crate) shows_machine: bool,
}

/// What every request works with.
struct HttpState {
    allowed: RequestGuard,
    tenants: TenantRegistry,
    browsers: BrowserSessions,
    slow_parts: SlowParts,
    /// What pages look at this machine with, where they may.
    machine: Option<Arc<App>>,
    recorded: MetricsRecorder,
    bodies: BodyLimits,
    mcp_is_open: bool,
    /// The requests that background work gives way to.
    activity: Arc<RequestActivity>,
    ends: ShutdownStages,
}

/// Serves until the process is asked to stop. `ready` is called once connections are accepted.
///
/// `app` answers callers from elsewhere, `local` works for this machine.
pub(crate) async fn serve_http(
    app: Arc<App>,
    local: Arc<App>,
    options: ServeOptions,
    ready: impl FnOnce(&OpenDoor),
) -> Result<(), AppError> {
    // Refused before the port is opened: a moment of listening would be enough for a connection.
    check_reach(&options)?;
    let profile = mcp::find_profile(&options.profile)?;
    let listener = TcpListener::bind(options.address).await.map_err(|error| cannot_listen(options.address, &error))?;
    // Port 0 was asked for: the name check below needs the port that the system chose.
    let address = listener.local_addr().map_err(|error| cannot_listen(options.address, &error))?;
    let allowed = RequestGuard::new(address, &app.config.server)?;
    let max_body_bytes = app.config.server.max_body_bytes;
    let ends = ShutdownStages::default();
    let mcp = |app| {
        let options = mcp::HttpOptions {
            allowed_hosts: allowed.host_names(),
            allowed_origins: allowed.allowed_origins(),
            profile,
            stop: ends.of_work.clone(),
            conformance_fixtures: options.conformance_fixtures,
        };
        Router::new().nest(MCP, mcp::build_router(app, options))
    };
    let tenants = TenantRegistry::open_all(&app, mcp)?;
    let server = Arc::new(HttpState {
        allowed,
        tenants,
        browsers: BrowserSessions::new(address.port()),
        slow_parts: SlowParts::default(),
        machine: options.shows_machine.then(|| Arc::clone(&local)),
        recorded: MetricsRecorder::start_recording()?,
        bodies: BodyLimits::new(max_body_bytes),
        mcp_is_open: options.conformance_fixtures,
        activity: Arc::default(),
        ends,
    });
    // Before `ready`: a script may stop the server as soon as it knows that it runs.
    let signals = Signals::listen()?;
    let tenants = server.tenants.tenant_apps().map(Arc::clone).collect();
    let stop = server.ends.of_listening.clone();
    let activity = Arc::clone(&server.activity);
    start_jobs(ProcessKind::HttpServer, &JobResources { project: app, local, tenants, activity, stop });
    // After the jobs and signals are set up, so that everything works when the first connection comes.
    let code = server.browsers.issue_code(server.tenants.configured_tenant())?;
    ready(&OpenDoor { address, sign_in: format!("{SIGN_IN_PATH}?code={code}") });
    let outcome = shutdown::serve_until(signals, listener, &server, build_router(Arc::clone(&server))).await;
    for app in server.tenants.tenant_apps() {
        // What was counted is kept in memory until here.
        app.engine.flush_pending().await;
    }
    outcome
}

fn build_router(server: Arc<HttpState>) -> Router {
    Router::new()
        .route(&format!("{}{{operation}}", routes::PREFIX), post(routes::run_route))
        .route("/v1/events", get(call_events::send_events))
        .route("/ui/events", get(call_events::send_events))
        .route("/ws", get(call_events::open_socket))
        .route("/api/value/session/{id}", get(value_api::show_session))
        .route("/api/value/aggregate", get(value_api::show_aggregate))
        .route("/api/value/config", get(value_api::show_config))
        .route("/openapi.json", get(async || Json(openapi::openapi_document())))
        .route("/metrics", get(serve_metrics))
        .route(HEALTH, get(health::report_health))
        .route(MCP, any(mcp_door))
        .merge(dashboard::build_routes())
        .fallback(routes::path_not_found)
        .method_not_allowed_fallback(routes::wrong_method)
        // Inside of the check: a panic of one request must not close the connection without an answer.
        .layer(CatchPanicLayer::custom(|_| {
            HttpRefusal::from(AppError::from(crate::ops::OperationFailure::Panicked)).into_response()
        }))
        .layer(middleware::from_fn_with_state(Arc::clone(&server), admit_request))
        .with_state(server)
}

/// The one way in: names and origins first, then the token or a browser's session, and the same headers on everything
/// that goes out.
async fn admit_request(State(server): State<Arc<HttpState>>, mut request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_page = dashboard::has_page(path);
    let is_public = path == HEALTH || dashboard::is_public(path);
    let tenant = server.allowed.check_request(&request).and_then(|()| match path {
        // A supervisor has no token; the reply says only whether the store answers. Nor does a browser that signs in.
        _ if is_public => Ok(Some(Arc::clone(server.tenants.configured_tenant()))),
        MCP if server.mcp_is_open => Ok(Some(Arc::clone(server.tenants.configured_tenant()))),
        // A cookie opens pages only: a browser sends it along with requests that its user knows nothing of.
        _ if is_page => Ok(server.browsers.find_tenant(request.headers())),
        _ => server.tenants.find_tenant(request.headers()).map(|tenant| Some(Arc::clone(tenant))),
    });
    let mut response = match tenant {
        Ok(Some(tenant)) => {
            if let Some(client) = request.extensions().get::<Arc<ClientConnection>>().filter(|_| !is_public) {
                client.admit();
            }
            request.extensions_mut().insert(tenant);
            let _running = server.activity.begin_request();
            next.run(request).await
        }
        Ok(None) => dashboard::ask_to_sign_in(),
        Err(refusal) => routes::send_refusal(metrics::NO_OPERATION, refusal),
    };
    guard::set_security_headers(response.headers_mut());
    if is_page {
        dashboard::set_page_headers(response.headers_mut());
    }
    response
}

async fn serve_metrics(State(server): State<Arc<HttpState>>) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], server.recorded.render_text())
        .into_response()
}

/// Hands a request to the tenant's own MCP door.
async fn mcp_door(
    State(server): State<Arc<HttpState>>,
    Extension(tenant): Extension<Arc<TenantState>>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    // Bounded here, because the MCP library reads a body to its end.
    let RequestBody { bytes, room: _room } = match server.bodies.read_body(&parts.headers, body).await {
        Ok(body) => body,
        Err(refusal) => return routes::send_refusal(metrics::NO_OPERATION, refusal),
    };
    let is_standing_stream = parts.method == Method::GET;
    let request = Request::from_parts(parts, Body::from(bytes));
    let response = tenant.mcp.clone().oneshot(request).await.unwrap_or_else(|never| match never {});
    // A stream that waits for news would keep the server from stopping; one that answers a request ends by itself.
    let stop = server.ends.of_listening.clone().cancelled_owned();
    if is_standing_stream {
        response.map(|body| Body::from_stream(body.into_data_stream().take_until(stop)))
    } else {
        response
    }
}

fn check_reach(options: &ServeOptions) -> Result<(), AppError> {
    let address = options.address;
    if address.ip().is_loopback() {
        return Ok(());
    }
    if options.conformance_fixtures {
        let message = format!("cannot listen on {address} with test fixtures: they are for this machine only");
        return Err(AppError::new(ErrorClass::Usage, "remote_address", message));
    }
    if !options.allow_remote {
        let message = format!("cannot listen on {address}: other machines could connect, and nothing is encrypted");
        let hint = "listen on 127.0.0.1 behind a proxy that speaks TLS, or trust the network with --allow-remote";
        return Err(AppError::new(ErrorClass::Usage, "remote_address", message).with_hint(hint));
    }
    Ok(())
}

fn cannot_listen(address: SocketAddr, error: &std::io::Error) -> AppError {
    let problem = AppError::new(ErrorClass::Unavailable, "address", format!("cannot listen on {address}: {error}"));
    problem.with_hint(if error.kind() == std::io::ErrorKind::AddrInUse {
        "stop what listens there, or choose another port with --address (port 0 takes a free one)"
    } else {
        "choose an address of this machine with --address"
    })
}
