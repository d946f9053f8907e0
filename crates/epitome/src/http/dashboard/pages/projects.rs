//! The page of all projects that have an index, conversations or a name.

use crate::http::dashboard::elements::{
    ColumnKind, count, count_of, empty_note, items, label, moment, name, table, text,
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
    let reply = source.ask_part_here("project", json!({})).await;
    let body = html! {
        section { (reply.render(show_list)) }
        p.quiet.small { "These pages show the project that they were started in. Another one: " code { "epitome dashboard --project PATH" } }
    };
    let lede = "Every project that has an index, a conversation or a name, the one that was worked in last first.";
    Ok(source.finish(&PageHead { item: NavItem::Projects, title: "Projects", lede }, &body))
}

fn show_list(reply: &Value) -> Markup {
    let links = items(&reply["cross_project_links"]);
    let rows: Vec<Vec<Markup>> = items(&reply["projects"]).iter().map(|project| project_row(project, links)).collect();
    html! {
        @if rows.is_empty() {
            (empty_note("No project has an index or a conversation yet. In the project:", Some("epitome index")))
        } @else {
            (table("Projects", &COLUMNS, &rows))
        }
    }
}

fn project_row(project: &Value, links: &[Value]) -> Vec<Markup> {
    let roots = items(&project["roots"]);
    let former = items(&project["former"]);
    let own = text(&project["name"]);
    vec![
        html! {
            strong { (name(&project["name"])) } " "
            @if project["current"] == true { (label("this one", "accent")) }
            @if project["state"] == "missing" { (label("missing", "warn")) }
            @if project["state"] == "replaced" { (label("another project is there", "warn")) }
            @if !text(&project["description"]).is_empty() { div.small { (name(&project["description"])) } }
            @for root in roots {
                div.quiet.small { (name(root)) @if former.contains(root) { ", which is gone" } }
            }
            @if roots.is_empty() { div.quiet.small { "No directory of it is known." } }
            @for link in links.iter().filter(|link| link["source_project"] == own) {
                div.quiet.small { "depends on " (name(&link["target_project"])) }
            }
            @for link in links.iter().filter(|link| link["target_project"] == own) {
                div.quiet.small { "used by " (name(&link["source_project"])) }
            }
        },
        html! { (count(&project["conversations"])) },
        html! { (count(&project["messages"])) },
        html! { (count(&project["symbols"])) },
        moment(&project["last_at"]),
        html! {
            @if text(&project["last_indexed_at"]).is_empty() {
                (label("no index", "calm"))
            } @else {
                (moment(&project["last_indexed_at"]))
                @if project["commits_behind"].as_u64() > Some(0) {
                    div.quiet.small { (count_of(&project["commits_behind"], "commit", "commits")) " behind" }
                }
            }
        },
    ]
}
