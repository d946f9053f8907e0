//! The style sheet, the scripts and the icon of the dashboard, which are compiled into the program.

use axum::http::header;
use axum::response::{IntoResponse, Response};

pub(super) const STYLE_PATH: &str = "/ui/style.css";
pub(super) const ICON_PATH: &str = "/ui/icon.svg";
pub(super) const TIMELINE_PATH: &str = "/ui/timeline.js";
pub(super) const GRAPH_PATH: &str = "/ui/graph.js";
pub(super) const LIVE_PATH: &str = "/ui/live.js";

/// The modules that every page names: each does nothing on a page that has nothing for it.
pub(super) const SCRIPT_PATHS: [&str; 3] = [TIMELINE_PATH, GRAPH_PATH, LIVE_PATH];

/// What a browser may have without a session.
pub(super) const PUBLIC_PATHS: [&str; 5] = [STYLE_PATH, ICON_PATH, TIMELINE_PATH, GRAPH_PATH, LIVE_PATH];

const SCRIPT_TYPE: &str = "text/javascript; charset=utf-8";

pub(super) async fn send_style() -> Response {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], include_str!("assets/style.css")).into_response()
}

pub(super) async fn send_icon() -> Response {
    ([(header::CONTENT_TYPE, "image/svg+xml")], include_str!("assets/icon.svg")).into_response()
}

pub(super) async fn send_timeline() -> Response {
    ([(header::CONTENT_TYPE, SCRIPT_TYPE)], include_str!("assets/timeline.js")).into_response()
}

pub(super) async fn send_graph() -> Response {
    ([(header::CONTENT_TYPE, SCRIPT_TYPE)], include_str!("assets/graph.js")).into_response()
}

pub(super) async fn send_live() -> Response {
    ([(header::CONTENT_TYPE, SCRIPT_TYPE)], include_str!("assets/live.js")).into_response()
}
