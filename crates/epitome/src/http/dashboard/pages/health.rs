//! The page that says whether all is well: the index and the store, what waits to be taken in, and, when asked for, the
//! checks of this installation and the proof of everything stored.

use crate::http::dashboard::elements::{
    ColumnKind, count, count_of, facts_table, group_thousands, heading, items, label, moment, name, table, text,
};
use crate::http::dashboard::layout::{NavItem, PageHead};
use crate::http::dashboard::page_source::{PagePart, PageReply, PageSource};
use axum::extract::Query;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
pub(in crate::http::dashboard) struct HealthQuery {
    /// Anything, where the proof is asked for: it reads everything that is stored.
    verify: Option<String>,
    /// Anything, where the checks are asked for: they start processes.
    doctor: Option<String>,
}

pub(in crate::http::dashboard) async fn show(source: PageSource, Query(query): Query<HealthQuery>) -> PageReply {
    let status = source.ask_part_here("status", json!({})).await;
    let proof: Option<PagePart> = match query.verify {
        Some(_) => Some(source.ask_part("verify", json!({})).await),
        None => None,
    };
    let checks: Option<PagePart> = match query.doctor {
        Some(_) => Some(source.run_doctor().await),
        None => None,
    };
    let body = html! {
        section { (heading("State", "", None)) (status.render(render_status)) }
        section {
            (heading("Proof", "Computes every hash again, and compares the store with its anchor.", None))
            @match proof {
                Some(proof) => (proof.render(render_proof)),
                None => p { a.button href="/ui/health?verify=now" { "Verify now" } span.quiet.small { " reads everything that is stored" } }
            }
        }
        section {
            (heading("Checks", "Configuration, agents and their hooks, daemon, MCP, providers, rights of files: epitome doctor.", None))
            @match checks {
                Some(checks) => (checks.render(render_checks)),
                None if source.shows_machine() => p { a.button href="/ui/health?doctor=now" { "Check now" } span.quiet.small { " takes a few seconds" } },
                None => p { "They look at the machine of the server: run " code.command { "epitome doctor" } " there." }
            }
        }
    };
    let lede =
        "Whether everything that was stored is there and unchanged, and whether everything that should be taken in is.";
    Ok(source.finish(&PageHead { item: NavItem::Health, title: "Health", lede }, &body))
}

fn render_proof(reply: &Value) -> Markup {
    let problems = items(&reply["problems"]);
    let rewrites = items(&reply["rewrites"]).len();
    html! {
        div.card {
            @if reply["ok"] == true {
                p { (label("ok", "good")) " " (count_of(&reply["messages"], "message", "messages")) " in " (count_of(&reply["conversations"], "conversation", "conversations"))
                    ", " (count_of(&reply["summaries"], "summary", "summaries")) " and " (count_of(&reply["lines"], "archived line", "archived lines"))
                    " are there and unchanged; " (count_of(&reply["gaps"], "gap", "gaps")) "." }
            } @else {
                p { (label("not ok", "bad")) " " (group_thousands(i64::try_from(problems.len()).unwrap_or(i64::MAX))) " problems. "
                    code { "epitome salvage --out DIR" } " writes what can be read." }
                ul { @for problem in problems { li { code { (name(&problem["subject"])) } " " (name(&problem["what"])) } } }
            }
            @if let Some(secrets) = reply["secrets"].as_object() {
                p.quiet.small { "Secrets that were replaced before they were stored: " @for (rule, found) in secrets { (label(&format!("{rule} {}", count(found)), "calm")) " " } }
            }
            @if rewrites > 0 { p.quiet.small { (rewrites) " times something was changed on purpose: " code { "epitome verify" } " names it." } }
        }
    }
}

const CHECK_COLUMNS: [(&str, ColumnKind); 3] =
    [("Check", ColumnKind::Lead), ("Result", ColumnKind::Short), ("Found", ColumnKind::Text)];

