//! The page of one conversation: what is known from it, and its timeline as a model would be shown it. Every summary of
//! the timeline opens to the messages that it covers.

use crate::http::dashboard::elements::{
    conversation_title, count, count_of, empty_note, items, label, moment, name, quoted_block, short_id, text,
};
use crate::http::dashboard::layout::NavItem;
use crate::http::dashboard::page_source::{PageReply, PageSource};
use axum::extract::Path;
use maud::{Markup, html};
use serde_json::{Value, json};

/// Tokens of the timeline: more than a screen of the newest messages, and all summaries.
const TIMELINE_TOKENS: u32 = 16_000;

pub(in crate::http::dashboard) async fn show(source: PageSource, Path(id): Path<String>) -> PageReply {
    let described = source.ask("describe", json!({ "id": id })).await?;
    let listed = source.ask("history", json!({ "within": "all" })).await?;
    let row = items(&listed["conversations"]).iter().find(|row| row["conversation_id"] == described["id"]);
    let timeline = source.ask_part("assemble", json!({ "conversation": id, "budget": TIMELINE_TOKENS })).await;
    let title = row.map_or_else(|| name(&described["name"]), conversation_title).into_owned();
    let body = html! {
        @if let Some(row) = row {
            p.quiet {
                (short_id(text(&row["conversation_id"]))) " · " (count_of(&row["messages"], "message", "messages")) " · "
                (count(&row["tokens"])) " tokens · " (moment(&row["first_at"])) " to " (moment(&row["at"]))
            }
        }
        div.columns.uneven {
            section { h2 { "Timeline" } (timeline.render(render_timeline)) }
            section { h2 { "What is known from it" } (render_facts(items(&described["facts"]))) }
        }
    };
    Ok(source.finish(NavItem::Sessions, &title, &body))
}

fn render_timeline(reply: &Value) -> Markup {
    let shown = items(&reply["items"]);
    html! {
        @if shown.is_empty() { (empty_note("This conversation has no message.", None)) }
        ol.timeline { @for item in shown { li class=(format!("entry {}", text(&item["type"]))) { (render_entry(item)) } } }
        @if !items(&reply["omitted"]).is_empty() {
            p.quiet { "Left out of this page for its length: " (items(&reply["omitted"]).len()) " ranges; the conversation itself is whole." }
        }
    }
}

fn render_entry(item: &Value) -> Markup {
    let id = text(&item["id"]);
    html! {
        @match text(&item["type"]) {
            "summary" => {
                div.head { (label("summary", "calm")) " " span.quiet { (short_id(id)) " · " (count(&item["tokens"])) " tokens" } }
                (quoted_block(text(&item["text"])))
                details.sources data-load=(format!("/ui/summaries/{id}")) {
                    summary { "Show the messages it covers" }
                    a href=(format!("/ui/summaries/{id}")) { "Open them on a page of their own" }
                }
            }
            kind => {
                div.head {
                    (label(if kind == "message" { text(&item["role"]) } else { kind }, if item["role"] == "user" { "good" } else { "calm" }))
                    " " span.quiet { (moment(&item["at"])) }
                }
                (quoted_block(text(&item["text"])))
            }
        }
    }
}

/// Facts by kind: those that a session is told first, the log of files and commands behind them.
fn render_facts(facts: &[Value]) -> Markup {
    let told = facts.iter().filter(|fact| fact["told"] == true);
    let others = facts.iter().filter(|fact| fact["told"] != true).count();
    let told: Vec<&Value> = told.collect();
    html! {
        @if told.is_empty() { (empty_note("Nothing that a later session has to know.", None)) }
        ul.facts {
            @for fact in told {
                li {
                    (label(text(&fact["kind"]), fact_tone(fact)))
                    " " (name(&fact["subject"]))
                    @if !text(&fact["state"]).is_empty() { span.quiet { " (" (name(&fact["state"])) ")" } }
                }
            }
        }
        @if others > 0 { p.quiet { (others) " more are kept and not told: finished steps, commands that ran, failures that ended." } }
    }
}

fn fact_tone(fact: &Value) -> &'static str {
    match text(&fact["kind"]) {
        "rule" | "decision" => "good",
        "failure" => "bad",
        _ => "calm",
    }
}
