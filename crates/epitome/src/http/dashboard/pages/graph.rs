//! The page of one symbol among its neighbours: who calls it on the left, what it calls on the right, drawn here as SVG.
//! Every neighbour leads to its own graph.

use crate::http::dashboard::elements::{count, empty_note, items, name, text};
use crate::http::dashboard::layout::NavItem;
use crate::http::dashboard::page_source::{PageReply, PageSource};
use axum::extract::Query;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// As many neighbours on a side as can be read without scrolling far.
const MAX_SIDE: usize = 14;

const NODE_WIDTH: i64 = 230;
const NODE_HEIGHT: i64 = 34;
const ROW_HEIGHT: i64 = 44;
const SIDE_OFFSET: i64 = 360;
/// Letters that fit into a node.
const NODE_LETTERS: usize = 30;

#[derive(Deserialize)]
pub(in crate::http::dashboard) struct GraphQuery {
    #[serde(default)]
    symbol: String,
}

pub(in crate::http::dashboard) async fn show(source: PageSource, Query(query): Query<GraphQuery>) -> PageReply {
    let wanted = query.symbol.trim();
    let mut body = html! {
        form.ask method="get" action="/ui/graph" role="search" {
            label.hidden for="symbol" { "Symbol" }
            input #symbol name="symbol" type="search" value=(wanted) placeholder="check_password";
            button type="submit" { "Show" }
        }
    };
    if wanted.is_empty() {
        let hint = html! { p.quiet { "A function, method or type of this project by its name, or as " code { "path#Type.method" } "." } };
        return Ok(source.finish(NavItem::Graph, "Graph", &html! { (body) (hint) }));
    }
    let part = match source.ask("relations", json!({ "symbol": wanted, "limit": 60 })).await {
        Ok(reply) => render_relations(&reply),
        // The name has several meanings, or none: the nearest symbols are offered instead.
        Err(_) => source.ask_part("symbol", json!({ "name": wanted, "limit": 20 })).await.render(render_choices),
    };
    body = html! { (body) (part) };
    Ok(source.finish(NavItem::Graph, "Graph", &body))
}

fn render_choices(reply: &Value) -> Markup {
    let symbols = items(&reply["symbols"]);
    html! {
        @if symbols.is_empty() {
            (empty_note("No symbol has this name.", None))
        } @else {
            h2 { "Which one?" }
            ul.plain {
                @for symbol in symbols {
                    li { a href=(symbol_address(text(&symbol["id"]))) { (name(&symbol["id"])) } " " span.quiet { (name(&symbol["signature"])) } }
                }
            }
        }
    }
}

fn symbol_address(id: &str) -> String {
    let mut encoded = String::from("/ui/graph?symbol=");
    for byte in id.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' => encoded.push(char::from(byte)),
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    encoded
}

fn render_relations(reply: &Value) -> Markup {
    let symbol = &reply["symbol"];
    let neighbours = items(&reply["relations"]);
    let users = side_nodes(neighbours, &["caller", "importer", "subtype", "type_user", "overridden", "container"]);
    let used: Vec<&Value> = {
        let left: BTreeSet<&str> = users.iter().map(|node| text(&node["id"])).collect();
        let rest = neighbours.iter().filter(|node| node["distance"] == 1 && !left.contains(text(&node["id"])));
        rest.take(MAX_SIDE).collect()
    };
    let shown = users.len() + used.len();
    html! {
        p.quiet { (name(&symbol["kind"])) " in " code { (name(&symbol["path"])) ":" (count(&symbol["start_line"])) } }
        div.graph data-pan="" {
            (draw_graph(symbol, &users, &used))
        }
        p.quiet {
            "Left: uses it. Right: used by it. " (shown) " of " (neighbours.len()) " neighbours drawn"
            @if reply["omitted"].as_i64().unwrap_or_default() > 0 { ", " (count(&reply["omitted"])) " more left out" }
            "; a dashed line is less sure."
        }
        section { h2 { "All neighbours" } (neighbour_table(neighbours)) }
    }
}

