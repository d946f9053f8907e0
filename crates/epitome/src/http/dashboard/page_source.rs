//! `PageSource`, what a page asks: operations by name, in the tenant of the browser's session. A page that cannot be
//! made becomes a page that says why.

use super::layout::{self, NavItem, PageHead};
use crate::compose::App;
use crate::errors::{AppError, ErrorClass};
use crate::http::HttpState;
use crate::http::auth::TenantState;
use crate::metrics::{self, Door};
use crate::ops::{self, AnyOperation, OperationFailure};
use crate::own_command;
use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{Html, IntoResponse, Response};
use engine::NullObserver;
use maud::{Markup, html};
use serde_json::Value;
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A part that takes longer is not waited for: the rest of the page is there before a reader notices that it waited.
const SLOW_AFTER: Duration = Duration::from_millis(40);

/// What was worked out behind a page and nobody asked for since is worked out again.
const KEPT_FOR: Duration = Duration::from_secs(30);

/// The code of a part that is not there yet.
const WORKING: &str = "working";

/// What is worked out behind pages, each by what was asked.
#[derive(Default)]
pub(in crate::http) struct SlowParts(Mutex<HashMap<String, SlowPart>>);

enum SlowPart {
    Working,
    Done { reply: Result<Value, AppError>, at: Instant },
}

/// What an asker does about a part.
enum SlowStep {
    /// Nobody works on it, so the asker does.
    Begin,
    Wait,
    Take(Result<Value, AppError>),
}

impl SlowParts {
    fn begin(&self, key: &str) -> SlowStep {
        let mut parts = self.lock();
        parts.retain(|_, part| !matches!(part, SlowPart::Done { at, .. } if at.elapsed() > KEPT_FOR));
        match parts.remove(key) {
            Some(SlowPart::Done { reply, .. }) => SlowStep::Take(reply),
            known => {
                parts.insert(key.to_owned(), SlowPart::Working);
                if known.is_some() { SlowStep::Wait } else { SlowStep::Begin }
            }
        }
    }

    fn end(&self, key: &str, reply: Result<Value, AppError>) {
        self.lock().insert(key.to_owned(), SlowPart::Done { reply, at: Instant::now() });
    }

