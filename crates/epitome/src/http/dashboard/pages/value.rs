//! The page of the ledger: tokens that agents did not have to read, signed, and what models cost; by operation, by day
//! and by session, with the newest entries.

use super::overview::live_marker;
use crate::http::dashboard::charts::{day_chart, share_bar};
use crate::http::dashboard::elements::{
    ColumnKind, count, empty_note, heading, items, label, lead_tile, moment, name, short_id, signed, table, text, tile,
};
use crate::http::dashboard::layout::{NavItem, PageHead};
use crate::http::dashboard::page_source::{PageReply, PageSource};
use maud::{Markup, html};
use serde_json::{Value, json};

/// Entries of the trace.
const NEWEST_ENTRIES: u32 = 20;

/// Rows of a list of totals; there may be a session for every day of years.
const MAX_TOTALS: usize = 25;

pub(in crate::http::dashboard) async fn show(source: PageSource) -> PageReply {
    let (by_operation, by_day, by_session) = tokio::join!(
        source.ask_part("value", json!({ "by": "operation", "all": true, "entries": NEWEST_ENTRIES })),
        source.ask_part("value", json!({ "by": "day", "all": true, "days": 30 })),
        source.ask_part("value", json!({ "by": "session", "all": true })),
    );
    let day_part = html! {
        section {
            (heading("By day", "The last 30 days. Above the line what was spared, below it what was added.", None))
            div data-live="days" { (by_day.render(|reply| html! {
                @if items(&reply["totals"]).is_empty() { (empty_note("No day has an entry yet.", None)) } @else { div.card { (day_chart(reply)) } }
            })) }
        }
    };
    let body = html! {
        (live_marker())
        (by_operation.render(|reply| html! {
            div data-live="total" { (total_tiles(&reply["total"])) }
            (day_part)
            section {
                (heading("By operation", "", None))
                div data-live="operations" { (totals_table(reply, "Operation")) }
            }
            section {
                (heading("Newest entries", "Each call that put a text in front of an agent, or a model that was asked. Your own commands spare no agent anything.", None))
                div data-live="entries" { (entry_table(items(&reply["entries"]))) }
            }
        }))
        section { (heading("By session", "", None)) (by_session.render(|reply| totals_table(reply, "Session"))) }
        p.quiet.small { "How each number comes about: " code { "epitome value --by formula" } }
    };
    let lede =
        "The ledger of what agents did not have to read. Losses count: what was added for our sake is subtracted.";
    Ok(source.finish(&PageHead { item: NavItem::Value, title: "Value", lede }, &body))
}

fn total_tiles(total: &Value) -> Markup {
    html! {
        div.tiles {
            (lead_tile("Tokens spared, net", &count(&total["tokens_avoided"]), "measured; what was added for our sake is subtracted"))
            @if total["dollars_avoided"].is_number() {
                (tile("Dollars spared", &dollars(&total["dollars_avoided"]), "the price of those tokens"))
            }
            @if total["estimated_tokens_avoided"].is_number() {
                (tile("Besides, estimated", &count(&total["estimated_tokens_avoided"]), "tokens, by formulas; in no other figure"))
            }
            (tile("Tokens shown", &count(shown_tokens(total)), "of our texts, to agents"))
            (tile("Models cost", &dollars(&total["dollars"]), "calls that Epitome itself made"))
        }
    }
}

/// What readers were shown; a ledger that does not tell it from what models wrote has one number for both.
fn shown_tokens(total: &Value) -> &Value {
    if total["tokens_shown"].is_number() { &total["tokens_shown"] } else { &total["tokens_out"] }
}

fn dollars(value: &Value) -> String {
    let amount = value.as_f64().unwrap_or_default();
    let digits = if amount != 0.0 && amount.abs() < 0.1 { 4 } else { 2 };
    format!("{}${:.digits$}", if amount < 0.0 { "−" } else { "" }, amount.abs())
}

fn totals_table(reply: &Value, title: &str) -> Markup {
    let totals = items(&reply["totals"]);
    let size = |total: &Value| total["tokens_avoided"].as_f64().unwrap_or_default();
    let largest = totals.iter().map(|total| size(total).abs()).fold(1.0, f64::max);
    let mut sorted: Vec<&Value> = totals.iter().collect();
    sorted.sort_by(|one, other| size(other).abs().total_cmp(&size(one).abs()));
    let row = |total: &&Value| {
        vec![
            html! { @if text(&total["key"]).is_empty() { span.quiet { "none named" } } @else { (name(&total["key"])) } },
            html! { (count(&total["entries"])) },
            html! { (count(shown_tokens(total))) },
            html! { (signed(&total["tokens_avoided"])) (share_bar(size(total).abs() / largest, if size(total) < 0.0 { "loss" } else { "gain" })) },
        ]
    };
    let rows: Vec<Vec<Markup>> = sorted.iter().take(MAX_TOTALS).map(row).collect();
    let columns = [
        (title, ColumnKind::Lead),
        ("Entries", ColumnKind::Number),
        ("Shown", ColumnKind::Number),
        ("Spared", ColumnKind::Number),
    ];
    html! {
        @if rows.is_empty() {
            (empty_note("The ledger has no entry yet: it fills when an agent works with Epitome. Connect one:", Some("epitome init")))
        } @else {
            (table(title, &columns, &rows))
            @if totals.len() > MAX_TOTALS { p.quiet.small { (totals.len() - MAX_TOTALS) " smaller ones are not shown." } }
        }
    }
}

const ENTRY_COLUMNS: [(&str, ColumnKind); 5] = [
    ("Call", ColumnKind::Lead),
    ("Counted by", ColumnKind::Text),
    ("Whose", ColumnKind::Text),
    ("When", ColumnKind::Short),
    ("Spared", ColumnKind::Number),
];

fn entry_table(entries: &[Value]) -> Markup {
    let row = |entry: &Value| {
        let session = text(&entry["session"]);
        // What a person types spares no agent anything.
        let is_own = entry["door"] == "cli" && session.is_empty();
        let what = ["path", "query", "mode"].map(|key| name(&entry[key])).into_iter().find(|what| !what.is_empty());
        vec![
            html! { strong { (name(&entry["operation"])) } @if let Some(what) = what { div.quiet.small { (what) } } },
            html! {
                @if !text(&entry["formula"]).is_empty() { code { (name(&entry["formula"])) } " " }
                @if entry["certainty"] == "estimated" { (label("estimated", "warn")) }
            },
            html! {
                @if session.len() > 1 { (model::show_name(short_id(session))) }
                @if is_own { span.quiet { "your own command" } }
                @if !text(&entry["agent"]).is_empty() { div.quiet.small { (name(&entry["agent"])) } }
            },
            moment(&entry["at"]),
            if is_own {
                html! { span.quiet { "not counted" } }
            } else {
                signed(&entry["tokens_avoided"])
            },
        ]
    };
    let rows: Vec<Vec<Markup>> = entries.iter().map(row).collect();
    html! { @if rows.is_empty() { (empty_note("No entry yet.", None)) } @else { (table("Newest entries", &ENTRY_COLUMNS, &rows)) } }
}
