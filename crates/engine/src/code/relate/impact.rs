//! Impact analysis: everything that depends on a changed symbol, file or git diff, nearest and surest first, and the
//! tests among that.

use super::relations::with_members;
use super::{NamedNode, diff};
use crate::base::{Error, Project, Result};
use crate::code::CodeContext;
use crate::code::graph::Graph;
use crate::code::graph::LinkDirection;
use crate::code::graph::NodeId;
use crate::code::graph::ReachedNode;
use crate::code::graph::TraversalSpec;
use crate::code::graph::find_homes;
use crate::code::graph::innermost_symbol;
use crate::code::graph::is_test;
use crate::code::graph::to_hundredths;
use crate::code::graph::traverse_graph;
use crate::code::graph_load::load_graph;
use model::EdgeKind;
use std::collections::{BTreeMap, HashSet};

/// The planned or made change.
#[derive(Clone, Debug, Default)]
pub struct ImpactRequest {
    /// Symbols or files: id, handle, path, place or unique name.
    pub symbols: Vec<String>,
    /// Or what differs from this revision, as git has it.
    pub diff: Option<String>,
    /// How many edges away.
    pub depth: u32,
    /// Less sure edges are not followed.
    pub min_confidence: f32,
    /// How many symbols at most.
    pub limit: usize,
}

/// A symbol or file that a change may affect.
#[derive(Clone, Debug, PartialEq)]
pub struct AffectedSymbol {
    /// What.
    pub named: NamedNode,
    /// From 1, for the changed symbols themselves, towards 0.
    pub score: f32,
    /// How many edges away.
    pub distance: u32,
    /// How it depends on the symbol before it: `calls`, `extends`, …
    pub how: &'static str,
    /// The symbol it depends on.
    pub through: String,
    /// Whether it is a test.
    pub is_test: bool,
}

/// The impact of a change.
#[derive(Clone, Debug)]
pub struct ImpactReport {
    /// What changes.
    pub changed: Vec<NamedNode>,
    /// Symbols that depend on it, most affected first; tests are listed separately.
    pub affected: Vec<AffectedSymbol>,
    /// Tests that depend on it, most affected first.
    pub tests: Vec<AffectedSymbol>,
    /// Files of all of them with the best score in each, most affected first.
    pub files: Vec<(String, f32)>,
    /// How many symbols are left out.
    pub omitted: usize,
    /// Files of the diff that the index does not know.
    pub unknown: Vec<String>,
    /// Files that may have changed, but whose content before is not in the repository.
    pub not_compared: Vec<String>,
}

const DEPENDENCY_EDGE_KINDS: &[EdgeKind] =
    &[EdgeKind::Calls, EdgeKind::References, EdgeKind::Extends, EdgeKind::Implements, EdgeKind::Imports];

/// Each further edge halves the likelihood that the symbol breaks.
const DECAY: f32 = 0.5;

pub(crate) async fn analyze_impact(
    code: &CodeContext,
    project: &Project,
    request: ImpactRequest,
) -> Result<ImpactReport> {
    let graph = load_graph(code, project).await?;
    let mut unknown = Vec::new();
    let mut not_compared = Vec::new();
    let mut starts: Vec<NodeId> = Vec::new();
    for text in &request.symbols {
        // Where a name fits several symbols, each of them may be the changed one.
        starts.extend(find_homes(&graph, project, text)?.nodes);
    }
    if let Some(revision) = &request.diff {
        let difference = diff::compute_diff(project, revision).await?;
        not_compared = difference.not_compared;
        for file in difference.changed {
            match graph.find_file(&file.path) {
                Some(node) => starts.extend(changed_symbols(&graph, node, &file)),
                None => unknown.push(file.path),
            }
        }
    } else if starts.is_empty() {
        let reason = "must name at least one symbol or file, or use diff".to_owned();
        return Err(Error::Parameter { field: "symbols", reason });
    }
    let mut seen = HashSet::new();
    starts.retain(|node| seen.insert(*node));
    Ok(ImpactReport { unknown, not_compared, ..spread_impact(&graph, &starts, &request) })
}

/// The innermost symbols around changed lines; the file itself for lines outside of symbols.
fn changed_symbols(graph: &Graph, file: NodeId, changed: &diff::ChangedFile) -> Vec<NodeId> {
    let mut nodes = Vec::new();
    for lines in &changed.lines {
        let inside = graph.symbols_of(file).filter(|node| {
            let own = graph.lines(*node);
            lines.start <= own.start && own.end <= lines.end
        });
        nodes.extend(inside);
        // A range covers some symbols and usually begins and ends inside of others.
        nodes.push(innermost_symbol(graph, file, lines.start).unwrap_or(file));
        nodes.extend(innermost_symbol(graph, file, lines.end));
    }
    nodes
}

fn spread_impact(graph: &Graph, starts: &[NodeId], request: &ImpactRequest) -> ImpactReport {
    // Code that depends on a member depends on its container, and a change of a type is one of its members.
    let all: Vec<NodeId> = starts.iter().flat_map(|&node| with_members(graph, node)).collect();
    let course = TraversalSpec {
        way: LinkDirection::In,
        kinds: DEPENDENCY_EDGE_KINDS,
        depth: request.depth,
        floor: request.min_confidence,
    };
    // The changed symbols themselves are not what a change affects.
    let inside: HashSet<NodeId> = all.iter().copied().collect();
    let mut reached: Vec<(f32, ReachedNode)> = traverse_graph(graph, &all, &course)
        .into_iter()
        .filter(|found| !inside.contains(&found.node))
        .map(|found| (found.confidence.get() * DECAY.powi(found.distance as i32), found))
        .collect();
    reached.sort_by_key(|(_, found)| {
        // Sorted by integers, so that equal scores do not depend on rounding; the shift halves like `DECAY`.
        (u32::MAX - (to_hundredths(found.confidence) << 8 >> found.distance.min(16)), found.distance, found.node)
    });
    let mut files: BTreeMap<&str, f32> = BTreeMap::new();
    for &start in starts {
        files.insert(graph.path(start), 1.0);
    }
    for (score, found) in &reached {
        let best = files.entry(graph.path(found.node)).or_insert(0.0);
        *best = best.max(*score);
    }
    let mut files: Vec<(String, f32)> = files.into_iter().map(|(path, score)| (path.to_owned(), score)).collect();
    files.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    // Listed apart: a caller wants to know which tests to run.
    let (mut tests, mut affected): (Vec<AffectedSymbol>, Vec<AffectedSymbol>) = reached
        .iter()
        .map(|(score, found)| build_affected(graph, *score, found))
        .partition(|affected| affected.is_test);
    let omitted = affected.len().saturating_sub(request.limit) + tests.len().saturating_sub(request.limit);
    affected.truncate(request.limit);
    tests.truncate(request.limit);
    files.truncate(request.limit);
    let changed = starts.iter().map(|node| NamedNode::from_node(graph, *node)).collect();
    ImpactReport { changed, affected, tests, files, omitted, unknown: Vec::new(), not_compared: Vec::new() }
}

fn build_affected(graph: &Graph, score: f32, found: &ReachedNode) -> AffectedSymbol {
    let how = if found.kind == EdgeKind::References { "uses" } else { found.kind.as_str() };
    AffectedSymbol {
        named: NamedNode::from_node(graph, found.node),
        score,
        distance: found.distance,
        how,
        through: graph.id(found.from),
        is_test: is_test(graph, found.node),
    }
}
