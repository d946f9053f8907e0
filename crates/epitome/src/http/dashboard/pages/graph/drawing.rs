//! Draws a symbol and its neighbours as SVG, for browsers without scripts and until the script has drawn it anew.

use super::{SURE_CONFIDENCE, symbol_address};
use crate::http::dashboard::elements::{name, text};
use maud::{Markup, html};
use serde_json::Value;

const NODE_WIDTH: i64 = 224;
const NODE_HEIGHT: i64 = 42;
const ROW_HEIGHT: i64 = 54;
const SIDE_OFFSET: i64 = 320;

/// Letters that fit into a node, of its name and of its path.
const NAME_LETTERS: usize = 26;
const PATH_LETTERS: usize = 32;

/// The symbol in the middle, its users on the left, what it uses on the right.
pub(super) fn draw_graph(symbol: &Value, users: &[&Value], used: &[&Value]) -> Markup {
    let rows = i64::try_from(users.len().max(used.len()).max(3)).unwrap_or(i64::MAX / ROW_HEIGHT);
    let height = rows * ROW_HEIGHT + 20;
    let width = SIDE_OFFSET * 2 + NODE_WIDTH + 20;
    let (center_x, center_y) = (width / 2, height / 2);
    html! {
        svg viewBox=(format!("0 0 {width} {height}")) {
            @for (at, node) in users.iter().enumerate() {
                (draw_neighbour(node, (center_x - SIDE_OFFSET, row_position(at, users.len(), height)), (center_x - NODE_WIDTH / 2, center_y)))
            }
            @for (at, node) in used.iter().enumerate() {
                (draw_neighbour(node, (center_x + SIDE_OFFSET, row_position(at, used.len(), height)), (center_x + NODE_WIDTH / 2, center_y)))
            }
            (draw_node(symbol, (center_x, center_y), "node center"))
        }
    }
}

/// What a node is called: the name behind the path, or the file.
pub(super) fn node_label(id: &str) -> String {
    let short = id.split_once('#').map_or_else(|| id.rsplit('/').next().unwrap_or(id), |(_, name)| name);
    shorten(short, NAME_LETTERS)
}

/// Where a node is: the end of its path, which says most.
pub(super) fn node_path(id: &str) -> String {
    let path = id.split_once('#').map_or(id, |(path, _)| path);
    let shown = model::show_name(path);
    match shown.chars().count() {
        letters if letters > PATH_LETTERS => {
            let tail: String = shown.chars().skip(letters - PATH_LETTERS + 1).collect();
            format!("…{tail}")
        }
        _ => shown.into_owned(),
    }
}

fn shorten(label: &str, letters: usize) -> String {
    let shown = model::show_name(label);
    match shown.chars().count() {
        many if many > letters => shown.chars().take(letters - 1).chain(['…']).collect(),
        _ => shown.into_owned(),
    }
}

/// The height at which the row of a side lies; the rows of a side are centred together.
fn row_position(at: usize, of: usize, height: i64) -> i64 {
    let at = i64::try_from(at).unwrap_or_default();
    let of = i64::try_from(of).unwrap_or_default();
    height / 2 + (at * 2 - of + 1) * ROW_HEIGHT / 2
}

fn draw_neighbour(node: &Value, (x, y): (i64, i64), (edge_x, edge_y): (i64, i64)) -> Markup {
    let inner = if x < edge_x { x + NODE_WIDTH / 2 } else { x - NODE_WIDTH / 2 };
    let middle = i64::midpoint(inner, edge_x);
    let is_sure = node["confidence"].as_f64().unwrap_or(1.0) >= SURE_CONFIDENCE;
    html! {
        path class=(if is_sure { "edge" } else { "edge unsure" }) d=(format!("M {inner} {y} C {middle} {y}, {middle} {edge_y}, {edge_x} {edge_y}")) {}
        a href=(symbol_address(text(&node["id"]))) { (draw_node(node, (x, y), "node")) }
    }
}

fn draw_node(node: &Value, (x, y): (i64, i64), class: &str) -> Markup {
    let id = text(&node["id"]);
    let left = x - NODE_WIDTH / 2;
    html! {
        g class=(class) {
            title { (name(&node["id"])) }
            rect x=(left) y=(y - NODE_HEIGHT / 2) width=(NODE_WIDTH) height=(NODE_HEIGHT) rx="8" {}
            text x=(left + 12) y=(y - 3) { (node_label(id)) }
            text.path x=(left + 12) y=(y + 12) { (node_path(id)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_called_by_its_name_and_by_the_end_of_its_path() {
        assert_eq!(node_label("src/lib.rs#Session.login"), "Session.login");
        assert_eq!(node_label("src/lib.rs"), "lib.rs");
        assert_eq!(node_label(&format!("a#{}", "x".repeat(40))), format!("{}…", "x".repeat(25)));
        assert_eq!(node_path("src/lib.rs#a"), "src/lib.rs");
        let long = node_path(&format!("{}/tail.rs#a", "deep".repeat(10)));
        assert!(long.starts_with('…') && long.ends_with("/tail.rs") && long.chars().count() == PATH_LETTERS, "{long}");
    }
}
