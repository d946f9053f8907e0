//! The page of what documents require: which requirements have code and tests, the documents, and what one of them says.

use super::graph::symbol_address;
use crate::http::dashboard::charts::share_bar;
use crate::http::dashboard::elements::{
    ColumnKind, count, count_of, empty_note, facts_table, heading, items, label, lead_tile, name, page_address, table,
    text, tile,
};
use crate::http::dashboard::layout::{NavItem, PageHead};
use crate::http::dashboard::page_source::{PageReply, PageSource};
use axum::extract::Query;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

const PATH: &str = "/ui/documents";

/// Requirements of a page, and tests without one.
const PAGE_REQUIREMENTS: u32 = 40;
const PAGE_DOCUMENTS: u32 = 100;
/// Of one requirement so many places are shown.
const SHOWN_PLACES: usize = 4;

#[derive(Deserialize)]
pub(in crate::http::dashboard) struct DocumentsQuery {
    /// Only documents whose path contains this.
    #[serde(default)]
    about: String,
    /// Whether only requirements without code or tests are shown.
    #[serde(default)]
    missing: String,
    /// Where the list of requirements goes on.
    cursor: Option<String>,
    /// One document to show.
    #[serde(default)]
    document: String,
}

pub(in crate::http::dashboard) async fn show(source: PageSource, Query(query): Query<DocumentsQuery>) -> PageReply {
    let body = if query.document.trim().is_empty() {
        show_all(&source, &query).await
    } else {
        show_one(&source, query.document.trim()).await
    };
    let lede = "What documents require, which code and tests belong to it, and what is still open.";
    Ok(source.finish(&PageHead { item: NavItem::Documents, title: "Documents and coverage", lede }, &body))
}

async fn show_all(source: &PageSource, query: &DocumentsQuery) -> Markup {
    let about = query.about.trim();
    let is_missing = !query.missing.is_empty();
    let mut covered = json!({ "limit": PAGE_REQUIREMENTS, "missing": is_missing });
    let mut listed = json!({ "action": "list", "limit": PAGE_DOCUMENTS });
    if !about.is_empty() {
        covered["path"] = json!(about);
        listed["path"] = json!(about);
    }
    if let Some(cursor) = &query.cursor {
        covered["cursor"] = json!(cursor);
    }
    let (coverage, documents) =
        tokio::join!(source.ask_part_soon("coverage", covered), source.ask_part_soon("document", listed));
    html! {
        form.ask method="get" action=(PATH) role="search" {
            div.field.grow {
                label for="about" { "Only documents whose path contains" }
                input #about name="about" type="search" value=(about) placeholder="docs/";
            }
            div.field {
                label for="missing" { "Requirements" }
                select #missing name="missing" {
                    option value="" selected[!is_missing] { "all" }
                    option value="1" selected[is_missing] { "without code or tests" }
                }
            }
            button.plain type="submit" { "Show" }
        }
        section {
            (heading("Coverage", "A requirement has a key such as REQ-12; code and tests belong to it where they name the key, or it names them.", None))
            div data-live="coverage" { (coverage.render(|reply| render_coverage(reply, about, is_missing))) }
        }
        section {
            (heading("Documents", "What each one holds.", None))
            div data-live="documents" { (documents.render(document_table)) }
        }
    }
}

fn render_coverage(reply: &Value, about: &str, is_missing: bool) -> Markup {
    let total = reply["total"].as_f64().unwrap_or_default();
    if total < 1.0 {
        return empty_note(
            "No document states a requirement with a key yet. One is a line such as “REQ-1: Passwords must be hashed.”",
            Some("epitome coverage --sentences"),
        );
    }
    let share = |key: &str| format!("{:.0} %", reply[key].as_f64().unwrap_or_default() / total * 100.0);
    let rows: Vec<Vec<Markup>> = items(&reply["requirements"]).iter().map(requirement_row).collect();
    html! {
        div.tiles {
            (lead_tile("With code", &share("with_code"), &format!("{} of {}", count(&reply["with_code"]), count_of(&reply["total"], "requirement", "requirements"))))
            (tile("With tests", &share("with_tests"), &format!("{} of them", count(&reply["with_tests"]))))
            (tile("Tests without a requirement", &count(&reply["unbound_tests"]), &format!("of {}", count_of(&reply["tests"], "test", "tests"))))
        }
        section {
            @if rows.is_empty() {
                (empty_note("Every requirement has code and tests.", None))
            } @else {
                (table("Requirements", &REQUIREMENT_COLUMNS, &rows))
            }
        }
        @if let Some(cursor) = reply["cursor"].as_str() {
            p { a href=(page_address(PATH, &[("about", about), ("missing", if is_missing { "1" } else { "" }), ("cursor", cursor)])) { (count(&reply["omitted"])) " more" } }
        }
        (unbound_tests(reply))
    }
}

const REQUIREMENT_COLUMNS: [(&str, ColumnKind); 4] = [
    ("Requirement", ColumnKind::Lead),
    ("State", ColumnKind::Short),
    ("Code", ColumnKind::Text),
    ("Tests", ColumnKind::Text),
];

fn requirement_row(it: &Value) -> Vec<Markup> {
    let (code, tests) = (items(&it["code"]), items(&it["tests"]));
    let (word, tone) = match (code.is_empty(), tests.is_empty()) {
        (false, false) => ("covered", "good"),
        (false, true) => ("no tests", "warn"),
        (true, false) => ("no code", "warn"),
        (true, true) => ("no code or tests", "bad"),
    };
    vec![
        html! {
            strong { (name(&it["key"])) } " " (name(&it["text"]))
            div.quiet.small {
                a href=(page_address(PATH, &[("document", text(&it["path"]))])) { (name(&it["path"])) } ", line " (count(&it["start_line"]))
                @for word in ["priority", "status"] { @if !text(&it[word]).is_empty() { " · " (name(&it[word])) } }
            }
        },
        label(word, tone),
        place_list(code),
        place_list(tests),
    ]
}

