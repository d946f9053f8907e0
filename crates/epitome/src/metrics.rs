//! Counts and times of requests, in one table, for every door that runs in a serving process.
//!
//! Without a recorder (a command that runs and ends) recording does nothing. Labels take only values that we chose:
//! a caller cannot make the list of series longer.

use crate::errors::{Class, Problem};
use crate::ops::{Answer, AnyOperation, Call, Exit, MeasureKind};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use serde_json::Value;
use std::time::{Duration, Instant};

const REQUESTS: &str = "epitome_requests_total";
const SECONDS: &str = "epitome_request_seconds";
const SEARCH: &str = "lcm_search_latency_ms";
const EXPAND: &str = "lcm_expand_latency_ms";
const INTEGRITY: &str = "lcm_integrity_failures_total";
const CONTEXT: &str = "lcm_context_tokens_total";
const COMPACTIONS: &str = "lcm_compaction_runs_total";
const SUMMARIES: &str = "lcm_summaries_created_total";

/// Every metric: name, kind, what it says. Names and labels stay the same between versions.
const TABLE: [(&str, Kind, &str); 8] = [
    (REQUESTS, Kind::Counter, "Requests, by door, operation (none: refused before one was known) and outcome"),
    (
        SECONDS,
        Kind::Histogram(&[0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0]),
        "Time that operations took, by operation",
    ),
    (
        SEARCH,
        Kind::Histogram(&[1.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0, 5000.0]),
        "Time that searches took (search, grep, recall), in milliseconds",
    ),
    (
        EXPAND,
        Kind::Histogram(&[1.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0, 5000.0]),
        "Time that expanding summaries took, in milliseconds",
    ),
    (INTEGRITY, Kind::Counter, "Runs of verify, or of the look in the background, that found something wrong"),
    (CONTEXT, Kind::Counter, "Tokens of contexts that were assembled"),
    (COMPACTIONS, Kind::Counter, "Conversations in which something was folded"),
    (SUMMARIES, Kind::Counter, "Summaries made, by kind"),
];

enum Kind {
    Counter,
    /// With the upper bounds of its buckets.
    Histogram(&'static [f64]),
}

/// Which door a request came through.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Door {
    Http,
    Mcp,
}

impl Door {
    fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Mcp => "mcp",
        }
    }
}

/// The label of requests that never came to an operation.
pub(crate) const NO_OPERATION: &str = "none";

/// Counts a request of which nothing was run.
pub(crate) fn refused(operation: &'static str, code: &'static str) {
    metrics::counter!(REQUESTS, "door" => "http", "operation" => operation, "outcome" => code).increment(1);
    tracing::info!(operation, code, "refused a request");
}

/// Runs an operation and counts it.
pub(crate) async fn counted(
    door: Door,
    operation: &dyn AnyOperation,
    call: &Call<'_>,
    params: Value,
) -> Result<Answer, Problem> {
    let started = Instant::now();
    let result = operation.run_json(call, params).await.map_err(Problem::from);
    record(door, operation, outcome(&result), started.elapsed());
    if let Ok(answer) = &result {
        count_content(operation.measure(), &answer.json);
    }
    result
}

fn record(door: Door, operation: &dyn AnyOperation, outcome: &'static str, elapsed: Duration) {
    let (door, measure, operation) = (door.as_str(), operation.measure(), operation.name());
    metrics::counter!(REQUESTS, "door" => door, "operation" => operation, "outcome" => outcome).increment(1);
    tracing::info!(door, operation, outcome, seconds = elapsed.as_secs_f64());
    metrics::histogram!(SECONDS, "operation" => operation).record(elapsed.as_secs_f64());
    let milliseconds = elapsed.as_secs_f64() * 1000.0;
    match measure {
        MeasureKind::Search => metrics::histogram!(SEARCH).record(milliseconds),
        MeasureKind::Expansion => metrics::histogram!(EXPAND).record(milliseconds),
        MeasureKind::Requests | MeasureKind::Assembly | MeasureKind::Compaction => {}
    }
    if outcome == INTEGRITY_OUTCOME {
        integrity_failed();
    }
}

/// Counts what a reply is about.
fn count_content(measure: MeasureKind, reply: &Value) {
    match measure {
        MeasureKind::Assembly => metrics::counter!(CONTEXT).increment(reply["tokens"].as_u64().unwrap_or_default()),
        MeasureKind::Compaction if reply["dry_run"] != true => {
            for run in reply["runs"].as_array().into_iter().flatten() {
                let folded = run["folded"].as_array().into_iter().flatten();
                compacted(folded.map(|folded| if folded["kind"] == "leaf" { "leaf" } else { "condensed" }));
            }
        }
        MeasureKind::Compaction | MeasureKind::Requests | MeasureKind::Search | MeasureKind::Expansion => {}
    }
}

/// Counts the summaries that were made of one conversation.
pub(crate) fn compacted(kinds: impl Iterator<Item = &'static str>) {
    let mut any = false;
    for kind in kinds {
        any = true;
        metrics::counter!(SUMMARIES, "kind" => kind).increment(1);
    }
    if any {
        metrics::counter!(COMPACTIONS).increment(1);
    }
}

/// Counts a look that found something wrong.
pub(crate) fn integrity_failed() {
    metrics::counter!(INTEGRITY).increment(1);
}

const INTEGRITY_OUTCOME: &str = "integrity";

/// How an operation ended, in one word.
fn outcome(result: &Result<Answer, Problem>) -> &'static str {
    match result {
        Err(problem) => problem.code,
        Ok(answer) => match answer.exit {
            Exit::Ok => "ok",
            Exit::Refused => "refused",
            Exit::NothingFound => "nothing_found",
            Exit::Integrity => INTEGRITY_OUTCOME,
        },
    }
}

/// What was recorded, for `GET /metrics`.
pub(crate) struct Recorded(PrometheusHandle);

impl Recorded {
    /// Starts recording in this process.
    pub(crate) fn start() -> Result<Self, Problem> {
        let failed = |error: &dyn std::error::Error| {
            Problem::new(Class::Internal, "internal", format!("cannot start the metrics: {error}"))
        };
        let mut builder = PrometheusBuilder::new();
        for (name, kind, _) in &TABLE {
            if let Kind::Histogram(bounds) = kind {
                let matcher = Matcher::Full((*name).to_owned());
                builder = builder.set_buckets_for_metric(matcher, bounds).map_err(|error| failed(&error))?;
            }
        }
        let handle = builder.install_recorder().map_err(|error| failed(&error))?;
        for (name, kind, about) in TABLE {
            match kind {
                Kind::Counter => metrics::describe_counter!(name, about),
                Kind::Histogram(_) => metrics::describe_histogram!(name, about),
            }
        }
        Ok(Self(handle))
    }

    /// The text that Prometheus reads.
    pub(crate) fn text(&self) -> String {
        self.0.render()
    }

    /// Folds recorded times into their buckets now and then; they would pile up on a server that nobody scrapes.
    pub(crate) async fn fold(&self) {
        let mut every = tokio::time::interval(Duration::from_secs(10));
        loop {
            every.tick().await;
            self.0.run_upkeep();
        }
    }
}
