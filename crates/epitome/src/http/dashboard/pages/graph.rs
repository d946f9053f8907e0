//! The page of one symbol among its neighbours, drawn here as SVG: what uses it on the left, what it uses on the right; and
//! what a change of it touches. Every neighbour leads to its own graph; a script opens it in place.

mod drawing;

use crate::http::dashboard::elements::{
    ColumnKind, count, count_of, empty_note, heading, items, label, name, page_address, table, text,
};
use crate::http::dashboard::layout::{NavItem, PageHead};
use crate::http::dashboard::page_source::{PageProblem, PageReply, PageSource};
use crate::http::refusal::JsonReply;
use axum::extract::Query;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

/// As many neighbours on a side as can be read without scrolling far.
const MAX_SIDE: usize = 14;

/// Relations that lead to what uses a symbol; the others lead to what it uses.
const USER_RELATIONS: [&str; 9] =
    ["caller", "importer", "subtype", "type_user", "overridden", "container", "requirement", "document", "test"];

/// From here on an edge is drawn as sure.
const SURE_CONFIDENCE: f64 = 0.9;

#[derive(Deserialize)]
pub(in crate::http::dashboard) struct GraphQuery {
    #[serde(default)]
    symbol: String,
}

pub(in crate::http::dashboard) async fn show(source: PageSource, Query(query): Query<GraphQuery>) -> PageReply {
    let wanted = query.symbol.trim();
    let part = if wanted.is_empty() { first_symbols(&source).await } else { show_symbol(&source, wanted).await };
    let body = html! {
        form.ask method="get" action="/ui/graph" role="search" {
            div.field.grow {
                label for="symbol" { "Symbol" }
                input #symbol name="symbol" type="search" value=(wanted) placeholder="check_password";
            }
            button type="submit" { "Show" }
        }
        (part)
    };
    let lede = "A function, method or type, what uses it, what it uses, and what a change of it touches.";
    Ok(source.finish(&PageHead { item: NavItem::Graph, title: "Graph", lede }, &body))
}

async fn show_symbol(source: &PageSource, wanted: &str) -> Markup {
    let Ok(reply) = source.ask("relations", json!({ "symbol": wanted, "limit": 60 })).await else {
        // The name has several meanings, or none: the nearest symbols are offered instead.
        return source.ask_part("symbol", json!({ "name": wanted, "limit": 20 })).await.render(render_choices);
    };
    let id = text(&reply["symbol"]["id"]);
    let impact = source.ask_part("impact", json!({ "symbols": [id], "limit": 40, "mentions": 0 })).await;
    html! {
        (render_graph(&reply))
        (impact.render(render_impact))
        section { (heading("All neighbours", "", None)) (neighbour_table(items(&reply["relations"]))) }
    }
}

/// Where to begin: what most of the project leans on.
async fn first_symbols(source: &PageSource) -> Markup {
    let briefing = source.ask_part("briefing", json!({ "budget": 600 })).await;
    let places: Vec<String> = briefing.map_or_default(|reply| {
        let entries = items(&reply["entry_points"]).iter().map(|entry| text(&entry["id"]).to_owned());
        let central = items(&reply["central"]).iter();
        let defined = central
            .flat_map(|file| items(&file["defines"]).iter().take(3).map(|id| text(id).to_owned()).collect::<Vec<_>>());
        entries.chain(defined).filter(|place| !place.is_empty()).take(18).collect()
    });
    html! {
        section {
            @if places.is_empty() {
                (empty_note("A function, method or type of this project by its name, or as path#Type.method. The project has no symbol yet:", Some("epitome index")))
            } @else {
                (heading("Where to begin", "Where the project starts to run, and what most of it leans on.", None))
                ul.chips { @for place in &places { li { a href=(symbol_address(place)) { (model::show_name(place)) } } } }
            }
        }
    }
}

/// The neighbours of a symbol for the script that opens them in place.
pub(in crate::http::dashboard) async fn send_neighbours(
    source: PageSource,
    Query(query): Query<GraphQuery>,
) -> Result<JsonReply, PageProblem> {
    let reply = source.ask("relations", json!({ "symbol": query.symbol, "limit": 60, "mentions": 0 })).await?;
    let (users, used) = split_sides(items(&reply["relations"]));
    let drawn = users.len() + used.len();
    let node = |found: &Value| {
        let id = text(&found["id"]);
        json!({
            "id": id,
            "name": model::show_name(id),
            "label": drawing::node_label(id),
            "path": drawing::node_path(id),
            "address": symbol_address(id),
            "sure": found["confidence"].as_f64().unwrap_or(1.0) >= SURE_CONFIDENCE,
        })
    };
    let direct = items(&reply["relations"]).iter().filter(|found| found["distance"] == 1).count();
    let omitted = reply["omitted"].as_u64().unwrap_or_default() + (direct - drawn.min(direct)) as u64;
    Ok(JsonReply::new(&json!({
        "symbol": node(&reply["symbol"]),
        "users": users.into_iter().map(node).collect::<Vec<_>>(),
        "used": used.into_iter().map(node).collect::<Vec<_>>(),
        "omitted": omitted,
    })))
}

