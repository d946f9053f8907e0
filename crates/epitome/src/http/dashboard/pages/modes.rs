//! The page of adaptive modes: for each kind of file and agent how well each way of showing files did, and which one is
//! chosen.

use crate::http::dashboard::charts::share_bar;
use crate::http::dashboard::elements::{ColumnKind, count, empty_note, items, label, name, table, text};
use crate::http::dashboard::layout::{MODES_OPERATION, NavItem, PageHead};
use crate::http::dashboard::page_source::{PageReply, PageSource};
use maud::{Markup, html};
use serde_json::{Value, json};

/// So many reads make a slot choose for itself; below it the table by language and size holds.
const NEEDED_SAMPLES: f64 = 50.0;

const COLUMNS: [(&str, ColumnKind); 5] = [
    ("Kind of file and work", ColumnKind::Lead),
    ("Reads", ColumnKind::Number),
    ("Chosen", ColumnKind::Short),
    ("How each mode did", ColumnKind::Text),
    ("Read again wider", ColumnKind::Number),
];

pub(in crate::http::dashboard) async fn show(source: PageSource) -> PageReply {
    let reply = source.ask(MODES_OPERATION, json!({})).await?;
    let needed = reply["min_samples"].as_f64().unwrap_or(NEEDED_SAMPLES);
    let rows: Vec<Vec<Markup>> = items(&reply["slots"]).iter().map(|slot| slot_row(slot, needed)).collect();
    let body = html! {
        p { @if reply["adaptive"] == true { (label("on", "good")) " Files are shown in the mode that did best." } @else { (label("off", "calm")) " Nothing is chosen by it: " code { "read.adaptive" } " turns it on." } }
        section {
            @if rows.is_empty() {
                (empty_note("No file was read by an agent yet. Each read says which way of showing such files serves it.", None))
            } @else {
                (table("Slots", &COLUMNS, &rows))
            }
        }
    };
    let lede = "Which way of showing files serves agents best, learned from what they read again.";
    Ok(source.finish(&PageHead { item: NavItem::Modes, title: "Modes", lede }, &body))
}

fn slot_row(slot: &Value, needed: f64) -> Vec<Markup> {
    let samples = slot["samples"].as_f64().unwrap_or_default();
    let chosen = text(&slot["chosen"]);
    let is_suspect = slot["suspect"] == true;
    let tone = if is_suspect {
        "warn"
    } else if slot["converged"] == true {
        "good"
    } else {
        "calm"
    };
    vec![
        html! { (name(&slot["slot"])) },
        html! { (count(&slot["samples"])) (share_bar(samples / needed, "gain")) },
        html! {
            @if chosen.is_empty() { span.quiet { "by the table" } } @else { (label(chosen, tone)) }
            // A slot that has settled on what does not do best is told, and not shown as done.
            @if is_suspect { div.small { "the mode that was taken most is not the best one" } }
        },
        html! {
            @for arm in items(&slot["arms"]) {
                (label(&format!("{} {:+.2}", text(&arm["mode"]), arm["mean"].as_f64().unwrap_or_default()), if arm["mode"] == chosen { "accent" } else { "calm" })) " "
            }
        },
        html! { (count(&slot["rereads"])) },
    ]
}
