//! Says which requirements have code and tests, and which tests have no requirement.

use super::link_end::{LinkEnd, REQUIREMENT};
use super::name_match::is_code;
use super::report::{LinkedPlace, LinkedRequirement, place_of};
use super::table::{DocumentTable, load_documents};
use crate::base::{Project, Result};
use crate::code::CodeContext;
use crate::code::graph::{Graph, NodeId, is_test};
use crate::code::graph_load::load_graph;
use model::{EdgeKind, SymbolKind};
use std::collections::HashSet;

/// What to ask.
#[derive(Clone, Debug, Default)]
pub struct CoverageRequest {
    /// Only requirements of documents whose path contains this.
    pub path: Option<String>,
    /// Also sentences without a key.
    pub sentences: bool,
    /// Only requirements that lack code or tests.
    pub missing: bool,
    /// So many requirements are left out at the front.
    pub skip: usize,
    /// How many of each list at most.
    pub limit: usize,
}

/// A requirement with its code and tests.
#[derive(Clone, Debug, PartialEq)]
pub struct CoveredRequirement {
    /// Which.
    pub requirement: LinkedRequirement,
    /// Its document.
    pub path: String,
    /// Code that names it, or that it names.
    pub code: Vec<LinkedPlace>,
    /// Tests that name it; then those that call its code, which is less sure.
    pub tests: Vec<LinkedPlace>,
}

/// A test that belongs to no requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnboundTest {
    /// Its id.
    pub id: String,
    /// Its line.
    pub line: u32,
}

/// What is covered.
#[derive(Clone, Debug, Default)]
pub struct CoverageReport {
    /// How many requirements were looked at.
    pub total: usize,
    /// How many of them have code.
    pub with_code: usize,
    /// How many have tests.
    pub with_tests: usize,
    /// Those asked for, in order of place.
    pub requirements: Vec<CoveredRequirement>,
    /// How many of them come behind the last one shown.
    pub omitted: usize,
    /// How many tests there are.
    pub tests: usize,
    /// How many belong to no requirement.
    pub unbound_tests: usize,
    /// The first of them; none where nothing is required.
    pub unbound: Vec<UnboundTest>,
}

/// How sure a test is one of a requirement whose code it calls.
const CALLED: f32 = 0.5;

/// Of one requirement so much code, and so many tests, are shown.
const MOST_PLACES: usize = 20;

pub(crate) async fn check_coverage(
    code: &CodeContext,
    project: &Project,
    request: CoverageRequest,
) -> Result<CoverageReport> {
    let graph = load_graph(code, project).await?;
    let table = load_documents(code, project, &graph).await?;
    let mut report = CoverageReport::default();
    let mut bound: HashSet<NodeId> = HashSet::new();
    let mut asked = Vec::new();
    for (at, item) in table.items.iter().enumerate() {
        let path = graph.path(item.file);
        let is_asked = item.kind == REQUIREMENT
            && (request.sentences || item.key.is_some())
            && request.path.as_ref().is_none_or(|part| path.contains(part.as_str()));
        let covered = cover(&table, at, &mut bound);
        if !is_asked {
            continue;
        }
        report.total += 1;
        report.with_code += usize::from(!covered.code.is_empty());
        report.with_tests += usize::from(!covered.tests.is_empty());
        if !request.missing || covered.code.is_empty() || covered.tests.is_empty() {
            asked.push(covered);
        }
    }
    let shown: Vec<CoveredRequirement> = asked.drain(..).skip(request.skip).collect();
    report.omitted = shown.len().saturating_sub(request.limit);
    report.requirements = shown.into_iter().take(request.limit).collect();
    let tests: Vec<NodeId> = graph.symbol_nodes().filter(|node| is_test_function(&graph, *node)).collect();
    report.tests = tests.len();
    let unbound: Vec<NodeId> = tests.into_iter().filter(|node| !bound.contains(node)).collect();
    report.unbound_tests = unbound.len();
    if report.total > 0 {
        let first = unbound.into_iter().take(request.limit);
        report.unbound = first.map(|node| UnboundTest { id: graph.id(node), line: graph.name_line(node) }).collect();
    }
    Ok(report)
}

/// A requirement with its code and tests; those tests are added to `bound`.
fn cover(table: &DocumentTable, at: usize, bound: &mut HashSet<NodeId>) -> CoveredRequirement {
    let graph = &table.graph;
    let item = &table.items[at];
    let own = LinkEnd::Item(at);
    let mut code: Vec<LinkedPlace> = Vec::new();
    let mut tests: Vec<LinkedPlace> = Vec::new();
    let mut callers: Vec<(NodeId, u32)> = Vec::new();
    for link in table.links_of(own) {
        let other = if link.from == own { link.to } else { link.from };
        // Another document that names it is no code.
        let LinkEnd::Node(node) = other else { continue };
        if !is_code(graph, NodeId::File(node.file_number())) {
            continue;
        }
        let place = place_of(table, other, link.line, link.weight);
        if place.is_test {
            bound.insert(node);
            add_place(&mut tests, place);
            continue;
        }
        add_place(&mut code, place);
        let calls = graph.links_to(node).iter().filter(|link| link.kind == EdgeKind::Calls);
        callers.extend(calls.map(|link| (link.node, link.line)).filter(|(caller, _)| is_test(graph, *caller)));
    }
    for (caller, line) in callers {
        bound.insert(caller);
        let place = place_of(table, LinkEnd::Node(caller), line, CALLED);
        add_place(&mut tests, place);
    }
    code.truncate(MOST_PLACES);
    tests.truncate(MOST_PLACES);
    CoveredRequirement {
        requirement: LinkedRequirement {
            id: item.id.clone(),
            key: item.key.clone(),
            text: item.text.clone(),
            priority: item.priority.clone(),
            status: item.status.clone(),
            lines: item.lines,
        },
        path: graph.path(item.file).to_owned(),
        code,
        tests,
    }
}

/// Adds a place that is not there yet; where both ends name each other, the surer of the two counts.
fn add_place(places: &mut Vec<LinkedPlace>, place: LinkedPlace) {
    match places.iter_mut().find(|known| known.named.id == place.named.id) {
        Some(known) if known.weight < place.weight => *known = place,
        Some(_) => {}
        None => places.push(place),
    }
}

/// Whether a node is a test itself, and no helper beside one.
fn is_test_function(graph: &Graph, node: NodeId) -> bool {
    let is_named = || {
        let name = graph.name(node);
        name.starts_with("test") || name.starts_with("Test") || name.ends_with("_test")
    };
    graph.kind(node).is_some_and(SymbolKind::is_function) && is_named() && is_test(graph, node)
}
