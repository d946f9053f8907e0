//! The style sheet, the script and the icon of the dashboard, which are compiled into the program.

use axum::http::header;
use axum::response::{IntoResponse, Response};

pub(super) const STYLE_PATH: &str = "/ui/style.css";
pub(super) const SCRIPT_PATH: &str = "/ui/dashboard.js";
pub(super) const ICON_PATH: &str = "/ui/icon.svg";

pub(super) async fn send_style() -> Response {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], include_str!("assets/style.css")).into_response()
}

pub(super) async fn send_icon() -> Response {
    ([(header::CONTENT_TYPE, "image/svg+xml")], include_str!("assets/icon.svg")).into_response()
}

pub(super) async fn send_script() -> Response {
    ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], include_str!("assets/dashboard.js")).into_response()
}
