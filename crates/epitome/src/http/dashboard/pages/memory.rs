//! The page of what outlives a session: decisions with their reasons and states, memories, and the facts of the newest
//! session.

use crate::http::dashboard::charts::share_bar;
use crate::http::dashboard::elements::{
    ColumnKind, count, empty_note, heading, items, label, moment, name, short_id, table, text,
};
use crate::http::dashboard::layout::{NavItem, PageHead};
use crate::http::dashboard::page_source::{PageReply, PageSource};
use axum::extract::Query;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

/// Decisions of a page.
const PAGE_DECISIONS: u32 = 50;

/// Memories of a page; the next page has more of them.
const PAGE_MEMORIES: u32 = 50;
const MAX_MEMORIES: u32 = 1_000;

#[derive(Deserialize)]
pub(in crate::http::dashboard) struct MemoryQuery {
    /// What decisions shall be about.
    #[serde(default)]
    about: String,
    /// How many memories.
    memories: Option<u32>,
}

pub(in crate::http::dashboard) async fn show(source: PageSource, Query(query): Query<MemoryQuery>) -> PageReply {
    let about = query.about.trim();
    let mut wanted = json!({ "within": "all", "limit": PAGE_DECISIONS });
    if !about.is_empty() {
        wanted["about"] = json!(about);
    }
    let limit = query.memories.unwrap_or(PAGE_MEMORIES).clamp(1, MAX_MEMORIES);
    let (decisions, memories) = tokio::join!(
        source.ask_part_soon("decisions", wanted),
        source.ask_part("memories", json!({ "all": true, "limit": limit }))
    );
    let body = html! {
        section {
            (heading("Memories", "What later sessions are told when they begin, or when it concerns a question.", None))
            (memories.render(|reply| memory_table(reply, limit)))
        }
        section {
            (heading("Decisions", "What was decided in conversations, and whether it holds.", None))
            form.ask.inline method="get" action="/ui/memory" role="search" {
                div.field.grow {
                    label for="about" { "Only those about" }
                    input #about name="about" type="search" value=(about) placeholder="the database";
                }
                button.plain type="submit" { "Find" }
            }
            div data-live="decisions" { (decisions.render(decision_table)) }
        }
        p.quiet.small { "Facts (rules, tasks, failures, files, commands) belong to a session: open one under " a href="/ui/sessions" { "Sessions" } "." }
    };
    let lede = "What outlives a session: it is taken from conversations word for word, and never made up.";
    Ok(source.finish(&PageHead { item: NavItem::Memory, title: "Memory", lede }, &body))
}

const DECISION_COLUMNS: [(&str, ColumnKind); 4] = [
    ("Decision", ColumnKind::Lead),
    ("Reason", ColumnKind::Text),
    ("Status", ColumnKind::Short),
    ("When", ColumnKind::Short),
];

fn decision_table(reply: &Value) -> Markup {
    let row = |decision: &Value| {
        let conversation = text(&decision["conversation_id"]);
        vec![
            html! {
                (name(&decision["decision"]))
                div.quiet.small {
                    (short_id(text(&decision["id"])))
                    @if !conversation.is_empty() { " · " a href=(format!("/ui/sessions/{conversation}")) { "its session" } }
                }
                @if !items(&decision["alternatives"]).is_empty() {
                    div.quiet.small { "not chosen: " @for (at, other) in items(&decision["alternatives"]).iter().enumerate() { @if at > 0 { "; " } (name(other)) } }
                }
            },
            html! { (name(&decision["reason"])) },
            status_label(text(&decision["status"])),
            moment(&decision["at"]),
        ]
    };
    let rows: Vec<Vec<Markup>> = items(&reply["decisions"]).iter().map(row).collect();
    html! {
        @if rows.is_empty() {
            (empty_note("No decision was found. One is taken from a sentence such as “Let’s use SQLite because it needs no server” when its conversation is folded or recalled.", None))
        } @else {
            (table("Decisions", &DECISION_COLUMNS, &rows))
            @if reply["omitted"].as_i64().unwrap_or_default() > 0 { p.quiet.small { (count(&reply["omitted"])) " older ones are not shown." } }
        }
    }
}

fn status_label(status: &str) -> Markup {
    let status = status.replace('_', " ");
    let (word, tone) = match status.as_str() {
        "in force" => ("in force", "good"),
        "proposed" => ("proposed", "warn"),
        "withdrawn" => ("withdrawn", "bad"),
        other if other.starts_with("superseded") => ("superseded", "calm"),
        other => (other, "calm"),
    };
    label(word, tone)
}

const MEMORY_COLUMNS: [(&str, ColumnKind); 5] = [
    ("Memory", ColumnKind::Lead),
    ("Kind", ColumnKind::Short),
    ("For", ColumnKind::Short),
    ("Trust", ColumnKind::Number),
    ("Last seen", ColumnKind::Short),
];

fn memory_table(reply: &Value, limit: u32) -> Markup {
    let row = |memory: &Value| {
        let confidence = memory["confidence"].as_f64().unwrap_or(1.0);
        let is_aside = !text(&memory["archived_at"]).is_empty();
        vec![
            html! {
                (name(&memory["content"]))
                div.quiet.small {
                    (short_id(text(&memory["memory_id"])))
                    @for tag in items(&memory["tags"]) { " · #" (name(tag)) }
                    @if is_aside { " · " (label("put aside", "calm")) }
                }
            },
            label(text(&memory["kind"]), "calm"),
            html! { (name(&memory["for"])) },
            html! { (format!("{:.0} %", confidence * 100.0)) (share_bar(confidence, "gain")) },
            moment(&memory["last_seen_at"]),
        ]
    };
    let rows: Vec<Vec<Markup>> = items(&reply["memories"]).iter().map(row).collect();
    html! {
        @if rows.is_empty() {
            (empty_note("Nothing is remembered yet. Folding promotes rules and decisions by itself; or say it:", Some("epitome remember \"prices are whole cents\"")))
        } @else {
            (table("Memories", &MEMORY_COLUMNS, &rows))
            @if reply["omitted"].as_u64().unwrap_or_default() > 0 {
                p {
                    @if limit < MAX_MEMORIES { a.button.plain href=(format!("/ui/memory?memories={}", limit + PAGE_MEMORIES * 2)) { "Show more" } " " }
                    span.quiet { (count(&reply["omitted"])) " more are not shown" }
                }
            }
        }
    }
}
