//! The page of one conversation: what is known from it, where it was folded, and its messages. Every fold opens to the
//! messages that it stands for.

use super::message::message_entry;
use crate::http::dashboard::charts::{StripPart, strip};
use crate::http::dashboard::elements::{
    count, empty_note, group_thousands, heading, items, label, name, said_block, short_id, text, tile,
};
use crate::http::dashboard::layout::{NavItem, PageHead};
use crate::http::dashboard::page_source::{PageReply, PageSource};
use axum::extract::{Path, Query};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Messages of a page, of those that no summary stands for yet.
const PAGE_MESSAGES: u64 = 40;
const MAX_MESSAGES: u64 = 400;

/// Tokens within which the texts of summaries are asked for.
const SUMMARY_TOKENS: u32 = 16_000;

#[derive(Deserialize)]
pub(in crate::http::dashboard) struct SessionQuery {
    /// How many of the newest messages.
    messages: Option<u64>,
}

pub(in crate::http::dashboard) async fn show(
    source: PageSource,
    Path(id): Path<String>,
    Query(query): Query<SessionQuery>,
) -> PageReply {
    let described = source.ask("describe", json!({ "id": id })).await?;
    let active = described["active_messages"].as_u64().unwrap_or_default();
    let limit = query.messages.unwrap_or(PAGE_MESSAGES).clamp(1, MAX_MESSAGES).min(active.max(1));
    let newest = source.ask_part("history", json!({ "conversation": id, "limit": limit })).await;
    let texts = if items(&described["folds"]).is_empty() {
        // Without folds there is no summary whose words would be needed, and assembling reads all messages.
        HashMap::new()
    } else {
        let assembled = source.ask_part("assemble", json!({ "conversation": id, "budget": SUMMARY_TOKENS })).await;
        assembled.map_or_default(summary_texts)
    };
    let window = source.ask_part_here("value", json!({ "session": described["name"], "all": true })).await;
    let title = ["title", "name"].map(|key| text(&described[key])).into_iter().find(|title| !title.is_empty());
    let body = html! {
        div.tiles.four {
            (tile("Messages", &count(&described["messages"]), &format!("{} tokens, kept verbatim", count(&described["tokens"]))))
            (tile("In the context", &count(&described["context_tokens"]), "tokens that a model is shown of it"))
            (tile("Folds", &items(&described["folds"]).len().to_string(), "summaries in the place of older messages"))
            (tile("Facts", &items(&described["facts"]).len().to_string(), "taken from it without a model"))
        }
        (fold_strip(&described))
        div.columns.uneven {
            section {
                (heading("Timeline", "Oldest first. A fold opens to what was said, word for word.", None))
                ol.timeline {
                    @for fold in items(&described["folds"]) { (fold_entry(fold, texts.get(text(&fold["summary_id"])))) }
                    @if limit < active { (earlier_entry(&id, limit, active)) }
                    (newest.render(|reply| html! { @for message in items(&reply["messages"]) { (message_entry(message)) } }))
                }
                @if active == 0 && items(&described["folds"]).is_empty() { (empty_note("This conversation has no message.", None)) }
            }
            section {
                (heading("What is known from it", "", None))
                (render_facts(items(&described["facts"])))
                (window.map_or_default(|reply| render_window(&reply["window"])).unwrap_or_default())
            }
        }
    };
    let lede = format!("{} · {}", short_id(text(&described["id"])), text(&described["name"]));
    let head = PageHead { item: NavItem::Sessions, title: title.unwrap_or("without a title"), lede: &lede };
    Ok(source.finish(&head, &body))
}

/// The texts of summaries as the context has them, by id.
fn summary_texts(reply: &Value) -> HashMap<String, String> {
    let summaries = items(&reply["items"]).iter().filter(|item| item["type"] == "summary");
    summaries.map(|item| (text(&item["id"]).to_owned(), without_fence(text(&item["text"])))).collect()
}

/// A summary without the lines around it that tell a model that it is a quotation: the page shows that otherwise.
fn without_fence(said: &str) -> String {
    let lines = said.lines().filter(|line| !(line.starts_with("[sum_") || line.starts_with("[end of sum_")));
    lines.collect::<Vec<_>>().join("\n")
}

fn messages_of(fold: &Value) -> u64 {
    let at = |key: &str| fold[key].as_u64().unwrap_or_default();
    (at("last_seq") + 1).saturating_sub(at("first_seq"))
}

/// What tools left in the context of the agent's model, where its transcript shows that.
fn render_window(window: &Value) -> Option<Markup> {
    let entries = items(&window["entries"]);
    let line = |entry: &Value| {
        let about = name(&entry["about"]);
        html! { li {
            (name(&entry["tool"])) " " @if !about.is_empty() { code { (about) } " " }
            span.quiet { (count(&entry["tokens"])) " tokens" }
        } }
    };
    let sizes = (count(&window["results"]), count(&window["tokens"]));
    let lede =
        format!("{} results of tools, {} tokens, since its context was last emptied. Newest first.", sizes.0, sizes.1);
    (!entries.is_empty()).then(|| {
        html! {
            div.group {
                (heading("In the agent's window", &lede, None))
                div.table { ul.plain { @for entry in entries.iter().rev().take(SHOWN_RESULTS) { (line(entry)) } } }
                @if entries.len() > SHOWN_RESULTS { p.quiet.small { (entries.len() - SHOWN_RESULTS) " earlier ones are not shown." } }
            }
        }
    })
}

