//! The page to ask as an agent would: the packed answer, why each region was taken and what it cost, and how the files
//! behind it were ranked.

use crate::http::dashboard::charts::{StripPart, strip};
use crate::http::dashboard::elements::{
    count, empty_note, group_thousands, heading, items, label, moment, name, quoted_block, said_block, text,
};
use crate::http::dashboard::layout::{NavItem, PageHead};
use crate::http::dashboard::page_source::{PageReply, PageSource};
use axum::extract::Query;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

/// What an agent gets that names no budget.
const DEFAULT_BUDGET: u32 = 2_000;

/// Ranked places that are explained below an answer.
const RANKED_PLACES: u32 = 8;

/// Parts of a score that are shown, the largest first.
const SHOWN_PARTS: usize = 7;

#[derive(Deserialize)]
pub(in crate::http::dashboard) struct SearchQuery {
    #[serde(default)]
    q: String,
    budget: Option<u32>,
}

pub(in crate::http::dashboard) async fn show(source: PageSource, Query(query): Query<SearchQuery>) -> PageReply {
    let question = query.q.trim();
    let budget = query.budget.unwrap_or(DEFAULT_BUDGET).clamp(100, 32_000);
    let answer = if question.is_empty() {
        html! { (before_asking()) }
    } else {
        answer_question(&source, question, budget).await
    };
    let body = html! {
        form.ask method="get" action="/ui/search" role="search" {
            div.field.grow {
                label for="q" { "Question" }
                input #q name="q" type="search" value=(question) placeholder="how are passwords checked" autofocus[question.is_empty()];
            }
            div.field {
                label for="budget" { "Tokens at most" }
                input #budget name="budget" type="number" min="100" max="32000" step="100" value=(budget);
            }
            button type="submit" { "Ask" }
        }
        (answer)
    };
    let lede = "Ask as an agent would, and see what it gets: whole functions and what was said, within the budget, each with its reason.";
    Ok(source.finish(&PageHead { item: NavItem::Search, title: "Search", lede }, &body))
}

async fn answer_question(source: &PageSource, question: &str, budget: u32) -> Markup {
    let ranked = json!({ "query": question, "explain": true, "limit": RANKED_PLACES });
    let (answer, ranked) = tokio::join!(
        source.ask_part("context", json!({ "query": question, "budget": budget })),
        source.ask_part("search", ranked)
    );
    html! {
        (answer.render(|reply| render_answer(reply, budget)))
        (ranked.render(render_ranking))
    }
}

fn before_asking() -> Markup {
    html! {
        section {
            (empty_note("A question in words, a name, or an error message. “path:”, “lang:” and “kind:” narrow the code, “role:”, “since:” and “until:” the conversations.", None))
        }
    }
}

fn render_answer(reply: &Value, budget: u32) -> Markup {
    let regions = items(&reply["items"]);
    html! {
        section {
            @if regions.is_empty() {
                (empty_note("Nothing was found for this question.", None))
                @if reply["gate"]["retrieve"] == false { p.quiet.small { (name(&reply["gate"]["reason"])) } }
            } @else {
                (heading("Answer", &answer_words(reply, regions.len(), budget), None))
                (budget_strip(regions, budget))
            }
            (answer_notes(reply))
        }
        ol.answers { @for (at, region) in regions.iter().enumerate() { li.card id=(format!("region-{}", at + 1)) { (render_region(region)) } } }
        (left_out(reply))
    }
}

fn answer_words(reply: &Value, regions: usize, budget: u32) -> String {
    let taken = count(&reply["tokens"]);
    let of = group_thousands(i64::from(budget));
    let kind = text(&reply["intent"]);
    let read_as = if kind.is_empty() { String::new() } else { format!(" It was read as a question to {kind}.") };
    let noun = if regions == 1 { "region" } else { "regions" };
    format!("{taken} of {of} tokens in {regions} {noun}.{read_as}")
}

