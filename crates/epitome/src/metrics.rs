//! Prometheus metrics of a serving process: counts and durations of requests on every interface, defined in one table.
//! Without a recorder (a command that runs and ends) recording does nothing. Labels take only values that we chose: a
//! caller cannot make the list of series longer.

use crate::booking::CallSubject;
use crate::errors::{AppError, ErrorClass};
use crate::ops::{AnyOperation, CommandExit, MeasureKind, OperationAnswer, OperationCall};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use serde_json::Value;
use std::time::{Duration, Instant};

const REQUESTS_TOTAL: &str = "epitome_requests_total";
const REQUEST_SECONDS: &str = "epitome_request_seconds";
const SEARCH_LATENCY: &str = "lcm_search_latency_ms";
const EXPAND_LATENCY: &str = "lcm_expand_latency_ms";
const INTEGRITY_FAILURES: &str = "lcm_integrity_failures_total";
const CONTEXT_TOKENS: &str = "lcm_context_tokens_total";
const COMPACTION_RUNS: &str = "lcm_compaction_runs_total";
const SUMMARIES_CREATED: &str = "lcm_summaries_created_total";

/// Every metric: name, kind, what it says. Names and labels stay the same between versions.
const TABLE: [(&str, MetricKind, &str); 8] = [
    (
        REQUESTS_TOTAL,
        MetricKind::Counter,
        "Requests, by door, operation (none: refused before one was known) and outcome",
    ),
    (
        REQUEST_SECONDS,
        MetricKind::Histogram(&[0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0]),
        "Time that operations took, by operation",
    ),
    (
        SEARCH_LATENCY,
        MetricKind::Histogram(&[1.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0, 5000.0]),
        "Time that searches took (search, grep, recall), in milliseconds",
    ),
    (
        EXPAND_LATENCY,
        MetricKind::Histogram(&[1.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0, 5000.0]),
        "Time that expanding summaries took, in milliseconds",
    ),
    (
        INTEGRITY_FAILURES,
        MetricKind::Counter,
        "Runs of verify, or of the look in the background, that found something wrong",
    ),
    (CONTEXT_TOKENS, MetricKind::Counter, "Tokens of contexts that were assembled"),
    (COMPACTION_RUNS, MetricKind::Counter, "Conversations in which something was folded"),
    (SUMMARIES_CREATED, MetricKind::Counter, "Summaries made, by kind"),
];

