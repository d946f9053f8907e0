//! Error replies over HTTP (`HttpRefusal`): a status code and a JSON body in the shape that every interface uses.

use crate::errors::{AppError, ErrorClass};
use crate::ops::render_json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

/// A JSON body with nothing hidden in it: people read replies in terminals, too.
pub(super) struct JsonReply(String);

impl JsonReply {
    pub(super) fn new(value: &Value) -> Self {
        Self(render_json(value))
    }

    /// A body that [`render_json`] wrote.
    pub(super) fn from_text(json: String) -> Self {
        Self(json)
    }
}

impl IntoResponse for JsonReply {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, "application/json")], self.0).into_response()
    }
}

/// A failure with its status. Most statuses follow from the problem; some things only HTTP can refuse.
#[derive(Debug)]
pub(super) struct HttpRefusal {
    status: StatusCode,
    problem: AppError,
}

impl HttpRefusal {
    /// A failure that the table of problems has no status for, because no other door knows it.
    pub(super) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, problem: AppError::new(ErrorClass::Usage, code, message) }
    }

    pub(super) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { problem: self.problem.with_hint(hint), ..self }
    }

    /// The stable word for programs.
    pub(super) fn code(&self) -> &'static str {
        self.problem.code
    }
}

impl From<AppError> for HttpRefusal {
    fn from(problem: AppError) -> Self {
        let status = StatusCode::from_u16(problem.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self { status, problem }
    }
}

impl IntoResponse for HttpRefusal {
    fn into_response(self) -> Response {
        let retry_after = self.problem.retry_after;
        let mut response = (self.status, JsonReply::new(&self.problem.to_json())).into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
