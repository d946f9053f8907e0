//! Finds the neighbours of an answer's first regions in the symbol graph (callees, types, callers) and ranks them.
//!
//! After a function a reader asks what the functions in it do, and who calls it. Neighbours follow the regions in short
//! form: whole where they are a few lines, else the signature with the first comment line. Most are no answer, so those
//! come first that share words with the question or were found by it themselves.

use super::SearchHit;
use crate::Engine;
use crate::base::{Error, Project, Result};
use crate::code::graph::Graph;
use crate::code::graph::NodeId;
use crate::code::graph::is_test;
use crate::code::graph_load::load_graph;
use crate::code::index;
use crate::code::relate::GraphNeighbour;
use crate::code::relate::RelationDirection;
use crate::code::relate::RelationKind;
use crate::code::relate::RelationsRequest;
use crate::code::relate::collect_neighbours;
use crate::code::search::{CodeQuestion, HitPreview, title_of, unique_stems};
use model::{LineRange, Symbol, SymbolId, TokenCount};
use std::collections::{HashMap, HashSet};

/// A symbol that a region is related to.
pub(super) struct RegionNeighbour {
    /// The path and the lines of that region.
    of: (String, LineRange),
    /// Its own place.
    pub(super) hit: SearchHit,
    /// The line of its name, its signature and the first line of its comment.
    pub(super) head: SymbolHead,
}

impl RegionNeighbour {
    /// Whether it is a neighbour of a region.
    pub(super) fn is_of(&self, region: &SearchHit) -> bool {
        self.of.0 == region.path && self.of.1 == region.lines
    }

    /// Whether its name stands in a region.
    pub(super) fn is_in(&self, region: &SearchHit) -> bool {
        contains_line(region, &self.hit.path, self.head.name_line)
    }
}

/// The data to show the head of a symbol.
#[derive(Clone, Debug, Default)]
pub(super) struct SymbolHead {
    name_line: u32,
    /// Squeezed.
    signature: String,
    /// The first line of the comment, squeezed.
    doc: String,
}

/// The farthest that is worth walking: a neighbour's neighbour seldom has to do with the question.
const MAX_NEIGHBOUR_DEPTH: u32 = 3;

/// Neighbours of so many regions are looked for, and so many of each are offered.
const REGIONS: usize = 3;
const MAX_NEIGHBOURS_PER_REGION: usize = 6;

/// Relations below this confidence are ignored.
const MIN_RELATION_CONFIDENCE: f32 = 0.5;

/// How a neighbour must be related. Words lead to the function that does a small thing as often as to the one that
/// decides when: callers are worth as much as callees.
const RELATIONS: [(RelationKind, f32); 5] = [
    (RelationKind::Definition, 3.0),
    (RelationKind::Callee, 1.0),
    (RelationKind::Caller, 1.0),
    (RelationKind::Override, 0.5),
    (RelationKind::Type, 0.0),
];

/// The weight of having been found by the question itself, less for each place further back.
const FOUND_WEIGHT: f32 = 2.0;

/// The weight of each word that its name shares with the question.
const SHARED_WORD: f32 = 1.5;

/// The penalty for symbols with many users: a logger says little about any one of them.
const WIDELY_USED: f32 = 0.4;

/// The penalty for each further call on the way.
const DISTANCE_PENALTY: f32 = 1.5;

/// From this budget on the functions that are asked for stand in an answer about as often with neighbours as without
/// them. A smaller one is better spent on more regions.
const NEIGHBOURS_FROM: TokenCount = TokenCount(3_000);

/// How many calls are followed: as many as were asked for, else one where the budget has room for neighbours. A report
/// names much by itself, and further regions help more than neighbours.
pub(super) fn chosen_depth(asked: Option<u32>, query: &str, budget: TokenCount) -> Result<u32> {
    match asked {
        Some(depth) if depth > MAX_NEIGHBOUR_DEPTH => {
            Err(Error::Parameter { field: "depth", reason: format!("is {depth}: from 0 to {MAX_NEIGHBOUR_DEPTH}") })
        }
        Some(depth) => Ok(depth),
        None => Ok(u32::from(budget >= NEIGHBOURS_FROM && title_of(query).is_none())),
    }
}

