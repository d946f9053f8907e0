//! The page of checkpoints: where the work of sessions stood.

use crate::http::dashboard::elements::{
    ColumnKind, count, empty_note, items, label, moment, name, short_id, table, text,
};
use crate::http::dashboard::layout::{NavItem, PageHead};
use crate::http::dashboard::page_source::{PageReply, PageSource};
use maud::{Markup, html};
use serde_json::{Value, json};

/// Checkpoints of one page.
const MAX_CHECKPOINTS: u32 = 100;

const COLUMNS: [(&str, ColumnKind); 5] = [
    ("Checkpoint", ColumnKind::Lead),
    ("Step", ColumnKind::Number),
    ("Made by", ColumnKind::Short),
    ("Session", ColumnKind::Text),
    ("When", ColumnKind::Short),
];

pub(in crate::http::dashboard) async fn show(source: PageSource) -> PageReply {
    let reply = source.ask("checkpoint", json!({ "action": "list", "limit": MAX_CHECKPOINTS })).await?;
    let rows: Vec<Vec<Markup>> = items(&reply["checkpoints"]).iter().map(checkpoint_row).collect();
    let body = html! {
        section {
            @if rows.is_empty() {
                (empty_note("No checkpoint yet. Agents with hooks make them as their plans change; by hand:", Some("epitome checkpoint save --state JSON")))
            } @else {
                (table("Checkpoints", &COLUMNS, &rows))
            }
            @if reply["omitted"].as_i64().unwrap_or_default() > 0 { p.quiet.small { (count(&reply["omitted"])) " more are not shown." } }
        }
        p.quiet.small { "The whole state of one: " code { "epitome checkpoint load ID" } }
    };
    let lede =
        "The state of the work at steps of a plan, at risky commands, at errors and before a compaction, newest first.";
    Ok(source.finish(&PageHead { item: NavItem::Checkpoints, title: "Checkpoints", lede }, &body))
}

fn checkpoint_row(checkpoint: &Value) -> Vec<Markup> {
    let details = &checkpoint["details"];
    let trigger = text(&details["trigger_type"]);
    let tone = if trigger == "error" { "bad" } else { "calm" };
    vec![
        html! {
            @if text(&details["description"]).is_empty() { "saved" } @else { (name(&details["description"])) }
            div.quiet.small { (short_id(text(&checkpoint["id"]))) }
        },
        html! { (count(&checkpoint["step_number"])) },
        label(trigger, tone),
        html! { (name(&checkpoint["session_id"])) },
        moment(&checkpoint["created_at"]),
    ]
}