    /// The reply of a part that ended just now.
    fn take(&self, key: &str) -> Option<Result<Value, AppError>> {
        match self.lock().remove(key) {
            Some(SlowPart::Done { reply, .. }) => Some(reply),
            Some(SlowPart::Working) | None => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, SlowPart>> {
        // Each entry is whole by itself, so a panic leaves nothing half written.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The tenant whose pages a browser sees.
pub(super) struct PageSource {
    server: Arc<HttpState>,
    tenant: Arc<TenantState>,
}

impl FromRequestParts<Arc<HttpState>> for PageSource {
    type Rejection = PageProblem;

    async fn from_request_parts(parts: &mut Parts, server: &Arc<HttpState>) -> Result<Self, Self::Rejection> {
        // The door puts the tenant there before any page runs.
        let tenant = parts.extensions.get::<Arc<TenantState>>().map(Arc::clone);
        tenant.map(|tenant| Self { server: Arc::clone(server), tenant }).ok_or_else(|| {
            PageProblem(AppError::new(ErrorClass::NotAuthorised, "not_authorised", "the browser has no session"))
        })
    }
}

impl PageSource {
    /// The reply of an operation, as its wire type says it.
    pub(super) async fn ask(&self, operation: &str, params: Value) -> Result<Value, AppError> {
        let found = find_operation(operation)?;
        let call = self.tenant.app.build_call(&NullObserver);
        let answer = metrics::run_counted(Door::Http, found, &call, params).await?;
        Ok(answer.json)
    }

    /// The same for a part of a page: where it fails, the rest of the page is still worth showing.
    pub(super) async fn ask_part(&self, operation: &str, params: Value) -> PagePart {
        PagePart(self.ask(operation, params).await)
    }

    /// The same for a part that may take long. Then the work goes on behind the page, and the next page that asks for it
    /// has what came of it; meanwhile nobody starts it again.
    pub(super) async fn ask_part_soon(&self, operation: &'static str, params: Value) -> PagePart {
        // What one tenant waits for is not what another one does.
        let key = format!("{:p} {operation} {params}", Arc::as_ptr(&self.tenant));
        let working = || {
            let message = "this is being worked out, which takes a while the first time";
            AppError::new(ErrorClass::Unavailable, WORKING, message)
        };
        match self.server.slow_parts.begin(&key) {
            SlowStep::Take(reply) => return PagePart(reply),
            SlowStep::Wait => return PagePart(Err(working())),
            SlowStep::Begin => {}
        }
        let source = Self { server: Arc::clone(&self.server), tenant: Arc::clone(&self.tenant) };
        let asked = key.clone();
        let work = tokio::spawn(async move {
            let reply = source.ask(operation, params).await;
            source.server.slow_parts.end(&asked, reply);
        });
        PagePart(match tokio::time::timeout(SLOW_AFTER, work).await {
            Ok(Ok(())) => self.server.slow_parts.take(&key).unwrap_or_else(|| Err(working())),
            Ok(Err(_)) => {
                self.server.slow_parts.take(&key);
                Err(AppError::from(OperationFailure::Panicked))
            }
            Err(_) => Err(working()),
        })
    }

    /// The same with what only a person at this machine may see: transcripts that wait to be imported, and whether a project is
    /// still where it was.
    pub(super) async fn ask_part_here(&self, operation: &str, params: Value) -> PagePart {
        let Some(here) = self.machine() else { return self.ask_part(operation, params).await };
        let ask = async {
            let found = find_operation(operation)?;
            let mut call = self.tenant.app.build_call(&NullObserver);
            let local = here.build_call(&NullObserver);
            (call.transcripts, call.others) = (local.transcripts, local.others);
            Ok(metrics::run_counted(Door::Http, found, &call, params).await?.json)
        };
        PagePart(ask.await)
    }

    /// Whether the pages are for a person at this machine, who may see how it is set up.
    pub(super) fn shows_machine(&self) -> bool {
        self.machine().is_some()
    }

    /// What this machine is looked at with. It belongs to the tenant of the configuration, and to no other.
    fn machine(&self) -> Option<&Arc<App>> {
        let is_ours = Arc::ptr_eq(&self.tenant, self.server.tenants.configured_tenant());
        self.server.machine.as_ref().filter(|_| is_ours)
    }

    /// The checks of `epitome doctor`, for a person at this machine.
    pub(super) async fn run_doctor(&self) -> PagePart {
        PagePart(match self.machine() {
            Some(here) => own_command::run(here, &["doctor".to_owned()]).await.map(|answer| answer.json),
            None => {
                Err(AppError::new(ErrorClass::Forbidden, "not_allowed", "the checks look at the machine of the server")
                    .with_hint("run `epitome doctor` there"))
            }
        })
    }

    /// What the pages call the project.
    pub(super) fn project_name(&self) -> String {
        let root = &self.tenant.app.project.root;
        root.file_name().map_or_else(|| root.display().to_string(), |name| name.to_string_lossy().into_owned())
    }

    /// A whole page with its frame.
    pub(super) fn finish(&self, head: &PageHead<'_>, body: &Markup) -> Html<String> {
        Html(layout::render_page(head, &self.project_name(), body).into_string())
    }
}

fn find_operation(name: &str) -> Result<&'static dyn AnyOperation, AppError> {
    ops::find_operation(name).ok_or_else(|| {
        AppError::new(ErrorClass::NotFound, "not_found", format!("this version has no operation `{name}`"))
    })
}

/// What a handler of a page gives.
pub(super) type PageReply = Result<Html<String>, PageProblem>;

/// A part of a page, or why it is not there.
pub(super) struct PagePart(Result<Value, AppError>);

impl PagePart {
    /// A value of the reply; nothing where there is none.
    pub(super) fn value(&self, key: &str) -> Value {
        self.0.as_ref().map(|reply| reply[key].clone()).unwrap_or_default()
    }

    /// How many items a list of the reply has.
    pub(super) fn count_items(&self, key: &str) -> usize {
        self.0.as_ref().ok().and_then(|reply| reply[key].as_array()).map_or(0, Vec::len)
    }

    /// Whether the reply says no to something.
    pub(super) fn is_false(&self, key: &str) -> bool {
        self.0.as_ref().is_ok_and(|reply| reply[key] == false)
    }

    /// Something taken from the reply; empty where there is none.
    pub(super) fn map_or_default<T: Default>(self, take: impl FnOnce(&Value) -> T) -> T {
        self.0.as_ref().map(take).unwrap_or_default()
    }

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
        let head = PageHead { item: NavItem::Overview, title: "Not shown", lede: "" };
        let page = layout::render_page(&head, "", &body);
        (status, Html(page.into_string())).into_response()
    }
}

fn render_problem(problem: &AppError) -> Markup {
    if problem.code == WORKING {
        return html! { div.empty role="status" data-working="" { p { "This is being worked out, which takes a while the first time. " a href="" { "Look again" } } } };
    }
    html! {
        div.problem role="alert" {
            p { (model::show_text(&problem.message)) }
            @if let Some(hint) = &problem.hint { p.quiet { (model::show_text(hint)) } }
        }
    }
}