/// The neighbours of the first regions, those of the first region first.
pub(super) async fn find_neighbours(
    engine: &Engine,
    project: &Project,
    query: &str,
    hits: &[SearchHit],
    depth: u32,
) -> Result<Vec<RegionNeighbour>> {
    if depth == 0 || hits.is_empty() {
        return Ok(Vec::new());
    }
    let graph = load_graph(&engine.code, project).await?;
    let mut near = ranked_neighbours(&graph, &CodeQuestion::new(query), hits, depth);
    let mut paths: Vec<String> = near.iter().map(|near| near.hit.path.clone()).collect();
    paths.sort_unstable();
    paths.dedup();
    let symbols = index::symbols_at(&engine.code, project, &paths).await?;
    let by_path: HashMap<String, Vec<Symbol>> = paths.into_iter().zip(symbols).collect();
    for near in &mut near {
        let symbols = by_path.get(&near.hit.path).map_or(&[][..], Vec::as_slice);
        let symbol = near.hit.symbol.as_ref().and_then(|(id, _)| symbols.iter().find(|symbol| symbol.id == *id));
        let Some(symbol) = symbol else { continue };
        near.head = SymbolHead::from_symbol(symbol);
        let above = if near.head.doc.is_empty() { 0 } else { COMMENT_AWAY as u32 };
        // Symbols begin at their signature; a comment above it starts up to COMMENT_AWAY lines earlier and has to be
        // read as well.
        near.hit.lines.start = near.hit.lines.start.saturating_sub(above).max(1);
    }
    Ok(near)
}

fn ranked_neighbours(graph: &Graph, question: &CodeQuestion, hits: &[SearchHit], depth: u32) -> Vec<RegionNeighbour> {
    let request = RelationsRequest {
        symbol: String::new(),
        only: RELATIONS.iter().map(|(relation, _)| *relation).collect(),
        direction: RelationDirection::Both,
        depth,
        min_confidence: MIN_RELATION_CONFIDENCE,
        matches: 1,
        mentions: 0,
        limit: usize::MAX,
        to: None,
    };
    let mut all: Vec<RegionNeighbour> = Vec::new();
    for hit in hits.iter().filter(|hit| !hit.is_prose).take(REGIONS) {
        let Some(file) = graph.find_file(&hit.path) else { continue };
        let starts: Vec<NodeId> =
            // Every symbol that begins in the region: a class is shown with its methods, and each of them calls
            // something.
            graph.symbols_of(file).filter(|node| contains_line(hit, &hit.path, graph.name_line(*node))).collect();
        let mut found: Vec<(f32, String, GraphNeighbour)> = Vec::new();
        let mut known: HashSet<NodeId> = HashSet::default();
        for start in starts {
            for neighbour in collect_neighbours(graph, start, &request) {
                let named = &neighbour.named;
                let node = SymbolId::parse(&named.id).and_then(|id| graph.symbol_node(&id));
                let Some(node) = node else { continue };
                let is_itself = contains_line(hit, &named.path, graph.name_line(node));
                // Several symbols of a region may call the same function, and tests call everything.
                if is_itself || !known.insert(node) || (is_test(graph, node) && !question.asks_tests) {
                    continue;
                }
                found.push((neighbour_score(graph, node, &neighbour, question, hits), graph.id(start), neighbour));
            }
        }
        // Of equals the one that is called first in the text, as a reader meets it.
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.2.line.cmp(&b.2.line)));
        for (_, start, neighbour) in found.into_iter().take(MAX_NEIGHBOURS_PER_REGION) {
            let it = build_neighbour(hit, &start, neighbour);
            if !all.iter().any(|other| other.hit.symbol == it.hit.symbol) {
                all.push(it);
            }
        }
    }
    all
}

/// Whether a line of a file is in a region.
fn contains_line(hit: &SearchHit, path: &str, line: u32) -> bool {
    hit.path == path && hit.lines.start <= line && line <= hit.lines.end
}

/// The expected use of a neighbour.
fn neighbour_score(
    graph: &Graph,
    node: NodeId,
    neighbour: &GraphNeighbour,
    question: &CodeQuestion,
    hits: &[SearchHit],
) -> f32 {
    let of_relation = RELATIONS.iter().find(|(relation, _)| *relation == neighbour.relation).map_or(0.0, |it| it.1);
    let name = unique_stems(graph.name(node));
    let shared = question.terms.iter().filter(|term| name.contains(&term.stem)).count() as f32;
    let place = hits.iter().position(|hit| contains_line(hit, graph.path(node), graph.name_line(node)));
    let found = place.map_or(0.0, |place| 1.0 - place as f32 / hits.len() as f32);
    let users = graph.links_to(node).len().max(1) as f32;
    let further = neighbour.distance.saturating_sub(1) as f32;
    of_relation + SHARED_WORD * shared + FOUND_WEIGHT * found - WIDELY_USED * users.ln() - DISTANCE_PENALTY * further
}

