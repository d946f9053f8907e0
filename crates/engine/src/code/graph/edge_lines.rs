//! All lines of an edge. The graph keeps the first line of each edge; the others are decoded from the stored edges of
//! a file when a reply shows them, because most walks need none.

use super::edges::ResolvedEdges;
use super::worktree_graph::{Graph, NodeId};
use model::EdgeKind;
use std::collections::HashMap;

/// Decoded edges of so many files are kept at once.
const MOST_FILES: usize = 256;

/// Looks up the lines of edges, with the edges of the files that were asked for lately.
pub(crate) struct EdgeLines<'g> {
    graph: &'g Graph,
    decoded: HashMap<u32, ResolvedEdges>,
}

impl<'g> EdgeLines<'g> {
    pub(crate) fn new(graph: &'g Graph) -> Self {
        Self { graph, decoded: HashMap::new() }
    }

    /// The lines of the uses behind an edge, ascending; none where the graph has no such edge.
    pub(crate) fn lines_between(&mut self, from: NodeId, kind: EdgeKind, to: NodeId) -> &[u32] {
        let Self { graph, decoded } = self;
        // An export asks for every file once, and would hold the edges of the whole project.
        if decoded.len() >= MOST_FILES && !decoded.contains_key(&from.file_number()) {
            decoded.clear();
        }
        let bytes = graph.files[from.file_number() as usize].edges.all_rows();
        let edges =
            decoded.entry(from.file_number()).or_insert_with(|| ResolvedEdges::decode(bytes).unwrap_or_default());
        let place = if let NodeId::Symbol(_, place) = from { Some(place) } else { None };
        let name = (!to.is_file()).then(|| graph.qualified_name(to));
        let edge = edges.edges.iter().find(|edge| {
            edge.from == place
                && edge.kind == kind
                && edge.to.qualified_name.as_deref() == name
                && edge.to.path == graph.path(to)
        });
        edge.map(|edge| edge.lines.as_slice()).unwrap_or_default()
    }
}
