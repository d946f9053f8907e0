//! The page of tiers: what sessions of the project keep hot, warm and cold.

use crate::http::dashboard::elements::{
    ColumnKind, count, count_of, empty_note, items, label, name, short_id, table, text, tile,
};
use crate::http::dashboard::layout::{NavItem, PageHead};
use crate::http::dashboard::page_source::{PageReply, PageSource};
use maud::{Markup, html};
use serde_json::{Value, json};

/// Items of one page.
const MAX_ITEMS: u32 = 200;

const COLUMNS: [(&str, ColumnKind); 5] = [
    ("Item", ColumnKind::Lead),
    ("Tier", ColumnKind::Short),
    ("Relevance", ColumnKind::Number),
    ("Asked for", ColumnKind::Number),
    ("Tokens", ColumnKind::Number),
];

pub(in crate::http::dashboard) async fn show(source: PageSource) -> PageReply {
    let reply = source.ask("tier", json!({ "action": "status", "limit": MAX_ITEMS })).await?;
    let rows: Vec<Vec<Markup>> = items(&reply["items"]).iter().map(item_row).collect();
    let total = |tier: &str| count_of(&reply[tier]["tokens"], "token", "tokens");
    let body = html! {
        div.tiles {
            (tile("Hot", &count(&reply["hot"]["items"]), &total("hot")))
            (tile("Warm", &count(&reply["warm"]["items"]), &total("warm")))
            (tile("Cold", &count(&reply["cold"]["items"]), &total("cold")))
        }
        section {
            @if rows.is_empty() {
                (empty_note("Nothing is kept at hand yet.", Some("epitome tier add TEXT")))
            } @else {
                (table("Items", &COLUMNS, &rows))
            }
            @if reply["omitted"].as_i64().unwrap_or_default() > 0 { p.quiet.small { (count(&reply["omitted"])) " more are not shown." } }
        }
    };
    let lede = "Hot items are told to every session when it begins, warm ones where a prompt is about them, cold ones on request.";
    Ok(source.finish(&PageHead { item: NavItem::Tiers, title: "Memory tiers", lede }, &body))
}

fn item_row(item: &Value) -> Vec<Markup> {
    let tier = text(&item["tier"]);
    let tone = match tier {
        "hot" => "accent",
        "warm" => "warn",
        _ => "calm",
    };
    vec![
        html! { (name(&item["content"])) div.quiet.small { (short_id(text(&item["id"]))) " · " (name(&item["type"])) } },
        label(tier, tone),
        html! { (format!("{:.2}", item["relevance_score"].as_f64().unwrap_or_default())) },
        html! { (count(&item["access_count"])) },
        html! { (count(&item["token_count"])) },
    ]
}
