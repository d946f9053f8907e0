//! The page of all conversations: title, state, size, when they began and ended.

use crate::http::dashboard::charts::share_bar;
use crate::http::dashboard::elements::{
    ColumnKind, conversation_title, count, empty_note, items, label, moment, short_id, table, text,
};
use crate::http::dashboard::layout::{NavItem, PageHead};
use crate::http::dashboard::page_source::{PageReply, PageSource};
use axum::extract::Query;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

/// Sessions of a page; the next page has more of them.
const PAGE_SESSIONS: u32 = 50;
const MAX_SESSIONS: u32 = 1_000;

#[derive(Deserialize)]
pub(in crate::http::dashboard) struct SessionsQuery {
    /// `project` for those of this project only.
    #[serde(default)]
    within: String,
    /// How many of the newest.
    limit: Option<u32>,
}

pub(in crate::http::dashboard) async fn show(source: PageSource, Query(query): Query<SessionsQuery>) -> PageReply {
    let of_project = query.within == "project";
    let limit = query.limit.unwrap_or(PAGE_SESSIONS).clamp(1, MAX_SESSIONS);
    let within = if of_project { "project" } else { "all" };
    let reply = source.ask("history", json!({ "within": within, "limit": limit })).await?;
    let conversations = items(&reply["conversations"]);
    let omitted = reply["omitted"].as_i64().unwrap_or_default();
    let chosen = |chosen: bool| chosen.then_some("page");
    let body = html! {
        ul.chips aria-label="Which sessions" {
            li { a href="/ui/sessions" aria-current=[chosen(!of_project)] { "All projects" } }
            li { a href="/ui/sessions?within=project" aria-current=[chosen(of_project)] { "This project" } }
        }
        section.near { (session_table(conversations)) }
        @if omitted > 0 && limit < MAX_SESSIONS {
            p { a.button.plain href=(format!("/ui/sessions?within={within}&limit={}", limit + PAGE_SESSIONS)) { "Show more" }
                span.quiet { " " (count(&reply["omitted"])) " older ones are not shown" } }
        }
    };
    let lede = "Every conversation with an agent that was kept, the newest first. Open one to read it as it was said.";
    Ok(source.finish(&PageHead { item: NavItem::Sessions, title: "Sessions", lede }, &body))
}

const COLUMNS: [(&str, ColumnKind); 6] = [
    ("Session", ColumnKind::Lead),
    ("State", ColumnKind::Short),
    ("Messages", ColumnKind::Number),
    ("Tokens", ColumnKind::Number),
    ("Summaries", ColumnKind::Number),
    ("Last message", ColumnKind::Short),
];

/// Conversations as a table, the newest first as the operation lists them.
pub(super) fn session_table(conversations: &[Value]) -> Markup {
    let largest = conversations.iter().filter_map(|row| row["tokens"].as_f64()).fold(1.0, f64::max);
    let row = |row: &Value| {
        let id = text(&row["conversation_id"]);
        vec![
            html! { a href=(format!("/ui/sessions/{id}")) { (conversation_title(row)) } div.quiet.small { (short_id(id)) } },
            label(text(&row["state"]), if row["state"] == "active" { "good" } else { "calm" }),
            html! { (count(&row["messages"])) },
            html! { (count(&row["tokens"])) (share_bar(row["tokens"].as_f64().unwrap_or_default() / largest, "gain")) },
            html! { (count(&row["summaries"])) },
            moment(&row["at"]),
        ]
    };
    let rows: Vec<Vec<Markup>> = conversations.iter().map(row).collect();
    html! {
        @if rows.is_empty() {
            (empty_note("No conversation is stored yet. “epitome init” connects the agents of this machine; what they have written down already is taken in by:", Some("epitome import")))
        } @else {
            (table("Sessions", &COLUMNS, &rows))
        }
    }
}
