//! The page of what outlives a session: decisions with their reasons and states, and memories.

use crate::http::dashboard::elements::{empty_note, items, label, moment, name, short_id, text};
use crate::http::dashboard::layout::NavItem;
use crate::http::dashboard::page_source::{PageReply, PageSource};
use maud::{Markup, html};
use serde_json::{Value, json};

pub(in crate::http::dashboard) async fn show(source: PageSource) -> PageReply {
    let decisions = source.ask_part("decisions", json!({ "within": "all" })).await;
    let memories = source.ask_part("memories", json!({ "all": true })).await;
    let body = html! {
        section { h2 { "Decisions" } (decisions.render(decision_table)) }
        section { h2 { "Memories" } (memories.render(memory_table)) }
    };
    Ok(source.finish(NavItem::Memory, "Memory", &body))
}

fn decision_table(reply: &Value) -> Markup {
    let decisions = items(&reply["decisions"]);
    html! {
        @if decisions.is_empty() {
            (empty_note("No decision was found in the conversations. “Let's use SQLite because it needs no server” is one.", None))
        } @else {
            div.scroll {
                table {
                    thead { tr { th { "Decision" } th { "Status" } th { "Reason" } th { "When" } } }
                    tbody {
                        @for decision in decisions {
                            tr {
                                td.wide { (name(&decision["decision"])) div.quiet { (short_id(text(&decision["id"]))) } }
                                td { (status_label(text(&decision["status"]))) }
                                td { (name(&decision["reason"])) }
                                td { (moment(&decision["at"])) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn status_label(status: &str) -> Markup {
    let tone = match status {
        "in_force" | "in force" => "good",
        "withdrawn" | "superseded" => "bad",
        _ => "calm",
    };
    label(&status.replace('_', " "), tone)
}

fn memory_table(reply: &Value) -> Markup {
    let memories = items(&reply["memories"]);
    html! {
        @if memories.is_empty() {
            (empty_note("Nothing is remembered yet. Folding promotes rules and decisions by itself; or say it:", Some("epitome remember \"prices are whole cents\"")))
        } @else {
            div.scroll {
                table {
                    thead { tr { th { "Memory" } th { "Kind" } th { "For" } th.number { "Confidence" } th { "Last seen" } } }
                    tbody {
                        @for memory in memories {
                            tr {
                                td.wide {
                                    (name(&memory["content"]))
                                    div.quiet { (short_id(text(&memory["memory_id"]))) @for tag in items(&memory["tags"]) { " #" (name(tag)) } }
                                }
                                td { (label(text(&memory["kind"]), "calm")) }
                                td { (name(&memory["for"])) }
                                td.number { (format!("{:.2}", memory["confidence"].as_f64().unwrap_or(1.0))) }
                                td { (moment(&memory["last_seen_at"])) }
                            }
                        }
                    }
                }
            }
        }
    }
}
