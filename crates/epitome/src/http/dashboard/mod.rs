//! The dashboard: pages for a person's browser at `/` and `/ui/…`, rendered here from the replies of operations, so that
//! a page shows nothing that another door would not say. No asset comes from elsewhere, and nothing is built for it.
//!
//! A browser signs in with a one-time link or with the token, and then has a cookie that opens these pages only: the
//! operations over HTTP still want the token, so that no page of another site can make a browser call them.

mod assets;
mod charts;
mod elements;
mod layout;
mod page_source;
mod pages;
mod sign_in;

pub(super) use page_source::SlowParts;
pub(super) use sign_in::BrowserSessions;

use super::HttpState;
use axum::Router;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use axum::routing::get;
use std::sync::Arc;

/// What every page but the first begins with.
const PREFIX: &str = "/ui/";

/// Where a browser signs in.
pub(crate) const SIGN_IN_PATH: &str = "/ui/enter";

/// Where pages that are kept up to date listen for events.
const EVENTS_PATH: &str = "/ui/events";

/// Only what this server sends may style or run a page, and only this server may be asked by it.
const CONTENT_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; \
                              form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

pub(super) fn build_routes() -> Router<Arc<HttpState>> {
    Router::new()
        .route("/", get(pages::overview::show))
        .route("/ui/value", get(pages::value::show))
        .route("/ui/modes", get(pages::modes::show))
        .route("/ui/sessions", get(pages::sessions::show))
        .route("/ui/sessions/{id}", get(pages::session::show))
        .route("/ui/summaries/{id}", get(pages::summary::show))
        .route("/ui/memory", get(pages::memory::show))
        .route("/ui/tiers", get(pages::tiers::show))
        .route("/ui/checkpoints", get(pages::checkpoints::show))
        .route("/ui/suggestions", get(pages::suggestions::show))
        .route("/ui/search", get(pages::search::show))
        .route("/ui/graph", get(pages::graph::show))
        .route("/ui/graph/neighbours", get(pages::graph::send_neighbours))
        .route("/ui/documents", get(pages::documents::show))
        .route("/ui/projects", get(pages::projects::show))
        .route("/ui/health", get(pages::health::show))
        .route(SIGN_IN_PATH, get(sign_in::enter_by_link).post(sign_in::enter_by_token))
        .route(assets::STYLE_PATH, get(assets::send_style))
        .route(assets::ICON_PATH, get(assets::send_icon))
        .route(assets::TIMELINE_PATH, get(assets::send_timeline))
        .route(assets::GRAPH_PATH, get(assets::send_graph))
        .route(assets::LIVE_PATH, get(assets::send_live))
}

/// Whether a path is one of the dashboard's.
pub(super) fn has_page(path: &str) -> bool {
    path == "/" || path.starts_with(PREFIX)
}

/// Whether a path of the dashboard says nothing of what is stored, so that a browser needs no session for it.
pub(super) fn is_public(path: &str) -> bool {
    path == SIGN_IN_PATH || assets::PUBLIC_PATHS.contains(&path)
}

/// What a browser without a session gets in place of a page.
pub(super) fn ask_to_sign_in() -> Response {
    sign_in::sign_in_page(None)
}

/// Headers of every page: nothing from elsewhere runs in it, no other page frames it, and no address leaves it.
pub(super) fn set_page_headers(headers: &mut HeaderMap) {
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_POLICY));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
}
