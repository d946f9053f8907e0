//! The messages that a summary covers: a page, of which the timeline of a conversation takes the list.

use super::message::message_entry;
use crate::http::dashboard::elements::{count, count_of, items, moment, name, said_block, short_id, text};
use crate::http::dashboard::layout::{NavItem, PageHead};
use crate::http::dashboard::page_source::{PageReply, PageSource};
use axum::extract::{Path, Query};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

/// Tokens of a page of messages.
const PAGE_TOKENS: u32 = 8_000;

#[derive(Deserialize)]
pub(in crate::http::dashboard) struct SummaryQuery {
    /// Where the page before ended.
    from: Option<String>,
}

pub(in crate::http::dashboard) async fn show(
    source: PageSource,
    Path(id): Path<String>,
    Query(query): Query<SummaryQuery>,
) -> PageReply {
    let asked = query.from.as_deref().unwrap_or(&id);
    let reply = source.ask("expand", json!({ "id": asked, "budget": PAGE_TOKENS, "messages": true })).await?;
    let next = text(&reply["continue_with"]);
    let messages = items(&reply["items"]).iter().filter(|item| item["type"] == "message");
    // What it is was said on the page before.
    let described =
        if query.from.is_none() { Some(source.ask_part("describe", json!({ "id": id })).await) } else { None };
    let body = html! {
        @if let Some(described) = described { (described.render(render_summary)) }
        section.near {
            // The script of the timeline takes this element out of the page.
            ol.timeline data-part="messages" {
                @for message in messages { (message_entry(message)) }
                @if !next.is_empty() {
                    li.entry.note { a data-more="" href=(format!("/ui/summaries/{id}?from={next}")) { "More messages" } }
                }
            }
        }
    };
    let title = format!("Messages of {}", short_id(&id));
    let lede = "What the summary stands for, word for word.";
    Ok(source.finish(&PageHead { item: NavItem::Sessions, title: &title, lede }, &body))
}

/// Who wrote the summary, when and why; the words themselves stand in the timeline as well.
fn render_summary(described: &Value) -> Markup {
    let summary = &described["summary"];
    let conversation = text(&described["conversation_id"]);
    html! {
        section.near.card {
            p.quiet.small { a href=(format!("/ui/sessions/{conversation}")) { "Back to the session" } }
            (said_block(text(&described["content"])))
        }
        p.quiet.small data-part="about" {
            "Summary " (short_id(text(&described["id"]))) ", " (method_words(summary)) ", folded for: " (text(&summary["trigger"]).replace('_', " ")) ". It covers "
            (moment(&summary["from"])) @if !text(&summary["until"]).is_empty() { " to " (moment(&summary["until"])) }
            " and keeps " (count(&summary["facts_kept"])) " of " (count_of(&summary["facts"], "fact", "facts")) " in its words."
        }
    }
}

fn method_words(summary: &Value) -> String {
    match text(&summary["method"]) {
        "model" => format!("written by {}", name(&summary["model"])),
        "fallback" => "written here, since the model gave nothing usable".to_owned(),
        _ => "written here, without a model".to_owned(),
    }
}