fn side_nodes<'a>(neighbours: &'a [Value], relations: &[&str]) -> Vec<&'a Value> {
    let is_direct = |node: &&Value| node["distance"] == 1 && relations.contains(&text(&node["relation"]));
    neighbours.iter().filter(is_direct).take(MAX_SIDE).collect()
}

fn draw_graph(symbol: &Value, users: &[&Value], used: &[&Value]) -> Markup {
    let rows = i64::try_from(users.len().max(used.len()).max(3)).unwrap_or(i64::MAX / ROW_HEIGHT);
    let height = rows * ROW_HEIGHT + 20;
    let width = SIDE_OFFSET * 2 + NODE_WIDTH + 20;
    let center_x = width / 2;
    let center_y = height / 2;
    html! {
        svg viewBox=(format!("0 0 {width} {height}")) role="img" aria-label=(format!("Neighbours of {}", name(&symbol["id"]))) {
            @for (at, node) in users.iter().enumerate() {
                (draw_neighbour(node, center_x - SIDE_OFFSET, row_position(at, users.len(), height), center_x - NODE_WIDTH / 2, center_y, true))
            }
            @for (at, node) in used.iter().enumerate() {
                (draw_neighbour(node, center_x + SIDE_OFFSET, row_position(at, used.len(), height), center_x + NODE_WIDTH / 2, center_y, false))
            }
            (draw_node(symbol, center_x, center_y, "node center"))
        }
    }
}

/// The height at which the row of a side lies; the rows of a side are centred together.
fn row_position(at: usize, of: usize, height: i64) -> i64 {
    let at = i64::try_from(at).unwrap_or_default();
    let of = i64::try_from(of).unwrap_or_default();
    height / 2 + (at * 2 - of + 1) * ROW_HEIGHT / 2
}

fn draw_neighbour(node: &Value, x: i64, y: i64, edge_x: i64, edge_y: i64, is_left: bool) -> Markup {
    let inner = if is_left { x + NODE_WIDTH / 2 } else { x - NODE_WIDTH / 2 };
    let middle = i64::midpoint(inner, edge_x);
    let is_sure = node["confidence"].as_f64().unwrap_or(1.0) >= 0.9;
    html! {
        path class=(if is_sure { "edge" } else { "edge unsure" }) d=(format!("M {inner} {y} C {middle} {y}, {middle} {edge_y}, {edge_x} {edge_y}")) {}
        a href=(symbol_address(text(&node["id"]))) { (draw_node(node, x, y, "node")) }
    }
}

fn draw_node(node: &Value, x: i64, y: i64, class: &str) -> Markup {
    let id = name(&node["id"]);
    let short = id.rsplit('#').next().unwrap_or_default();
    let shown: String = match short.chars().count() {
        letters if letters > NODE_LETTERS => short.chars().take(NODE_LETTERS - 1).chain(['…']).collect(),
        _ => short.to_owned(),
    };
    html! {
        g class=(class) {
            title { (id) }
            rect x=(x - NODE_WIDTH / 2) y=(y - NODE_HEIGHT / 2) width=(NODE_WIDTH) height=(NODE_HEIGHT) rx="8" {}
            text x=(x) y=(y + 5) text-anchor="middle" { (shown) }
        }
    }
}

fn neighbour_table(neighbours: &[Value]) -> Markup {
    html! {
        @if neighbours.is_empty() {
            (empty_note("No edge leads to it or from it.", None))
        } @else {
            div.scroll {
                table {
                    thead { tr { th { "Relation" } th { "Symbol" } th { "Line" } th.number { "Confidence" } } }
                    tbody {
                        @for node in neighbours {
                            tr {
                                td { (name(&node["relation"])) }
                                td.wide { a href=(symbol_address(text(&node["id"]))) { (name(&node["id"])) } }
                                td { (count(&node["line"])) }
                                td.number { (format!("{:.2}", node["confidence"].as_f64().unwrap_or_default())) }
                            }
                        }
                    }
                }
            }
        }
    }
}