/// What each region took of the budget, and what was left of it.
fn budget_strip(regions: &[Value], budget: u32) -> Markup {
    let part = |(at, region): (usize, &Value)| StripPart {
        size: region["tokens"].as_f64().unwrap_or_default(),
        class: if region["from"] == "conversation" { "fold-deep" } else { "tail" },
        title: format!("{}: {} tokens", text(&region["source"]), count(&region["tokens"])),
        address: Some(format!("#region-{}", at + 1)),
    };
    let mut parts: Vec<StripPart> = regions.iter().enumerate().map(part).collect();
    let taken: f64 = parts.iter().map(|part| part.size).sum();
    let room = (f64::from(budget) - taken).max(0.0);
    parts.push(StripPart { size: room, class: "room", title: "room that was left".to_owned(), address: None });
    html! {
        (strip("What each region took of the budget", &parts))
        ul.legend { li.tail { "code and documents" } li.fold-deep { "conversations" } li.room { "left of the budget" } }
    }
}

fn answer_notes(reply: &Value) -> Markup {
    let questions = items(&reply["questions"]);
    html! {
        @if questions.len() > 1 { p.small { "Read as several questions: " @for (at, question) in questions.iter().enumerate() { @if at > 0 { "; " } (name(question)) } } }
        @for corrected in items(&reply["corrected"]) {
            p.small { "Nothing is called " code { (name(&corrected["given"])) } "; read as " code { (name(&corrected["meant"])) } "." }
        }
        @for missing in items(&reply["degraded"]) { p.quiet.small { (name(missing)) } }
    }
}

fn render_region(region: &Value) -> Markup {
    let is_said = region["from"] == "conversation";
    html! {
        div.head {
            span.place { (name(&region["source"])) }
            span { (label(text(&region["from"]), if is_said { "accent" } else { "calm" })) " " (label(&format!("{} tokens", count(&region["tokens"])), "calm")) }
        }
        p.why { "Taken for: " (name(&region["why"])) @if region["summary"] == true { " · in the words of a model, since its lines do not fit" }
            @if !text(&region["at"]).is_empty() { " · " (moment(&region["at"])) } }
        @if is_said { (said_block(text(&region["text"]))) } @else { (quoted_block(text(&region["text"]))) }
    }
}

fn left_out(reply: &Value) -> Markup {
    let omitted = items(&reply["omitted"]);
    let more = reply["omitted_more"].as_i64().unwrap_or_default();
    let all = group_thousands(i64::try_from(omitted.len()).unwrap_or_default() + more);
    html! {
        @if !omitted.is_empty() {
            details {
                summary { (all) " places were left out; they would come next with a larger budget" }
                div.table { ul.plain { @for place in omitted { li { code { (name(place)) } } } @if more > 0 { li.quiet { "and " (group_thousands(more)) " more" } } } }
            }
        }
    }
}

/// How the files were ranked: the parts of each score.
fn render_ranking(reply: &Value) -> Markup {
    let results = items(&reply["results"]);
    html! {
        @if !results.is_empty() {
            section {
                (heading("How places were ranked", "In the order of the search. The number is the score of the file; below it, what speaks most for and against the file and these lines.", None))
                div.table { ul.plain {
                    @for result in results {
                        li {
                            code { (name(&result["path"])) ":" (count(&result["start_line"])) } " "
                            strong { (format!("{:.2}", result["score"].as_f64().unwrap_or_default())) }
                            span.aside { (name(&result["why"])) }
                            (score_parts(&result["parts"]))
                        }
                    }
                } }
            }
        }
    }
}

fn score_parts(parts: &Value) -> Markup {
    let mut named: Vec<(String, f64)> = match parts {
        Value::Object(parts) => parts.iter().filter_map(|(name, part)| Some((name.clone(), part.as_f64()?))).collect(),
        Value::Array(parts) => {
            parts.iter().filter_map(|part| Some((text(&part["name"]).to_owned(), part["worth"].as_f64()?))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    // The parts that decided; the small rest would hide them.
    named.sort_by(|one, other| other.1.abs().total_cmp(&one.1.abs()));
    let rest = named.split_off(named.len().min(SHOWN_PARTS)).len();
    html! {
        @if !named.is_empty() {
            span.parts { @for (part, value) in &named { (label(&format!("{} {value:+.2}", part.replace('_', " ")), if *value < 0.0 { "bad" } else { "calm" })) " " } @if rest > 0 { span.quiet.small { "and " (rest) " smaller" } } }
        }
    }
}
