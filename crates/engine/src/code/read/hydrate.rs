//! Hydration: adds the dependencies of a symbol that is read (types, base types, callees, from the graph) to the reply,
//! so that the symbol can be understood without a second question.
//!
//! Types come first, because everything else is about them, then callees; nearer ones before farther ones. A symbol
//! that is shown already does not come again.

use super::{
    FileHashes, ModeChoice, OmissionReason, OmittedTarget, ReadReply, ReadScope, TargetRequest, ViewMode,
    remaining_budget,
};
use crate::base::{Error, Project, Result};
use crate::code::CodeContext;
use crate::code::graph::{Graph, LinkDirection, NodeId, ReachedNode, TraversalSpec, to_hundredths, traverse_graph};
use crate::code::graph_load::load_graph;
use crate::code::relate::{RelationKind, with_members};
use model::{EdgeKind, SymbolId, SymbolKind, TokenCount};
use std::cmp::Reverse;
use std::collections::HashSet;

/// The greatest depth.
const MAX_HYDRATE_DEPTH: u32 = 10;
/// The budget for dependencies where the caller names none.
const DEFAULT_BUDGET: TokenCount = TokenCount(4_000);
/// How many dependencies of one symbol are considered.
const MAX_DEPENDENCIES: usize = 60;
/// A dependency with at most this many lines is shown whole, members included, so that none of them has to come again.
const MAX_WHOLE_LINES: u32 = 80;
/// Edges with less confidence are not followed: a wrong dependency costs more than a missing one.
const MIN_EDGE_CONFIDENCE: f32 = 0.5;

const FOLLOWED_EDGE_KINDS: &[EdgeKind] =
    &[EdgeKind::Extends, EdgeKind::Implements, EdgeKind::References, EdgeKind::Calls];

/// Adds the dependencies of a reply's symbols.
pub(super) async fn add_dependencies(
    code: &CodeContext,
    project: &Project,
    reading: &ReadScope,
    depth: u32,
    reply: &mut ReadReply,
    hashes: &mut FileHashes,
) -> Result<()> {
    if depth > MAX_HYDRATE_DEPTH {
        return Err(Error::Parameter { field: "depth", reason: format!("is {depth}: from 0 to {MAX_HYDRATE_DEPTH}") });
    }
    let named: Vec<SymbolId> = reply.items.iter().filter_map(|item| SymbolId::parse(&item.id)).collect();
    if named.is_empty() {
        return Ok(());
    }
    let graph = load_graph(code, project).await?;
    let budget = remaining_budget(reading.budget, reply).unwrap_or(DEFAULT_BUDGET);
    let mut shown: HashSet<NodeId> = HashSet::new();
    let mut wanted = Vec::new();
    for start in named.iter().filter_map(|id| graph.symbol_node(id)) {
        let inside = with_members(&graph, start);
        shown.extend(&inside);
        // A type depends on what its members use; a function on what it uses itself, not on its local functions' uses.
        let starts = if graph.kind(start).is_some_and(SymbolKind::is_function) { vec![start] } else { inside };
        let mut found = find_dependencies(&graph, &starts, depth);
        found.retain(|reached| {
            let is_new = shown.insert(reached.node);
            // A short dependency is shown whole, so its members are shown with it.
            if is_new && graph.lines(reached.node).count() <= MAX_WHOLE_LINES {
                shown.extend(with_members(&graph, reached.node));
            }
            is_new
        });
        if found.len() > MAX_DEPENDENCIES {
            let why = OmissionReason::More { count: found.len() - MAX_DEPENDENCIES };
            reply.omitted.push(OmittedTarget { id: graph.id(start), why });
            found.truncate(MAX_DEPENDENCIES);
        }
        wanted.extend(found.iter().map(|reached| SymbolDependency::from_reached(&graph, reached)));
    }
    let target = |wanted: &SymbolDependency| TargetRequest {
        target: wanted.id.clone(),
        mode: dependency_mode(reading.mode, wanted.lines),
        heading: format!("{} ({} of {})", wanted.id, wanted.relation.as_str(), wanted.of),
    };
    let (drawn, mut more) = reading.render_targets(wanted.iter().map(target).collect(), Some(budget)).await?;
    for (SymbolDependency { id, relation, of, .. }, drawn) in wanted.into_iter().zip(drawn) {
        reply.add_outcome(id, drawn, Some((relation, of)));
    }
    // A file that was read for a named target has its hash already.
    more.retain(|(path, _)| !hashes.iter().any(|(known, _)| known == path));
    hashes.append(&mut more);
    Ok(())
}

/// A symbol to show, with the reason.
struct SymbolDependency {
    id: String,
    lines: u32,
    relation: RelationKind,
    of: String,
}

impl SymbolDependency {
    fn from_reached(graph: &Graph, reached: &ReachedNode) -> Self {
        let relation = match reached.kind {
            EdgeKind::Calls => RelationKind::Callee,
            EdgeKind::Extends | EdgeKind::Implements => RelationKind::Supertype,
            EdgeKind::Contains
            | EdgeKind::Defines
            | EdgeKind::Imports
            | EdgeKind::References
            | EdgeKind::DependsOn
            | EdgeKind::RelatesTo => RelationKind::Type,
        };
        Self {
            id: graph.id(reached.node),
            lines: graph.lines(reached.node).count(),
            relation,
            of: graph.id(reached.from),
        }
    }
}

/// The dependencies of some symbols: nearer first, types first, surest first.
fn find_dependencies(graph: &Graph, starts: &[NodeId], depth: u32) -> Vec<ReachedNode> {
    let course =
        TraversalSpec { way: LinkDirection::Out, kinds: FOLLOWED_EDGE_KINDS, depth, floor: MIN_EDGE_CONFIDENCE };
    let mut found = traverse_graph(graph, starts, &course);
    found.retain(|reached| !reached.node.is_file());
    let rank = |node: NodeId| match graph.kind(node) {
        Some(kind) if kind.is_function() => 1,
        Some(SymbolKind::Constant | SymbolKind::Field | SymbolKind::Module | SymbolKind::Section) | None => 2,
        Some(_) => 0,
    };
    found.sort_by_key(|reached| {
        (reached.distance, rank(reached.node), Reverse(to_hundredths(reached.confidence)), reached.node)
    });
    found
}

/// A dependency is shown whole when it is short, else as a skeleton; never in more detail than the named targets.
fn dependency_mode(named: ModeChoice, lines: u32) -> ModeChoice {
    match named {
        ModeChoice::Fixed(ViewMode::Aggressive | ViewMode::Map) => named,
        ModeChoice::Fixed(ViewMode::Lightweight) if lines <= MAX_WHOLE_LINES => named,
        ModeChoice::Fixed(_) | ModeChoice::Auto if lines <= MAX_WHOLE_LINES => ModeChoice::Fixed(ViewMode::Raw),
        ModeChoice::Fixed(_) | ModeChoice::Auto => ModeChoice::Fixed(ViewMode::Aggressive),
    }
}
