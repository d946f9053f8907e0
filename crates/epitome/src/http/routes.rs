//! The routes `POST /v1/<operation>`: run any operation of the list by its name. The work runs in a task of its own:
//! when the client disconnects, the task is cancelled and stops at its next safe place, instead of being dropped
//! wherever it happens to wait.

use super::HttpState;
use super::auth::TenantState;
use super::refusal::{HttpRefusal, JsonReply};
use crate::booking::note_dispatch;
use crate::errors::{AppError, ErrorClass};
use crate::mcp::{find_renamed, renamed_names};
use crate::metrics::{self, Door, NO_OPERATION};
use crate::ops::{self, AnyOperation, OperationAnswer, OperationFailure, render_json};
use crate::suggestion::nearest_word;
use axum::Extension;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use engine::{CallDoor, CallSource, Observer};
use serde_json::Value;
use std::sync::Arc;
use std::time::Instant;
use tokio_util::sync::CancellationToken;

/// Where operations live.
pub(super) const PREFIX: &str = "/v1/";

/// Runs the operation that the path names.
pub(super) async fn run_route(
    State(server): State<Arc<HttpState>>,
    Extension(tenant): Extension<Arc<TenantState>>,
    request: Request,
) -> Response {
    let name = request.uri().path().strip_prefix(PREFIX).unwrap_or_default();
    let renamed = find_renamed(name);
    let found = ops::find_operation(name).or(renamed.map(|renamed| renamed.operation));
    let Some(operation) = found else { return send_refusal(NO_OPERATION, unknown_operation(name)) };
    let source = call_source(name, request.headers());
    // A name of ours is ours, whatever another system calls so.
    let renamed = renamed.filter(|_| operation.name() != name);
    let params = server.bodies.read_params(request).await;
    let params = params.and_then(|(given, room)| match &renamed {
        Some(renamed) => Ok((renamed.map_params(given).map_err(HttpRefusal::from)?, room)),
        None => Ok((given, room)),
    });
    match params {
        // The room of the body is held until there is an answer.
        Ok((params, _room)) => {
            // This token ends with all work, and with this request alone when its caller goes away.
            let stop = server.ends.of_work.child_token();
            let started = Instant::now();
            let outcome = run_operation(Arc::clone(&tenant), operation, params, stop).await;
            let outcome = match renamed {
                Some(renamed) => renamed.map_outcome(outcome),
                None => outcome,
            };
            match outcome {
                Ok(mut answer) => {
                    let facts = std::mem::take(&mut answer.facts);
                    let body = render_json(&answer.json);
                    note_dispatch(&tenant.app, source, operation.name(), facts, body.clone(), started.elapsed());
                    JsonReply::from_text(body).into_response()
                }
                Err(problem) => HttpRefusal::from(problem).into_response(),
            }
        }
        Err(refusal) => send_refusal(operation.name(), refusal),
    }
}

/// The header by which a program names its session.
const SESSION_HEADER: &str = "epitome-session";

/// Who asks, as the request says.
fn call_source(name: &str, headers: &HeaderMap) -> CallSource {
    let text = |header: &str| {
        let value = headers.get(header).and_then(|value| value.to_str().ok());
        value.map(|value| value.chars().take(MAX_NAME_CHARS).collect::<String>())
    };
    // Of `curl/8.5.0 (linux)` the program is what matters.
    let agent = text("user-agent").map(|agent| agent.split(['/', ' ']).next().unwrap_or_default().to_owned());
    CallSource { door: CallDoor::Http, session: text(SESSION_HEADER), agent, tool: name.to_owned() }
}

/// Longer names of sessions and programs are cut.
const MAX_NAME_CHARS: usize = 200;

/// A path that leads nowhere.
pub(super) async fn path_not_found(request: Request) -> Response {
    let message = format!("there is nothing at {}", request.uri().path());
    let hint = "operations are at /v1/NAME; GET /openapi.json describes them";
    send_refusal(
        NO_OPERATION,
        HttpRefusal::from(AppError::new(ErrorClass::NotFound, "not_found", message).with_hint(hint)),
    )
}

