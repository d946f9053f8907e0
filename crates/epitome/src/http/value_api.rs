//! The routes `GET /api/value/…`: one session, totals, and how things are counted, under the names that another system's
//! clients know.

use super::auth::TenantState;
use super::refusal::{HttpRefusal, JsonReply};
use crate::errors::{AppError, ErrorClass};
use crate::metrics::{self, Door};
use crate::ops::state::value::{CallEntry, ValueSums, formula_lines};
use crate::ops::{self};
use axum::Extension;
use axum::extract::{Path, Query};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use engine::NullObserver;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Calls that a session shows.
const TRACE: u32 = 20;

/// `GET /api/value/session/:id`.
pub(super) async fn show_session(
    Extension(tenant): Extension<Arc<TenantState>>,
    Path(session): Path<String>,
) -> Response {
    let found = match tenant.app.engine.session_value(&session, TRACE).await {
        Ok(found) => found,
        Err(error) => return HttpRefusal::from(AppError::from(error)).into_response(),
    };
    let Some(total) = found.total else {
        let message = format!("the ledger has no call of session `{}`", model::show_name(&session));
        let problem = AppError::new(ErrorClass::NotFound, "not_found", message);
        return HttpRefusal::from(problem.with_hint("GET /api/value/aggregate?scope=session lists sessions"))
            .into_response();
    };
    let sums = ValueSums::from_calls(&total);
    let trace: Vec<CallEntry> = found.trace.into_iter().map(|call| CallEntry::new(call, None)).collect();
    let reply = json!({
        "session": session,
        "calls": sums.calls,
        "bytes_avoided": sums.bytes_avoided,
        "tokens_avoided": sums.tokens_avoided,
        "dollars": sums.dollars_avoided,
        "estimated_bytes_avoided": sums.estimated_bytes_avoided,
        "estimated_tokens_avoided": sums.estimated_tokens_avoided,
        "started": total.first.to_string(),
        "last": total.last.to_string(),
        "trace": trace,
    });
    JsonReply::new(&reply).into_response()
}

/// What totals to give.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AggregateQuery {
    #[serde(default)]
    scope: AggregateScope,
    /// `all`, or nothing for the project of the server.
    repo: Option<String>,
    days: Option<u32>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum AggregateScope {
    /// Each session.
    Session,
    /// Everything, by operation.
    #[default]
    Lifetime,
}

/// `GET /api/value/aggregate`.
pub(super) async fn show_aggregate(
    Extension(tenant): Extension<Arc<TenantState>>,
    query: Result<Query<AggregateQuery>, axum::extract::rejection::QueryRejection>,
) -> Response {
    let query = match query {
        Ok(Query(query)) => query,
        Err(error) => {
            let problem = HttpRefusal::new(StatusCode::BAD_REQUEST, "invalid_parameters", error.body_text());
            return problem.with_hint("scope=session|lifetime, repo=all or none, days=N").into_response();
        }
    };
    if let Some(repo) = query.repo.as_deref().filter(|repo| !["all", ""].contains(repo))
        && repo != tenant.app.project.id.to_string()
        && Some(repo) != tenant.app.project.root.file_name().and_then(|name| name.to_str())
    {
        let message = format!("`repo` is `{}`, which is not the project of this server", model::show_name(repo));
        let problem = HttpRefusal::from(AppError::new(ErrorClass::NotFound, "not_found", message));
        return problem.with_hint("name none for everything, or start `epitome serve` in that project").into_response();
    }
    let by = match query.scope {
        AggregateScope::Session => "session",
        AggregateScope::Lifetime => "operation",
    };
    let is_all = query.repo.as_deref().is_none_or(|repo| repo == "all" || repo.is_empty());
    let mut params = json!({ "by": by, "all": is_all });
    if let Some(days) = query.days {
        params["days"] = days.into();
    }
    match ask(&tenant, "value", params).await {
        Ok(reply) => {
            let total = &reply["total"];
            let body = json!({
                "scope": match query.scope { AggregateScope::Session => "session", AggregateScope::Lifetime => "lifetime" },
                "days": query.days,
                "calls": total["calls"],
                "bytes_avoided": total["bytes_avoided"],
                "tokens_avoided": total["tokens_avoided"],
                "dollars": total["dollars_avoided"],
                "estimated_bytes_avoided": total["estimated_bytes_avoided"],
                "estimated_tokens_avoided": total["estimated_tokens_avoided"],
                "own_calls": reply["own_calls"],
                "totals": reply["totals"],
            });
            JsonReply::new(&body).into_response()
        }
        Err(problem) => HttpRefusal::from(problem).into_response(),
    }
}

/// `GET /api/value/config`.
pub(super) async fn show_config(Extension(tenant): Extension<Arc<TenantState>>) -> Response {
    let config = &tenant.app.config;
    let price = match ask(&tenant, "value", json!({ "all": true })).await {
        Ok(reply) => reply["price"].clone(),
        Err(problem) => return HttpRefusal::from(problem).into_response(),
    };
    let default_mode = config.read.mode.map(|mode| match mode {
        engine::ModeChoice::Fixed(mode) => mode.as_str(),
        engine::ModeChoice::Auto => "auto",
    });
    let reply = json!({
        "retention_days": config.ledger.retention_days,
        "prices": [price],
        "formulas": formula_lines(),
        "adaptive": config.read.adaptive,
        "default_mode": default_mode,
        "window_turns": config.ledger.window_turns,
    });
    JsonReply::new(&reply).into_response()
}

async fn ask(tenant: &TenantState, operation: &str, params: Value) -> Result<Value, AppError> {
    let operation = ops::find_operation(operation).expect("the routes name operations that exist");
    let answer = metrics::run_counted(Door::Http, operation, &tenant.app.build_call(&NullObserver), params).await?;
    Ok(answer.json)
}
