//! The page of all conversations: title, state, size, when they began and ended.

use crate::http::dashboard::elements::{conversation_title, count, empty_note, items, label, moment, short_id, text};
use crate::http::dashboard::layout::NavItem;
use crate::http::dashboard::page_source::{PageReply, PageSource};
use axum::extract::Query;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
pub(in crate::http::dashboard) struct SessionsQuery {
    /// `project` for those of this project only.
    #[serde(default)]
    within: String,
}

pub(in crate::http::dashboard) async fn show(source: PageSource, Query(query): Query<SessionsQuery>) -> PageReply {
    let of_project = query.within == "project";
    let params = if of_project { json!({}) } else { json!({ "within": "all" }) };
    let reply = source.ask("history", params).await?;
    let conversations = items(&reply["conversations"]);
    let body = html! {
        p.filter {
            @if of_project {
                a href="/ui/sessions" { "All projects" } " · " strong { "This project" }
            } @else {
                strong { "All projects" } " · " a href="/ui/sessions?within=project" { "This project" }
            }
            span.quiet { " · " (conversations.len()) " shown" }
        }
        (session_table(conversations.iter()))
    };
    Ok(source.finish(NavItem::Sessions, "Sessions", &body))
}

/// Conversations as a table, the newest first as the operation lists them.
pub(super) fn session_table<'a>(conversations: impl Iterator<Item = &'a Value>) -> Markup {
    let rows: Vec<&Value> = conversations.collect();
    html! {
        @if rows.is_empty() {
            (empty_note("No conversation is stored yet. Connect an agent, or import its transcripts:", Some("epitome import")))
        } @else {
            div.scroll {
                table {
                    thead { tr { th { "Session" } th { "State" } th.number { "Messages" } th.number { "Tokens" } th.number { "Summaries" } th { "Last" } } }
                    tbody {
                        @for row in rows {
                            @let id = text(&row["conversation_id"]);
                            tr {
                                td.wide { a href=(format!("/ui/sessions/{id}")) { (conversation_title(row)) } div.quiet { (short_id(id)) } }
                                td { (state_label(text(&row["state"]))) }
                                td.number { (count(&row["messages"])) }
                                td.number { (count(&row["tokens"])) }
                                td.number { (count(&row["summaries"])) }
                                td { (moment(&row["at"])) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn state_label(state: &str) -> Markup {
    label(state, if state == "active" { "good" } else { "calm" })
}