/// Results in the window that are shown, the newest first.
const SHOWN_RESULTS: usize = 12;

/// The whole conversation as one strip: folds, deeper ones darker, and the messages that stand for themselves.
fn fold_strip(described: &Value) -> Markup {
    let folds = items(&described["folds"]);
    let part = |fold: &Value| StripPart {
        size: messages_of(fold) as f64,
        class: if fold["depth"].as_u64().unwrap_or_default() > 0 { "fold-deep" } else { "fold" },
        title: fold_words(fold),
        address: Some(format!("#{}", text(&fold["summary_id"]))),
    };
    let active = described["active_messages"].as_u64().unwrap_or_default();
    let tail = StripPart {
        size: active as f64,
        class: "tail",
        title: format!("{active} messages as they were said"),
        address: None,
    };
    let parts: Vec<StripPart> = folds.iter().map(part).chain([tail]).collect();
    html! {
        @if !folds.is_empty() {
            section.card {
                (strip("The conversation from its first message to its last", &parts))
                ul.legend {
                    li.fold { "folded" } li.fold-deep { "folded again" } li.tail { "as it was said" }
                }
            }
        }
    }
}

fn fold_words(fold: &Value) -> String {
    let range = format!("messages {} to {}", count(&fold["first_seq"]), count(&fold["last_seq"]));
    format!("{range}, {} tokens shown as {}", count(&fold["source_tokens"]), count(&fold["tokens"]))
}

fn fold_entry(fold: &Value, said: Option<&String>) -> Markup {
    let id = text(&fold["summary_id"]);
    let messages = messages_of(fold);
    html! {
        li.entry.fold id=(id) {
            div.head {
                (label(if fold["depth"].as_u64().unwrap_or_default() > 0 { "folded again" } else { "fold" }, "accent"))
                span { (fold_words(fold)) }
            }
            @if let Some(said) = said { (said_block(said)) }
            details data-load=(format!("/ui/summaries/{id}")) {
                summary { "Show the " (group_thousands(i64::try_from(messages).unwrap_or(i64::MAX))) " messages" }
                a href=(format!("/ui/summaries/{id}")) { "Open them on a page of their own" }
            }
        }
    }
}

fn earlier_entry(id: &str, limit: u64, active: u64) -> Markup {
    let more = (limit + PAGE_MESSAGES * 2).min(MAX_MESSAGES);
    html! {
        li.entry.note {
            span.quiet { (active - limit) " earlier messages are not shown here. " }
            @if more > limit { a href=(format!("/ui/sessions/{id}?messages={more}")) { "Show more" } }
        }
    }
}

/// The kinds of facts in the order in which they matter, each with its heading and tone.
const FACT_KINDS: [(&str, &str, &str); 9] = [
    ("rule", "Rules", "good"),
    ("decision", "Decisions", "good"),
    ("correction", "Corrections", "warn"),
    ("task", "Tasks", "accent"),
    ("todo", "To do", "accent"),
    ("failure", "Failures", "bad"),
    ("test", "Tests", "calm"),
    ("file", "Files", "calm"),
    ("command", "Commands", "calm"),
];

/// Facts by kind: those that a session is told, and how many more are kept.
fn render_facts(facts: &[Value]) -> Markup {
    let told: Vec<&Value> = facts.iter().filter(|fact| fact["told"] == true).collect();
    let others = facts.len() - told.len();
    let known = |kind: &str| FACT_KINDS.iter().any(|(known, _, _)| *known == kind);
    let rest: Vec<&Value> = told.iter().copied().filter(|fact| !known(text(&fact["kind"]))).collect();
    html! {
        @if told.is_empty() { (empty_note("Nothing that a later session has to know.", None)) }
        @for (kind, title, tone) in FACT_KINDS {
            @let of_kind: Vec<&Value> = told.iter().copied().filter(|fact| fact["kind"] == kind).collect();
            @if !of_kind.is_empty() { (fact_list(title, tone, &of_kind)) }
        }
        @if !rest.is_empty() { (fact_list("More", "calm", &rest)) }
        @if others > 0 { p.quiet.small { (others) " more are kept and not told: finished steps, commands that ran, failures that ended." } }
    }
}

/// Facts of a kind that are shown at once; the others open.
const SHOWN_FACTS: usize = 8;

fn fact_list(title: &str, tone: &str, facts: &[&Value]) -> Markup {
    let line = |fact: &Value| {
        html! { li { (name(&fact["subject"])) @if !text(&fact["state"]).is_empty() { " " (label(text(&fact["state"]), tone)) } } }
    };
    html! {
        div.group {
            h3 { (title) " " span.quiet { (facts.len()) } }
            div.table { ul.plain { @for fact in facts.iter().take(SHOWN_FACTS) { (line(fact)) } } }
            @if facts.len() > SHOWN_FACTS {
                details { summary { "Show " (facts.len() - SHOWN_FACTS) " more" }
                    div.table { ul.plain { @for fact in facts.iter().skip(SHOWN_FACTS) { (line(fact)) } } } }
            }
        }
    }
}
