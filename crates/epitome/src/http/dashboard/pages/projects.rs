//! The page of all projects that have an index or conversations.

use crate::http::dashboard::elements::{
    ColumnKind, count, empty_note, items, label, moment, name, short_id, table, text,
};
use crate::http::dashboard::layout::{NavItem, PageHead};
use crate::http::dashboard::page_source::{PageReply, PageSource};
use maud::{Markup, html};
use serde_json::{Value, json};

const COLUMNS: [(&str, ColumnKind); 6] = [
    ("Project", ColumnKind::Lead),
    ("Sessions", ColumnKind::Number),
    ("Messages", ColumnKind::Number),
    ("Symbols", ColumnKind::Number),
    ("Last message", ColumnKind::Short),
    ("Indexed", ColumnKind::Short),
];

pub(in crate::http::dashboard) async fn show(source: PageSource) -> PageReply {
    let reply = source.ask("projects", json!({})).await?;
    let projects = items(&reply["projects"]);
    let rows: Vec<Vec<Markup>> = projects.iter().map(project_row).collect();
    let body = html! {
        section {
            @if rows.is_empty() {
                (empty_note("No project has an index or a conversation yet. In the project:", Some("epitome index")))
            } @else {
                (table("Projects", &COLUMNS, &rows))
            }
        }
        p.quiet.small { "These pages show the project that they were started in. Another one: " code { "epitome dashboard --project PATH" } }
    };
    let lede = "Every project that has an index or a conversation, the one that was worked in last first.";
    Ok(source.finish(&PageHead { item: NavItem::Projects, title: "Projects", lede }, &body))
}

fn project_row(project: &Value) -> Vec<Markup> {
    let roots = items(&project["roots"]);
    let root = roots.first().map(name).unwrap_or_default();
    let folder = root.rsplit('/').find(|part| !part.is_empty()).unwrap_or("directory unknown").to_owned();
    vec![
        html! {
            strong { (folder) } " "
            @if project["current"] == true { (label("this one", "accent")) }
            @for root in roots { div.quiet.small { (name(root)) } }
            @if roots.is_empty() { div.quiet.small { (short_id(text(&project["project_id"]))) ", of which only conversations are known" } }
        },
        html! { (count(&project["conversations"])) },
        html! { (count(&project["messages"])) },
        html! { (count(&project["symbols"])) },
        moment(&project["last_at"]),
        html! { @if text(&project["indexed_at"]).is_empty() { (label("no index", "calm")) } @else { (moment(&project["indexed_at"])) } },
    ]
}