/// Direct neighbours, each once: what uses the symbol, and what it uses.
fn split_sides(neighbours: &[Value]) -> (Vec<&Value>, Vec<&Value>) {
    let mut seen: Vec<&str> = Vec::new();
    let (mut users, mut used) = (Vec::new(), Vec::new());
    for node in neighbours.iter().filter(|node| node["distance"] == 1) {
        let id = text(&node["id"]);
        if seen.contains(&id) {
            continue;
        }
        seen.push(id);
        let side = if USER_RELATIONS.contains(&text(&node["relation"])) { &mut users } else { &mut used };
        if side.len() < MAX_SIDE {
            side.push(node);
        }
    }
    (users, used)
}

fn render_choices(reply: &Value) -> Markup {
    let symbols = items(&reply["symbols"]);
    html! {
        section {
            @if symbols.is_empty() {
                (empty_note("No symbol has this name, nor a similar one.", None))
            } @else {
                (heading("Which one?", "Nothing, or more than one thing, has exactly this name.", None))
                div.table { ul.plain {
                    @for symbol in symbols {
                        li { a href=(symbol_address(text(&symbol["id"]))) { (name(&symbol["id"])) } @if !text(&symbol["signature"]).is_empty() { span.aside { code { (name(&symbol["signature"])) } } } }
                    }
                } }
            }
        }
    }
}

pub(super) fn symbol_address(id: &str) -> String {
    page_address("/ui/graph", &[("symbol", id)])
}

fn render_graph(reply: &Value) -> Markup {
    let symbol = &reply["symbol"];
    let neighbours = items(&reply["relations"]);
    let (users, used) = split_sides(neighbours);
    let left_out = reply["omitted"].as_i64().unwrap_or_default();
    html! {
        section {
            (heading(&name(&symbol["id"]), "", None))
            p.quiet { (name(&symbol["kind"])) " in " code { (name(&symbol["path"])) ":" (count(&symbol["start_line"])) }
                ", " (users.len() + used.len()) " of " (count_of(&json!(neighbours.len()), "neighbour", "neighbours")) " drawn"
                @if left_out > 0 { ", " (count(&reply["omitted"])) " more left out" } }
            div.graph data-graph=(text(&symbol["id"])) role="group" aria-label=(format!("Neighbours of {}", name(&symbol["id"]))) {
                div.frame tabindex="0" role="region" aria-label="Drawing" { (drawing::draw_graph(symbol, &users, &used)) }
                p.hidden data-status="" role="status" {}
            }
            p.quiet.small {
                "Left: what uses it. Right: what it uses. A dashed line is less sure; yellow is touched by a change. Choose a neighbour to open it, once more for its own page; "
                "drag or use the arrow keys to move, + and − to enlarge, 0 for all."
            }
        }
        (stated_links(items(&reply["linked"])))
    }
}

/// What somebody linked to the symbol.
fn stated_links(linked: &[Value]) -> Markup {
    html! {
        @if !linked.is_empty() {
            section {
                (heading("Linked by somebody", "Concepts, people, decisions and whatever else was joined with it.", None))
                div.table { ul.plain { @for link in linked {
                    li {
                        (label(&text(&link["relationship"]).replace('_', " "), "calm")) " " (name(&link["type"])) " " strong { (name(&link["name"])) }
                        span.aside { (name(&link["entity_id"])) }
                    }
                } } }
            }
        }
    }
}

const IMPACT_COLUMNS: [(&str, ColumnKind); 3] =
    [("Touched", ColumnKind::Lead), ("How", ColumnKind::Text), ("Steps", ColumnKind::Number)];

/// What a change of the symbol touches, and which tests to run.
fn render_impact(reply: &Value) -> Markup {
    let row = |affected: &Value| {
        let id = text(&affected["id"]);
        vec![
            html! { a href=(symbol_address(id)) data-touched=(id) { (name(&affected["id"])) } },
            html! { (text(&affected["how"])) " " code { (name(&affected["through"])) } },
            html! { (count(&affected["distance"])) },
        ]
    };
    let rows: Vec<Vec<Markup>> = items(&reply["affected"]).iter().map(row).collect();
    let tests = items(&reply["tests"]);
    html! {
        section {
            (heading("What a change touches", "Everything that leans on it, up to three steps away, the nearest and surest first.", None))
            @if rows.is_empty() { (empty_note("Nothing in the project leans on it.", None)) } @else { (table("Touched", &IMPACT_COLUMNS, &rows)) }
            @if reply["omitted"].as_i64().unwrap_or_default() > 0 { p.quiet.small { (count(&reply["omitted"])) " more are not shown." } }
            @if !tests.is_empty() { p { "Tests to run: " @for test in tests { (label(text(&test["path"]), "accent")) " " } } }
        }
    }
}

const NEIGHBOUR_COLUMNS: [(&str, ColumnKind); 4] = [
    ("Symbol", ColumnKind::Lead),
    ("Relation", ColumnKind::Short),
    ("Line", ColumnKind::Number),
    ("Sure", ColumnKind::Number),
];

fn neighbour_table(neighbours: &[Value]) -> Markup {
    let row = |node: &Value| {
        vec![
            html! { a href=(symbol_address(text(&node["id"]))) { (name(&node["id"])) } },
            label(&text(&node["relation"]).replace('_', " "), "calm"),
            html! { (count(&node["line"])) },
            html! { (format!("{:.0} %", node["confidence"].as_f64().unwrap_or_default() * 100.0)) },
        ]
    };
    let rows: Vec<Vec<Markup>> = neighbours.iter().map(row).collect();
    html! { @if rows.is_empty() { (empty_note("No relation leads to it or from it.", None)) } @else { (table("Neighbours", &NEIGHBOUR_COLUMNS, &rows)) } }
}
