//! The first page: what is stored and indexed, how much shorter folding made it, what was spared, the newest sessions, and
//! what later sessions are told. Where there is nothing at all it says how to begin.

use super::sessions::session_table;
use crate::http::dashboard::charts::{StripPart, day_chart, strip};
use crate::http::dashboard::elements::{
    count, count_of, empty_note, group_thousands, heading, items, lead_tile, name, text, tile,
};
use crate::http::dashboard::layout::{NavItem, PageHead};
use crate::http::dashboard::page_source::{PageReply, PageSource};
use maud::{Markup, html};
use serde_json::{Value, json};

/// As many as fit beside the rest without scrolling.
const NEWEST_SESSIONS: usize = 6;
const NEWEST_ENTRIES: usize = 5;

pub(in crate::http::dashboard) async fn show(source: PageSource) -> PageReply {
    let (status, projects, value, sessions, memories, decisions, days) = tokio::join!(
        source.ask_part("status", json!({})),
        source.ask_part("project", json!({})),
        source.ask_part("value", json!({ "all": true })),
        source.ask_part("history", json!({ "within": "all", "limit": NEWEST_SESSIONS })),
        source.ask_part("memories", json!({ "limit": NEWEST_ENTRIES })),
        source.ask_part_soon("decisions", json!({ "within": "all", "status": "in_force", "limit": NEWEST_ENTRIES })),
        source.ask_part("value", json!({ "by": "day", "all": true, "days": 14 })),
    );
    let is_new = projects.value("totals")["messages"] == 0 && status.is_false("index_ready");
    let remembered = memories.count_items("memories") as u64 + memories.value("omitted").as_u64().unwrap_or_default();
    let net = value.value("total")["tokens_avoided"].clone();
    let body = html! {
        (live_marker())
        @if is_new { (first_steps()) }
        (projects.render(|reply| html! {
            div data-live="totals" { (memory_tiles(&reply["totals"], &net, remembered)) }
            @if reply["totals"]["folded_tokens"].as_i64().unwrap_or_default() > 0 { (fold_section(&reply["totals"])) }
        }))
        @if !is_new { (status.render(code_tiles)) }
        div data-live="days" { (days.render(day_section)) }
        section {
            (heading("Newest sessions", "", Some(("All sessions", "/ui/sessions"))))
            (sessions.render(|reply| session_table(items(&reply["conversations"]))))
        }
        div.columns {
            section {
                (heading("Decisions in force", "", Some(("All of memory", "/ui/memory"))))
                div data-live="decisions" { (decisions.render(decision_list)) }
            }
            section {
                (heading("Memories", "", Some(("All of memory", "/ui/memory"))))
                (memories.render(memory_list))
            }
        }
    };
    let lede = "What is kept of the code of this project and of all conversations, and what that spared.";
    Ok(source.finish(&PageHead { item: NavItem::Overview, title: "Overview", lede }, &body))
}

/// Where a page says whether it is kept up to date; the script fills it.
pub(super) fn live_marker() -> Markup {
    html! { p.live data-events=(crate::http::dashboard::EVENTS_PATH) role="status" { "Not live" } }
}

fn first_steps() -> Markup {
    html! {
        section.card {
            (heading("Begin", "Nothing is stored and nothing is indexed yet. Three commands, in the project:", None))
            ol.steps {
                li { p { "Connect the agents of this machine, so that every session is kept." } code.command { "epitome init" } }
                li { p { "Take in what they have written down already." } code.command { "epitome import" } }
                li { p { "Parse the project; the first question does it, too." } code.command { "epitome index" } }
            }
        }
    }
}

