//! The messages that a summary covers: a page, of which the timeline of a conversation takes the list.

use crate::http::dashboard::elements::{items, label, moment, quoted_block, short_id, text};
use crate::http::dashboard::layout::NavItem;
use crate::http::dashboard::page_source::{PageReply, PageSource};
use axum::extract::{Path, Query};
use maud::html;
use serde::Deserialize;
use serde_json::json;

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
    let body = html! {
        // The script of the timeline takes this element out of the page.
        ol.timeline data-fragment="messages" {
            @for item in items(&reply["items"]) {
                li.entry.message {
                    div.head {
                        (label(text(&item["role"]), if item["role"] == "user" { "good" } else { "calm" }))
                        " " span.quiet { (moment(&item["at"])) }
                    }
                    (quoted_block(text(&item["text"])))
                }
            }
            @if !next.is_empty() {
                li.entry { a.more href=(format!("/ui/summaries/{id}?from={next}")) { "More messages" } }
            }
        }
    };
    Ok(source.finish(NavItem::Sessions, &format!("Messages of {}", short_id(&id)), &body))
}