fn build_neighbour(hit: &SearchHit, start: &str, neighbour: GraphNeighbour) -> RegionNeighbour {
    let GraphNeighbour { relation, named, .. } = neighbour;
    let of = (hit.path.clone(), hit.lines);
    let hit = SearchHit {
        symbol: named.kind.and_then(|kind| Some((SymbolId::parse(&named.id)?, kind))),
        path: named.path,
        lines: named.lines,
        score: hit.score,
        fit: hit.fit,
        focus: None,
        file_lines: None,
        is_prose: false,
        why: format!("{} of {start}", relation.as_str()),
        summary: None,
        matched: Vec::new(),
        preview: HitPreview::default(),
        parts: Vec::new(),
        related: Vec::new(),
        related_omitted: 0,
    };
    RegionNeighbour { of, hit, head: SymbolHead::default() }
}

/// A signature of more lines is shown by the line of the name alone, and a comment that begins further away not at all.
const LONGEST_SIGNATURE: usize = 12;
const COMMENT_AWAY: usize = 3;

impl SymbolHead {
    fn from_symbol(symbol: &Symbol) -> Self {
        let doc = symbol.doc.as_deref().and_then(|doc| doc.lines().find(|line| !line.trim().is_empty()));
        Self {
            name_line: symbol.name_line,
            signature: strip_blanks(&symbol.signature),
            doc: strip_blanks(doc.unwrap_or_default()),
        }
    }

    /// Which of some lines, read from so far above the symbol that a short comment is among them, are its signature and
    /// the first line of its comment.
    pub(super) fn head_lines(&self, text: &str, read: LineRange) -> LineRange {
        let rows: Vec<String> = text.lines().map(strip_blanks).collect();
        if rows.is_empty() {
            return LineRange { end: read.start, ..read };
        }
        let name = (self.name_line.saturating_sub(read.start) as usize).min(rows.len() - 1);
        let is_signature = |first: usize, last: usize| {
            !self.signature.is_empty() && rows[first..=last].concat().contains(self.signature.as_str())
        };
        // First the end, then the beginning: the shortest stretch of lines that still holds the whole signature.
        let ends = name..rows.len().min(name + LONGEST_SIGNATURE);
        let last = ends.into_iter().find(|last| is_signature(0, *last)).unwrap_or(name);
        let first = (0..=name).rev().find(|first| is_signature(*first, last)).unwrap_or(name);
        let is_comment = |row: &usize| !self.doc.is_empty() && rows[*row].contains(self.doc.as_str());
        let above = (first.saturating_sub(COMMENT_AWAY)..first).find(is_comment);
        let below = (last + 1..rows.len().min(last + 1 + COMMENT_AWAY)).find(is_comment);
        let number = |row: usize| read.start + row as u32;
        LineRange { start: number(above.unwrap_or(first)), end: number(below.unwrap_or(last)) }
    }
}

/// A text without what a signature on one line has otherwise than one on several: blanks, and the comma at the end.
fn strip_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && *c != ',').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, first: u32, name_line: u32, signature: &str, doc: &str, expected: (u32, u32)) {
        let signature = strip_blanks(signature);
        let doc = strip_blanks(doc);
        let read = LineRange { start: first, end: first + text.lines().count() as u32 - 1 };
        let lines = SymbolHead { name_line, signature, doc }.head_lines(text, read);
        assert_eq!((lines.start, lines.end), expected, "{text}");
    }

    #[test]
    fn a_head_is_the_signature_with_the_first_line_of_a_comment_that_is_near() {
        let rust = "}\n\n/// Keeps it.\npub fn take(\n    record: Record,\n) -> bool {\n    true\n}\n";
        check(rust, 10, 13, "pub fn take(record: Record) -> bool", "Keeps it.", (12, 15));
        check(rust, 10, 13, "pub fn take(record: Record) -> bool", "", (13, 15));
        let python = "def take(record):\n    \"\"\"Keeps it.\n\n    Long.\n    \"\"\"\n    return record\n";
        check(python, 1, 1, "def take(record)", "Keeps it.", (1, 2));
        let c = "static int\ntake(struct record *r)\n{\n  return 1;\n}\n";
        check(c, 5, 6, "static int take(struct record *r)", "", (5, 6));
        let far = "/// Keeps it.\n///\n/// Always.\n/// Every one.\nfn take() {\n}\n";
        check(far, 1, 5, "fn take()", "Keeps it.", (5, 5));
    }

    #[test]
    fn a_head_that_is_not_as_it_was_indexed_is_the_line_of_the_name() {
        check("fn take(it: u8) {\n}\n", 3, 3, "fn take(other: u16)", "Gone.", (3, 3));
        check("one line\n", 3, 9, "", "", (3, 3));
        let nothing = SymbolHead { signature: "fn".to_owned(), ..SymbolHead::default() };
        assert_eq!(nothing.head_lines("", LineRange { start: 3, end: 9 }), LineRange { start: 3, end: 3 });
    }
}