fn memory_tiles(totals: &Value, net: &Value, remembered: u64) -> Markup {
    let net = if net.is_number() { count(net) } else { "not known".to_owned() };
    html! {
        div.tiles {
            (lead_tile("Net tokens spared", &net, "that agents did not read, less what was added for our sake"))
            (tile("Sessions", &count(&totals["conversations"]), &format!("{}, every one verbatim", count_of(&totals["messages"], "message", "messages"))))
            (tile("Tokens kept", &count(&totals["tokens"]), &format!("{} taken from them", count_of(&totals["facts"], "fact", "facts"))))
            (tile("Remembered", &group_thousands(i64::try_from(remembered).unwrap_or(i64::MAX)), "for later sessions of this project"))
        }
    }
}

/// What a model is shown of all conversations: summaries in the place of what was folded, and the rest as it is.
fn fold_section(totals: &Value) -> Markup {
    let number = |key: &str| totals[key].as_i64().unwrap_or_default();
    let (raw, folded, summaries) = (number("tokens"), number("folded_tokens"), number("summary_tokens"));
    let rest = (raw - folded).max(0);
    let part = |size: i64, class, words: &str| StripPart {
        size: size as f64,
        class,
        title: format!("{} tokens {words}", group_thousands(size)),
        address: None,
    };
    let spared = (folded - summaries).max(0);
    let words = format!(
        "Of {} tokens, {} are shown as {} of summaries",
        group_thousands(raw),
        group_thousands(folded),
        group_thousands(summaries)
    );
    html! {
        section.card {
            (heading(
                "Folding",
                &format!("{words}: {} times shorter. Each of {} opens to its messages.", ratio_words(totals), count_of(&totals["summaries"], "summary", "summaries")),
                None,
            ))
            (strip(&words, &[
                part(rest, "tail", "as they were said"),
                part(summaries, "fold-deep", "of summaries"),
                part(spared, "room", "not shown, and kept"),
            ]))
            ul.legend {
                li.tail { "as they were said, " (group_thousands(rest)) }
                li.fold-deep { "summaries, " (group_thousands(summaries)) }
                li.room { "not shown and kept, " (group_thousands(spared)) }
            }
        }
    }
}

fn ratio_words(totals: &Value) -> String {
    let number = |key: &str| totals[key].as_f64().unwrap_or_default();
    format!("{:.1}", number("folded_tokens") / number("summary_tokens").max(1.0))
}

fn day_section(reply: &Value) -> Markup {
    html! {
        @if !items(&reply["totals"]).is_empty() {
            section {
                (heading("Tokens spared by day", "Above the line what agents did not have to read, below it what was added.", Some(("The ledger", "/ui/value"))))
                div.card { (day_chart(reply)) }
            }
        }
    }
}

fn code_tiles(status: &Value) -> Markup {
    html! {
        section {
            (heading("Code", "", Some(("All projects", "/ui/projects"))))
            @if status["index_ready"] == true {
                div.tiles.flush {
                    (tile("Files", &count(&status["files"]), "parsed and indexed"))
                    (tile("Symbols", &count(&status["symbols"]), "functions, types and the like"))
                    (tile("Relations", &count(&status["edges"]), "calls, imports, inheritance"))
                }
            } @else {
                (empty_note("The code of this project is not indexed yet. The first question does it, or:", Some("epitome index")))
            }
        }
    }
}

fn decision_list(reply: &Value) -> Markup {
    let decisions = items(&reply["decisions"]);
    html! {
        @if decisions.is_empty() {
            (empty_note("No decision is in force. Decisions are taken from conversations when they are folded.", None))
        } @else {
            div.table { ul.plain {
                @for decision in decisions {
                    li { (name(&decision["title"])) @if !text(&decision["reason"]).is_empty() { span.aside { (name(&decision["reason"])) } } }
                }
            } }
        }
    }
}

fn memory_list(reply: &Value) -> Markup {
    let memories = items(&reply["memories"]);
    html! {
        @if memories.is_empty() {
            (empty_note("Nothing is remembered for later sessions yet.", Some("epitome remember \"prices are whole cents\"")))
        } @else {
            div.table { ul.plain { @for memory in memories { li { (name(&memory["content"])) } } } }
        }
    }
}
