//! The page that says whether all is well: the index, the store and, when asked for, the proof of everything stored.

use crate::http::dashboard::elements::{count, count_of, group_thousands, items, label, name, text};
use crate::http::dashboard::layout::NavItem;
use crate::http::dashboard::page_source::{PagePart, PageReply, PageSource};
use axum::extract::Query;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
pub(in crate::http::dashboard) struct HealthQuery {
    /// Anything, where the proof is asked for: it reads everything that is stored.
    verify: Option<String>,
}

pub(in crate::http::dashboard) async fn show(source: PageSource, Query(query): Query<HealthQuery>) -> PageReply {
    let status = source.ask_part("status", json!({})).await;
    let proof: Option<PagePart> = match query.verify {
        Some(_) => Some(source.ask_part("verify", json!({})).await),
        None => None,
    };
    let body = html! {
        section { h2 { "Proof" }
            @match proof {
                Some(proof) => (proof.render(render_proof)),
                None => p { "Computes every hash again and compares the store with its anchor. " a.button href="/ui/health?verify=now" { "Verify now" } }
            }
        }
        section { h2 { "State" } (status.render(render_status)) }
        p.quiet { "The whole list of checks of this installation, agents and hooks included: " code { "epitome doctor" } }
    };
    Ok(source.finish(NavItem::Health, "Health", &body))
}

fn render_proof(reply: &Value) -> Markup {
    let problems = items(&reply["problems"]);
    html! {
        @if reply["ok"] == true {
            p { (label("ok", "good")) " " (count_of(&reply["messages"], "message", "messages")) " in " (count_of(&reply["conversations"], "conversation", "conversations"))
                " and " (count_of(&reply["lines"], "archived line", "archived lines")) " are there and unchanged; " (count_of(&reply["gaps"], "gap", "gaps")) "." }
        } @else {
            p { (label("not ok", "bad")) " " (group_thousands(i64::try_from(problems.len()).unwrap_or(i64::MAX))) " problems. "
                code { "epitome salvage --out DIR" } " writes what can be read." }
            ul.plain { @for problem in problems { li { code { (name(&problem["subject"])) } " " (name(&problem["what"])) } } }
        }
    }
}

fn render_status(status: &Value) -> Markup {
    let is_ready = status["index_ready"] == true;
    html! {
        table.facts {
            tbody {
                tr { th { "Index" } td { (label(if is_ready { "ready" } else { "not made yet" }, if is_ready { "good" } else { "calm" }))
                    " " (count(&status["files"])) " files, " (count(&status["symbols"])) " symbols, " (count(&status["edges"])) " edges" } }
                tr { th { "Project" } td { code { (name(&status["root"])) } } }
                tr { th { "Store" } td { (name(&status["store"])) } }
                tr { th { "Messages" } td { (count(&status["messages"])) " in " (count_of(&status["conversations"], "conversation", "conversations")) } }
                tr { th { "Archive" } td { (count(&status["lines"])) " lines of " (count(&status["sources"])) " transcripts, "
                    (count(&status["archived_bytes"])) " bytes kept in " (count(&status["stored_bytes"])) } }
                @if !text(&status["import_lag"]).is_empty() { tr { th { "Waiting" } td { (name(&status["import_lag"])) } } }
            }
        }
    }
}
