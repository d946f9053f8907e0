//! Graph algorithms on the code graph: breadth-first traversal from nodes, the shortest path between two nodes, and the
//! PageRank of files.

use super::worktree_graph::{Graph, GraphLink, NodeId};
use model::{Confidence, EdgeKind};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// Which way edges are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkDirection {
    /// From where they start to where they lead.
    Out,
    /// Back.
    In,
}

/// A node that a walk reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ReachedNode {
    pub(crate) node: NodeId,
    /// Edges from the start.
    pub(crate) distance: u32,
    /// The node before it on the path.
    pub(crate) from: NodeId,
    /// The kind of the last edge.
    pub(crate) kind: EdgeKind,
    pub(crate) line: u32,
    /// The product of the confidences along the path.
    pub(crate) confidence: Confidence,
}

/// Which edges a walk follows.
pub(crate) struct TraversalSpec<'a> {
    pub(crate) way: LinkDirection,
    pub(crate) kinds: &'a [EdgeKind],
    pub(crate) depth: u32,
    /// Edges less sure than this are not followed.
    pub(crate) floor: f32,
}

/// A walk stops after this many nodes: a larger result answers no question.
const MAX_REACHED_NODES: usize = 50_000;

/// Every node that a walk reaches, nearest first, then surest, then in the order of nodes.
pub(crate) fn traverse_graph(graph: &Graph, starts: &[NodeId], course: &TraversalSpec<'_>) -> Vec<ReachedNode> {
    let mut seen: HashSet<NodeId> = starts.iter().copied().collect();
    let mut reached: Vec<ReachedNode> = Vec::new();
    let mut edge: Vec<(NodeId, f32)> = starts.iter().map(|&start| (start, 1.0)).collect();
    for distance in 1..=course.depth {
        // Level by level: a node keeps its shortest path, and among paths of one length the surest.
        let mut best: HashMap<NodeId, ReachedNode> = HashMap::new();
        for &(from, so_far) in &edge {
            for link in course.followed_links(graph, from) {
                if seen.contains(&link.node) {
                    continue;
                }
                let confidence = Confidence::new(so_far * link.confidence.get());
                let found =
                    ReachedNode { node: link.node, distance, from, kind: link.kind, line: link.line, confidence };
                let known = best.entry(link.node).or_insert(found);
                if known.confidence < confidence {
                    *known = found;
                }
            }
        }
        let mut level: Vec<ReachedNode> = best.into_values().collect();
        // The map has no order, and equal questions must get equal replies.
        level.sort_by_key(|found| (Reverse(to_hundredths(found.confidence)), found.node));
        seen.extend(level.iter().map(|found| found.node));
        edge = level.iter().map(|found| (found.node, found.confidence.get())).collect();
        reached.append(&mut level);
        if edge.is_empty() || reached.len() > MAX_REACHED_NODES {
            break;
        }
    }
    reached
}

/// The shortest path from one node to another along the course, as the nodes on it.
pub(crate) fn way_between(
    graph: &Graph,
    from: NodeId,
    to: NodeId,
    course: &TraversalSpec<'_>,
) -> Option<Vec<ReachedNode>> {
    let reached = traverse_graph(graph, &[from], course);
    let by_node: HashMap<NodeId, ReachedNode> = reached.into_iter().map(|found| (found.node, found)).collect();
    let mut way = vec![*by_node.get(&to)?];
    // No edge reached the start itself, so the way back ends there.
    while let Some(before) = way.last().and_then(|last| by_node.get(&last.from)) {
        way.push(*before);
    }
    way.reverse();
    Some(way)
}

impl TraversalSpec<'_> {
    fn followed_links<'g>(&'g self, graph: &'g Graph, node: NodeId) -> impl Iterator<Item = &'g GraphLink> {
        let links = match self.way {
            LinkDirection::Out => graph.links_from(node),
            LinkDirection::In => graph.links_to(node),
        };
        links.iter().filter(|link| self.kinds.contains(&link.kind) && link.confidence.get() >= self.floor)
    }
}

/// For ordering: confidences that differ only by rounding are equal.
pub(crate) fn to_hundredths(confidence: Confidence) -> u32 {
    (confidence.get() * 100.0).round() as u32
}

const ROUNDS: usize = 20;
const DAMPING_FACTOR: f64 = 0.85;

/// How much of the project depends on each file: the share of time that a random walk along uses spends there.
pub(crate) fn page_ranks(graph: &Graph) -> Vec<f64> {
    let count = graph.file_nodes().len();
    let mut uses: HashMap<(u32, u32), f64> = HashMap::new();
    for node in graph.file_nodes().chain(graph.symbol_nodes()) {
        let from = node.file_number();
        for link in graph.links_from(node) {
            let to = link.node.file_number();
            // Uses inside of a file say nothing about its rank.
            if to != from {
                *uses.entry((from, to)).or_default() += f64::from(link.confidence.get());
            }
        }
    }
    // Many uses of one file by another say little more than one use.
    let mut uses: Vec<(u32, u32, f64)> = uses.into_iter().map(|((from, to), sum)| (from, to, sum.sqrt())).collect();
    // The map has no order, and sums of floats depend on the order: ranks must be the same in every run.
    uses.sort_by_key(|(from, to, _)| (*from, *to));
    let mut given = vec![0.0; count];
    for (from, _, weight) in &uses {
        given[*from as usize] += weight;
    }
    let mut ranks = vec![1.0 / count.max(1) as f64; count];
    for _ in 0..ROUNDS {
        // Files that use nothing pass their rank to all files, or the total would shrink with every round.
        let idle: f64 = (0..count).filter(|&at| given[at] == 0.0).map(|at| ranks[at]).sum();
        let rest = (1.0 - DAMPING_FACTOR + DAMPING_FACTOR * idle) / count.max(1) as f64;
        let mut next = vec![rest; count];
        for (from, to, weight) in &uses {
            next[*to as usize] += DAMPING_FACTOR * ranks[*from as usize] * weight / given[*from as usize];
        }
        ranks = next;
    }
    ranks
}