/// A path that takes another method.
pub(super) async fn wrong_method(request: Request) -> Response {
    let method = request.method();
    let path = request.uri().path();
    let takes = if path.starts_with(PREFIX) { "POST" } else { "GET" };
    let message = format!("cannot {method} {path}: it takes {takes}");
    send_refusal(NO_OPERATION, HttpRefusal::new(StatusCode::METHOD_NOT_ALLOWED, "wrong_method", message))
}

/// Counts and sends a refusal of a request of which nothing was run.
pub(super) fn send_refusal(operation: &'static str, refusal: HttpRefusal) -> Response {
    metrics::count_refusal(operation, refusal.code());
    refusal.into_response()
}

async fn run_operation(
    tenant: Arc<TenantState>,
    operation: &'static dyn AnyOperation,
    params: Value,
    stop: CancellationToken,
) -> Result<OperationAnswer, AppError> {
    // Dropped when the reply was awaited to its end, and also when the connection broke before.
    let _waiting = stop.clone().drop_guard();
    let caller = RequestObserver { stop };
    // A task of its own is not torn off in the middle of a write when the connection breaks.
    let work = tokio::spawn(async move {
        let call = tenant.app.build_call(&caller);
        metrics::run_counted(Door::Http, operation, &call, params).await
    });
    work.await.unwrap_or_else(|_| Err(AppError::from(OperationFailure::Panicked)))
}

/// The one who asked, as the work sees it.
struct RequestObserver {
    stop: CancellationToken,
}

impl Observer for RequestObserver {
    fn report_progress(&self, _what: &'static str, _done: u64, _total: u64) {}

    fn is_cancelled(&self) -> bool {
        self.stop.is_cancelled()
    }
}

fn unknown_operation(name: &str) -> HttpRefusal {
    let hint = match nearest_word(name, ops::operation_names().chain(renamed_names())) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "GET /openapi.json lists the operations".to_owned(),
    };
    let message = format!("there is no operation `{name}`");
    HttpRefusal::from(AppError::new(ErrorClass::NotFound, "unknown_operation", message).with_hint(hint))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ConfigSources, Environment};
    use crate::ops::{
        CommandGroup, DataSource, ErasedOperation, Operation, OperationCall, OperationKind, OperationReply,
    };
    use axum::Router;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    struct Fuse;

    #[derive(Deserialize, JsonSchema, clap::Args)]
    struct Params {}

    #[derive(Serialize, JsonSchema)]
    struct Never {}

    impl OperationReply for Never {
        fn to_text(&self) -> String {
            String::new()
        }
    }

    impl Operation for Fuse {
        const NAME: &'static str = "fuse";
        const SUMMARY: &'static str = "Blow";
        const KIND: OperationKind = OperationKind::Read;
        const READS: DataSource = DataSource::Code;
        const GROUP: CommandGroup = CommandGroup::Ask;
        const HELP: &'static str = "";
        type Params = Params;
        type Reply = Never;

        async fn run(_call: &OperationCall<'_>, _params: Params) -> Result<Never, engine::Error> {
            panic!("as ordered")
        }
    }

    #[tokio::test]
    async fn a_panic_is_one_failed_request() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let environment: Environment = [("EPITOME_HOME", home.path())].into_iter().collect();
        let sources = ConfigSources { environment: &environment, project_root: None, flags: &[] };
        let loaded = crate::config::load_config(sources).expect("defaults");
        let project = engine::Project::discover_from(home.path()).expect("a project");
        let app = crate::compose::open_app(loaded, project).await.expect("a store");
        let tenant = TenantState::new("default", Arc::new(app), Router::new());
        let call = async |operation: &'static dyn AnyOperation| {
            let params = Value::Object(serde_json::Map::new());
            run_operation(Arc::clone(&tenant), operation, params, CancellationToken::new()).await
        };
        let problem = call(&ErasedOperation::<Fuse>::NEW).await.expect_err("it panics");
        assert_eq!((problem.code, problem.http_status()), ("internal", 500));
        let answer = call(ops::find_operation("verify").expect("an operation")).await.expect("the store lives on");
        assert_eq!(answer.json["ok"], true);
    }
}
