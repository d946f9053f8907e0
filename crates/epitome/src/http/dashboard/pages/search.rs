//! The page to ask as an agent would: the packed answer with its cost, and why each region was taken.

use crate::http::dashboard::elements::{count, empty_note, items, label, name, quoted_block, text};
use crate::http::dashboard::layout::NavItem;
use crate::http::dashboard::page_source::{PagePart, PageReply, PageSource};
use axum::extract::Query;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

/// What an agent gets that names no budget.
const DEFAULT_BUDGET: u32 = 2_000;

#[derive(Deserialize)]
pub(in crate::http::dashboard) struct SearchQuery {
    #[serde(default)]
    q: String,
    budget: Option<u32>,
}

pub(in crate::http::dashboard) async fn show(source: PageSource, Query(query): Query<SearchQuery>) -> PageReply {
    let question = query.q.trim();
    let budget = query.budget.unwrap_or(DEFAULT_BUDGET).clamp(100, 32_000);
    let answer: Option<PagePart> = match question {
        "" => None,
        question => Some(source.ask_part("context", json!({ "query": question, "budget": budget })).await),
    };
    let body = html! {
        form.ask method="get" action="/ui/search" role="search" {
            label.hidden for="q" { "Question" }
            input #q name="q" type="search" value=(question) placeholder="how are passwords checked" autofocus[question.is_empty()];
            label for="budget" { "Tokens" }
            input #budget name="budget" type="number" min="100" max="32000" step="100" value=(budget);
            button type="submit" { "Ask" }
        }
        @match answer {
            Some(answer) => (answer.render(render_answer)),
            None => p.quiet { "The answer is the one an agent gets: whole functions and what was said, within the budget, each with its reason." }
        }
    };
    Ok(source.finish(NavItem::Search, "Ask", &body))
}

fn render_answer(reply: &Value) -> Markup {
    let regions = items(&reply["items"]);
    let omitted = items(&reply["omitted"]);
    html! {
        @if regions.is_empty() {
            (empty_note("Nothing was found for this question.", None))
        } @else {
            p.quiet { (count(&reply["tokens"])) " tokens in " (regions.len()) " regions, read as a question to " (name(&reply["intent"])) "." }
        }
        ol.answers {
            @for region in regions {
                li {
                    div.head {
                        strong { (name(&region["source"])) } " " (label(text(&region["from"]), "calm"))
                        span.quiet { " " (count(&region["tokens"])) " tokens · taken for: " (name(&region["why"])) }
                    }
                    (quoted_block(text(&region["text"])))
                }
            }
        }
        @if !omitted.is_empty() {
            section {
                h2 { "Left out for the budget" }
                ul.plain { @for place in omitted { li { code { (name(place)) } } } }
            }
        }
    }
}