fn render_checks(reply: &Value) -> Markup {
    let mut checks: Vec<&Value> = items(&reply["checks"]).iter().collect();
    // What is wrong comes first.
    checks.sort_by_key(|check| check["ok"] == true);
    let row = |check: &Value| {
        let is_ok = check["ok"] == true;
        vec![
            html! { strong { (name(&check["check"])) } },
            label(if is_ok { "ok" } else { "to fix" }, if is_ok { "good" } else { "bad" }),
            html! { (name(&check["what"])) @if !is_ok { div { "Fix: " code { (name(&check["fix"])) } } } },
        ]
    };
    let rows: Vec<Vec<Markup>> = checks.into_iter().map(row).collect();
    table("Checks", &CHECK_COLUMNS, &rows)
}

fn render_status(status: &Value) -> Markup {
    let is_ready = status["index_ready"] == true;
    let mut rows = vec![
        ("Project", html! { code { (name(&status["root"])) } }),
        (
            "Index",
            html! {
                (label(if is_ready { "ready" } else { "not made yet" }, if is_ready { "good" } else { "warn" })) " "
                @if is_ready {
                    (count(&status["files"])) " files, " (count(&status["symbols"])) " symbols, " (count(&status["edges"])) " relations"
                    @if !text(&status["indexed_at"]).is_empty() { span.quiet { ", as of " (moment(&status["indexed_at"])) } }
                } @else { "the first question makes it, or " code { "epitome index" } }
            },
        ),
        ("Store", html! { (name(&status["store"])) }),
        (
            "Conversations",
            html! { (count_of(&status["messages"], "message", "messages")) " in " (count_of(&status["conversations"], "conversation", "conversations")) " of this project" },
        ),
        (
            "Archive",
            html! {
                (count_of(&status["lines"], "line", "lines")) " of " (count_of(&status["sources"], "transcript", "transcripts")) ", "
                (byte_words(&status["archived_bytes"])) " kept in " (byte_words(&status["stored_bytes"]))
            },
        ),
        ("Waiting", waiting_words(status)),
    ];
    for (title, key) in
        [("Last ingest", "last_ingest"), ("Last fold", "last_compact"), ("Last promotion", "last_promote")]
    {
        if !text(&status[key]).is_empty() {
            rows.push((title, moment(&status[key])));
        }
    }
    if status["daemon"].is_object() {
        let is_running = status["daemon"]["running"] == true;
        let state = if is_running { "runs" } else { "does not run" };
        rows.push((
            "Daemon",
            html! {
                (label(state, "calm")) " " (name(&status["daemon"]["version"]))
                @if !is_running { " the first hook of an agent starts it" }
            },
        ));
    }
    if !text(&status["summarizer"]).is_empty() {
        rows.push(("Summaries by", html! { (name(&status["summarizer"])) }));
    }
    facts_table(&rows)
}

/// What hooks and transcripts have that is not stored yet.
fn waiting_words(status: &Value) -> Markup {
    let spool = status["spool_bytes"].as_u64().unwrap_or_default();
    let behind = status["transcripts_behind"].as_u64().unwrap_or_default();
    html! {
        @if spool == 0 && behind == 0 { (label("nothing", "good")) " everything that was seen is stored" }
        @if spool > 0 { div { (label("hooks", "warn")) " " (byte_words(&status["spool_bytes"])) " wait to be taken in; the next command does it" } }
        @if behind > 0 { div { (label("transcripts", "warn")) " " (count_of(&status["transcripts_behind"], "has", "have")) " more than was taken in: " code { "epitome import" } } }
        @for silent in items(&status["without_messages"]) { div.quiet.small { "gave no message: " (name(silent)) } }
    }
}

/// Bytes in a unit that a person reads.
fn byte_words(value: &Value) -> String {
    let bytes = value.as_f64().unwrap_or_default();
    match bytes {
        size if size >= 1e9 => format!("{:.1} GB", size / 1e9),
        size if size >= 1e6 => format!("{:.1} MB", size / 1e6),
        size if size >= 1e3 => format!("{:.0} kB", size / 1e3),
        size => format!("{size:.0} bytes"),
    }
}
