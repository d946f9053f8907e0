//! The first page: what is stored and indexed, how much shorter folding made it, the newest sessions, and what later
//! sessions are told.

use super::sessions::session_table;
use crate::http::dashboard::elements::{
    count, count_of, empty_note, group_thousands, items, name, share_bar, text, tile,
};
use crate::http::dashboard::layout::NavItem;
use crate::http::dashboard::page_source::{PageReply, PageSource};
use maud::{Markup, html};
use serde_json::{Value, json};

/// As many as fit beside the rest without scrolling.
const NEWEST_SESSIONS: usize = 6;

pub(in crate::http::dashboard) async fn show(source: PageSource) -> PageReply {
    let status = source.ask_part("status", json!({})).await;
    let totals = source.ask_part("stats", json!({ "all": true })).await;
    let sessions = source.ask_part("history", json!({ "within": "all" })).await;
    let memories = source.ask_part("memories", json!({})).await;
    let decisions = source.ask_part("decisions", json!({ "status": "in_force" })).await;
    let body = html! {
        (totals.render(memory_tiles))
        (status.render(code_tiles))
        section {
            div.heading { h2 { "Newest sessions" } a href="/ui/sessions" { "All sessions" } }
            (sessions.render(|reply| session_table(items(&reply["conversations"]).iter().take(NEWEST_SESSIONS))))
        }
        div.columns {
            section {
                div.heading { h2 { "Decisions in force" } a href="/ui/memory" { "All of memory" } }
                (decisions.render(decision_list))
            }
            section {
                div.heading { h2 { "Memories" } a href="/ui/memory" { "All of memory" } }
                (memories.render(memory_list))
            }
        }
    };
    Ok(source.finish(NavItem::Overview, "Overview", &body))
}

fn memory_tiles(stats: &Value) -> Markup {
    let folded = stats["folded_tokens"].as_i64().unwrap_or_default();
    let summaries = stats["summary_tokens"].as_i64().unwrap_or_default();
    let words = format!("{} tokens shown as {}", group_thousands(folded), group_thousands(summaries));
    html! {
        section.tiles aria-label="Conversations" {
            (tile("Conversations", &count(&stats["conversations"]), &format!("{}, every one verbatim", count_of(&stats["messages"], "message", "messages"))))
            (tile("Tokens kept", &count(&stats["raw_tokens"]), &format!("{} taken from them", count_of(&stats["facts"], "fact", "facts"))))
            (tile("Folded", &folded_ratio(stats), &format!("{}, each expands to its messages", count_of(&stats["summaries"], "summary", "summaries"))))
            (tile("Net tokens", &count(&stats["net_tokens"]), "spared to agents, less what was added for our sake"))
            (tile("Secrets replaced", &count(&stats["secrets"]["total"]), "before they were stored"))
        }
        @if folded > 0 { (share_bar(folded - summaries, folded, &words)) }
    }
}

/// How many times shorter the folded part is.
fn folded_ratio(stats: &Value) -> String {
    match stats["ratio"].as_f64() {
        Some(ratio) if ratio > 0.0 => format!("{ratio:.1} × shorter"),
        _ => "nothing yet".to_owned(),
    }
}

fn code_tiles(status: &Value) -> Markup {
    html! {
        @if status["index_ready"] == true {
            section.tiles aria-label="Code" {
                (tile("Files", &count(&status["files"]), "parsed and indexed"))
                (tile("Symbols", &count(&status["symbols"]), "functions, types and the like"))
                (tile("Edges", &count(&status["edges"]), "calls, imports, inheritance"))
            }
        } @else {
            (empty_note("The code of this project is not indexed yet; the first question does it, or", Some("epitome index")))
        }
    }
}

fn decision_list(reply: &Value) -> Markup {
    let decisions = items(&reply["decisions"]);
    html! {
        @if decisions.is_empty() {
            (empty_note("No decision is in force. Decisions are taken from conversations when they are folded.", None))
        } @else {
            ul.plain {
                @for decision in decisions.iter().take(5) {
                    li { (name(&decision["title"])) @if !text(&decision["reason"]).is_empty() { span.quiet { " — " (name(&decision["reason"])) } } }
                }
            }
        }
    }
}

fn memory_list(reply: &Value) -> Markup {
    let memories = items(&reply["memories"]);
    html! {
        @if memories.is_empty() {
            (empty_note("Nothing is remembered for later sessions yet.", Some("epitome remember \"prices are whole cents\"")))
        } @else {
            ul.plain { @for memory in memories.iter().take(5) { li { (name(&memory["content"])) } } }
        }
    }
}
