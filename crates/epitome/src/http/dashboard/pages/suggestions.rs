//! The page of suggestions: what sessions asked to be told of, what they were told, and what became of it.

use crate::http::dashboard::elements::{
    ColumnKind, empty_note, heading, items, label, moment, name, short_id, table, text,
};
use crate::http::dashboard::layout::{NavItem, PageHead};
use crate::http::dashboard::page_source::{PageReply, PageSource};
use maud::{Markup, html};
use serde_json::{Value, json};

/// Suggestions of one page.
const MAX_SUGGESTIONS: u32 = 100;

const SUBSCRIPTION_COLUMNS: [(&str, ColumnKind); 4] = [
    ("Subscription", ColumnKind::Lead),
    ("Stands", ColumnKind::Short),
    ("Whom", ColumnKind::Text),
    ("Since", ColumnKind::Short),
];
const SUGGESTION_COLUMNS: [(&str, ColumnKind); 4] = [
    ("Suggestion", ColumnKind::Lead),
    ("Relevance", ColumnKind::Number),
    ("Stands", ColumnKind::Short),
    ("When", ColumnKind::Short),
];

pub(in crate::http::dashboard) async fn show(source: PageSource) -> PageReply {
    let asked = source.ask("subscription", json!({ "action": "list" })).await?;
    let told = json!({ "action": "list", "include_delivered": true, "limit": MAX_SUGGESTIONS });
    let told = source.ask("suggestion", told).await?;
    let asked: Vec<Vec<Markup>> = items(&asked["subscriptions"]).iter().map(subscription_row).collect();
    let told: Vec<Vec<Markup>> = items(&told["suggestions"]).iter().map(suggestion_row).collect();
    let body = html! {
        section {
            (heading("Subscriptions", "What sessions asked to be told of.", None))
            @if asked.is_empty() {
                (empty_note("Nobody asked to be told of anything, so nobody is.", Some("epitome subscription add 'src/**'")))
            } @else {
                (table("Subscriptions", &SUBSCRIPTION_COLUMNS, &asked))
            }
        }
        section {
            (heading("Suggestions", "Each is told once; what nobody acts on makes the next ones matter less.", None))
            @if told.is_empty() {
                (empty_note("No suggestion yet.", None))
            } @else {
                (table("Suggestions", &SUGGESTION_COLUMNS, &told))
            }
        }
    };
    let lede =
        "What subscriptions led to: files that changed with what depends on them, and words that a prompt mentioned.";
    Ok(source.finish(&PageHead { item: NavItem::Suggestions, title: "Suggestions", lede }, &body))
}

fn subscription_row(subscription: &Value) -> Vec<Markup> {
    let status = text(&subscription["status"]);
    let session = text(&subscription["session_id"]);
    vec![
        html! {
            code { (name(&subscription["pattern"]["value"])) }
            div.quiet.small { (short_id(text(&subscription["id"]))) " · " (name(&subscription["pattern"]["type"])) }
        },
        label(status, if status == "active" { "good" } else { "calm" }),
        html! { @if session.is_empty() { "every session" } @else { (model::show_name(session)) } },
        moment(&subscription["created_at"]),
    ]
}

fn suggestion_row(suggestion: &Value) -> Vec<Markup> {
    let status = text(&suggestion["status"]);
    let tone = match status {
        "acted" => "good",
        "pending" => "accent",
        _ => "calm",
    };
    vec![
        html! {
            (name(&suggestion["title"]))
            @for item in items(&suggestion["items"]) { div.quiet.small { (name(&item["kind"])) " " code { (name(&item["place"])) } } }
        },
        html! { (format!("{:.2}", suggestion["relevance_score"].as_f64().unwrap_or_default())) },
        label(status, tone),
        moment(&suggestion["created_at"]),
    ]
}
