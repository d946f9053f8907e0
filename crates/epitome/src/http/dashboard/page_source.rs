//! `PageSource`, what a page asks: operations by name, in the tenant of the browser's session. A page that cannot be
//! made becomes a page that says why.

use super::layout::{self, NavItem};
use crate::errors::{AppError, ErrorClass};
use crate::http::auth::TenantState;
use crate::metrics::{self, Door};
use crate::ops;
use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{Html, IntoResponse, Response};
use engine::NullObserver;
use maud::{Markup, html};
use serde_json::Value;
use std::convert::Infallible;
use std::sync::Arc;

/// The tenant whose pages a browser sees.
pub(super) struct PageSource {
    tenant: Arc<TenantState>,
}

impl<S: Send + Sync> FromRequestParts<S> for PageSource {
    type Rejection = PageProblem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Self::Rejection> {
        // The door puts the tenant there before any page runs.
        let tenant = parts.extensions.get::<Arc<TenantState>>().map(Arc::clone);
        tenant.map(|tenant| Self { tenant }).ok_or_else(|| {
            PageProblem(AppError::new(ErrorClass::NotAuthorised, "not_authorised", "the browser has no session"))
        })
    }
}

impl PageSource {
    /// The reply of an operation, as its wire type says it.
    pub(super) async fn ask(&self, operation: &str, params: Value) -> Result<Value, AppError> {
        let Some(found) = ops::find_operation(operation) else {
            let message = format!("there is no operation `{operation}`");
            return Err(AppError::new(ErrorClass::Internal, "internal", message));
        };
        let app = &self.tenant.app;
        let call = app.build_call(&NullObserver);
        let answer = metrics::run_counted(Door::Http, found, &call, params).await?;
        Ok(answer.json)
    }

    /// The same for a part of a page: where it fails, the rest of the page is still worth showing.
    pub(super) async fn ask_part(&self, operation: &str, params: Value) -> PagePart {
        PagePart(self.ask(operation, params).await)
    }

    /// What the pages call the project.
    pub(super) fn project_name(&self) -> String {
        let root = &self.tenant.app.project.root;
        root.file_name().map_or_else(|| root.display().to_string(), |name| name.to_string_lossy().into_owned())
    }

    /// A whole page with its frame.
    pub(super) fn finish(&self, current: NavItem, title: &str, body: &Markup) -> Html<String> {
        Html(layout::render_page(current, title, &self.project_name(), body).into_string())
    }
}

/// What a handler of a page gives.
pub(super) type PageReply = Result<Html<String>, PageProblem>;

/// A part of a page, or why it is not there.
pub(super) struct PagePart(Result<Value, AppError>);

impl PagePart {
    /// Renders the part, or the reason in its place.
    pub(super) fn render(self, render: impl FnOnce(&Value) -> Markup) -> Markup {
        match self.0 {
            Ok(value) => render(&value),
            Err(problem) => render_problem(&problem),
        }
    }
}

/// A page that cannot be shown.
pub(super) struct PageProblem(pub(super) AppError);

impl From<AppError> for PageProblem {
    fn from(problem: AppError) -> Self {
        Self(problem)
    }
}

impl From<Infallible> for PageProblem {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

impl IntoResponse for PageProblem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = render_problem(&self.0);
        let page = layout::render_page(NavItem::Overview, "Not shown", "", &body);
        (status, Html(page.into_string())).into_response()
    }
}

fn render_problem(problem: &AppError) -> Markup {
    html! {
        div.problem role="alert" {
            p { (model::show_text(&problem.message)) }
            @if let Some(hint) = &problem.hint { p.quiet { (model::show_text(hint)) } }
        }
    }
}
