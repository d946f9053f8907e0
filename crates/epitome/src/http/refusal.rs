//! What leaves this door when something is refused: a status, and the JSON shape that every door uses.

use crate::errors::{Class, Problem};
use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// A failure with its status. Most statuses follow from the problem; some things only HTTP can refuse.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    problem: Problem,
}

impl Refusal {
    /// A failure that the table of problems has no status for, because no other door knows it.
    pub(super) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, problem: Problem::new(Class::Usage, code, message) }
    }

    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        Self { problem: self.problem.hint(hint), ..self }
    }

    /// The stable word for programs.
    pub(super) fn code(&self) -> &'static str {
        self.problem.code
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        let status = StatusCode::from_u16(problem.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self { status, problem }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.problem.json())).into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