enum MetricKind {
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
pub(crate) fn count_refusal(operation: &'static str, code: &'static str) {
    metrics::counter!(REQUESTS_TOTAL, "door" => "http", "operation" => operation, "outcome" => code).increment(1);
    tracing::info!(operation, code, "refused a request");
}

/// Runs an operation and counts it.
pub(crate) async fn run_counted(
    door: Door,
    operation: &dyn AnyOperation,
    call: &OperationCall<'_>,
    params: Value,
) -> Result<OperationAnswer, AppError> {
    let started = Instant::now();
    let subject = CallSubject::from_params(operation.name(), &params);
    let mut result = operation.run_json(call, params).await.map_err(AppError::from);
    if let Ok(answer) = &mut result {
        subject.complete(&mut answer.facts);
    }
    record_request(door, operation, outcome_label(&result), started.elapsed());
    if let Ok(answer) = &result {
        // Only replies that were given count: a refused request assembled nothing.
        count_content(operation.measure_kind(), &answer.json);
    }
    result
}

fn record_request(door: Door, operation: &dyn AnyOperation, outcome: &'static str, elapsed: Duration) {
    let door = door.as_str();
    let measure = operation.measure_kind();
    let operation = operation.name();
    metrics::counter!(REQUESTS_TOTAL, "door" => door, "operation" => operation, "outcome" => outcome).increment(1);
    tracing::info!(door, operation, outcome, seconds = elapsed.as_secs_f64());
    metrics::histogram!(REQUEST_SECONDS, "operation" => operation).record(elapsed.as_secs_f64());
    let milliseconds = elapsed.as_secs_f64() * 1000.0;
    match measure {
        MeasureKind::Search => metrics::histogram!(SEARCH_LATENCY).record(milliseconds),
        MeasureKind::Expansion => metrics::histogram!(EXPAND_LATENCY).record(milliseconds),
        MeasureKind::Requests | MeasureKind::Assembly | MeasureKind::Compaction => {}
    }
    if outcome == INTEGRITY_OUTCOME {
        count_integrity_failure();
    }
}

/// Counts what a reply is about.
fn count_content(measure: MeasureKind, reply: &Value) {
    match measure {
        MeasureKind::Assembly => {
            metrics::counter!(CONTEXT_TOKENS).increment(reply["tokens"].as_u64().unwrap_or_default());
        }
        // A dry run makes no summary.
        MeasureKind::Compaction if reply["dry_run"] != true => {
            for run in reply["runs"].as_array().into_iter().flatten() {
                let folded = run["folded"].as_array().into_iter().flatten();
                count_compaction(folded.map(|folded| if folded["kind"] == "leaf" { "leaf" } else { "condensed" }));
            }
        }
        MeasureKind::Compaction | MeasureKind::Requests | MeasureKind::Search | MeasureKind::Expansion => {}
    }
}

/// Counts the summaries that were made of one conversation.
pub(crate) fn count_compaction(kinds: impl Iterator<Item = &'static str>) {
    let mut any = false;
    for kind in kinds {
        any = true;
        metrics::counter!(SUMMARIES_CREATED, "kind" => kind).increment(1);
    }
    if any {
        metrics::counter!(COMPACTION_RUNS).increment(1);
    }
}

/// Counts a look that found something wrong.
pub(crate) fn count_integrity_failure() {
    metrics::counter!(INTEGRITY_FAILURES).increment(1);
}

const INTEGRITY_OUTCOME: &str = "integrity";

/// How an operation ended, in one word.
fn outcome_label(result: &Result<OperationAnswer, AppError>) -> &'static str {
    match result {
        Err(problem) => problem.code,
        Ok(answer) => match answer.exit {
            CommandExit::Ok => "ok",
            CommandExit::Refused => "refused",
            CommandExit::NothingFound => "nothing_found",
            CommandExit::Integrity => INTEGRITY_OUTCOME,
        },
    }
}

/// The recorded metrics, for `GET /metrics`.
pub(crate) struct MetricsRecorder(PrometheusHandle);

impl MetricsRecorder {
    /// Starts recording in this process.
    pub(crate) fn start_recording() -> Result<Self, AppError> {
        let failed = |error: &dyn std::error::Error| {
            AppError::new(ErrorClass::Internal, "internal", format!("cannot start the metrics: {error}"))
        };
        let mut builder = PrometheusBuilder::new();
        for (name, kind, _) in &TABLE {
            // The recorder has to know the buckets before the first value is recorded.
            if let MetricKind::Histogram(bounds) = kind {
                let matcher = Matcher::Full((*name).to_owned());
                builder = builder.set_buckets_for_metric(matcher, bounds).map_err(|error| failed(&error))?;
            }
        }
        let handle = builder.install_recorder().map_err(|error| failed(&error))?;
        for (name, kind, about) in TABLE {
            match kind {
                MetricKind::Counter => metrics::describe_counter!(name, about),
                MetricKind::Histogram(_) => metrics::describe_histogram!(name, about),
            }
        }
        Ok(Self(handle))
    }

    /// The text that Prometheus reads.
    pub(crate) fn render_text(&self) -> String {
        self.0.render()
    }

    /// Folds recorded times into their buckets now and then; they would pile up on a server that no collector scrapes.
    pub(crate) async fn run_upkeep(&self) {
        let mut every = tokio::time::interval(Duration::from_secs(10));
        loop {
            every.tick().await;
            self.0.run_upkeep();
        }
    }
}