/// Places that links lead to, with how sure each is.
fn place_list(places: &[Value]) -> Markup {
    html! {
        @if places.is_empty() { span.quiet { "none" } }
        @for place in &places[..places.len().min(SHOWN_PLACES)] {
            div {
                a href=(symbol_address(text(&place["id"]))) { (name(&place["id"])) }
                @if place["weight"].as_f64().unwrap_or(1.0) < 1.0 { span.quiet.small { (format!(" {:.1}", place["weight"].as_f64().unwrap_or_default())) } }
            }
        }
        @if places.len() > SHOWN_PLACES { div.quiet.small { (places.len() - SHOWN_PLACES) " more" } }
    }
}

fn unbound_tests(reply: &Value) -> Markup {
    let unbound = items(&reply["unbound"]);
    let more = reply["unbound_tests"].as_u64().unwrap_or_default().saturating_sub(unbound.len() as u64);
    html! {
        @if !unbound.is_empty() {
            details {
                summary { (count_of(&reply["unbound_tests"], "test belongs", "tests belong")) " to no requirement" }
                ul.plain { @for test in unbound { li { a href=(symbol_address(text(&test["id"]))) { (name(&test["id"])) } } } }
                @if more > 0 { p.quiet.small { (more) " more" } }
            }
        }
    }
}

const DOCUMENT_COLUMNS: [(&str, ColumnKind); 6] = [
    ("Document", ColumnKind::Lead),
    ("Words", ColumnKind::Number),
    ("Requirements", ColumnKind::Number),
    ("Stories", ColumnKind::Number),
    ("Open questions", ColumnKind::Number),
    ("Links to code", ColumnKind::Number),
];

fn document_table(reply: &Value) -> Markup {
    let row = |it: &Value| {
        let path = text(&it["path"]);
        vec![
            html! {
                a href=(page_address(PATH, &[("document", path)])) { (name(&it["path"])) }
                @if !text(&it["title"]).is_empty() { div.quiet.small { (name(&it["title"])) } }
            },
            html! { (count(&it["words"])) },
            html! { (count(&it["requirements"])) },
            html! { (count(&it["stories"])) },
            html! { (count(&it["questions"])) },
            html! { (count(&it["links"])) },
        ]
    };
    let rows: Vec<Vec<Markup>> = items(&reply["documents"]).iter().map(row).collect();
    html! {
        @if rows.is_empty() {
            (empty_note("No document is indexed. Markdown, reStructuredText, AsciiDoc, Org and plain text are read:", Some("epitome index")))
        } @else {
            (table("Documents", &DOCUMENT_COLUMNS, &rows))
            @if reply["omitted"].as_i64().unwrap_or_default() > 0 { p.quiet.small { (count(&reply["omitted"])) " more: a part of the path narrows the list." } }
        }
    }
}

async fn show_one(source: &PageSource, path: &str) -> Markup {
    let params = json!({ "action": "show", "path": path, "limit": PAGE_DOCUMENTS });
    let document = source.ask_part_soon("document", params).await;
    html! {
        p { a href=(PATH) { "All documents" } }
        div data-live="document" { (document.render(render_document)) }
    }
}

fn render_document(reply: &Value) -> Markup {
    let document = &reply["document"];
    let title = text(&document["title"]);
    let head: Vec<(&str, Markup)> = reply["metadata"]
        .as_object()
        .map(|entries| entries.iter().map(|(key, value)| (key.as_str(), html! { (name(value)) })).collect())
        .unwrap_or_default();
    html! {
        section {
            h2 { @if title.is_empty() { (name(&document["path"])) } @else { (name(&document["title"])) } }
            p.quiet.small { (name(&document["path"])) " · " (count_of(&document["words"], "word", "words")) }
            @if !head.is_empty() { (facts_table(&head)) }
        }
        (said_list("Requirements", &reply["requirements"], |it| html! { strong { (name(&it["key"])) } " " (name(&it["text"])) " " (label(text(&it["priority"]), "calm")) }))
        (said_list("User stories", &reply["stories"], story))
        (said_list("Open questions", &reply["questions"], |it| html! { (name(&it["text"])) span.quiet.small { " line " (count(&it["line"])) } }))
        (said_list("Links to code and tests", &reply["links"], |it| html! {
            (name(&it["from"])) " → " a href=(symbol_address(text(&it["id"]))) { (name(&it["id"])) } (share_bar(it["weight"].as_f64().unwrap_or_default(), "gain"))
        }))
        (said_list("Sections", &reply["sections"], |it| html! { (name(&it["name"])) span.quiet.small { " line " (count(&it["line"])) } }))
        @if reply["omitted"].as_i64().unwrap_or_default() > 0 { p.quiet.small { (count(&reply["omitted"])) " more entries are not shown." } }
    }
}

fn story(it: &Value) -> Markup {
    html! {
        "As a " (name(&it["role"])) ", I want " (name(&it["goal"])) @if !text(&it["benefit"]).is_empty() { " so that " (name(&it["benefit"])) }
        @if !items(&it["criteria"]).is_empty() { ul { @for done in items(&it["criteria"]) { li { (name(done)) } } } }
    }
}

/// A list of what a document says; nothing where it says none of it.
fn said_list(title: &str, entries: &Value, render: impl Fn(&Value) -> Markup) -> Markup {
    let entries = items(entries);
    html! {
        @if !entries.is_empty() {
            section {
                (heading(title, "", None))
                div.table { ul.plain { @for entry in entries { li { (render(entry)) } } } }
            }
        }
    }
}
