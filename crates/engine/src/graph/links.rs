//! Edges of a graph by the node they start at, and the ends they are linked to.

use super::edges::Endpoint;
use super::loaded::{Graph, Link, NodeId};
use std::collections::HashMap;

/// Nodes by path and chain, while edges are linked.
pub(super) struct Ends<'a> {
    files: HashMap<&'a str, NodeId>,
    symbols: HashMap<(u32, &'a str), NodeId>,
}

impl<'a> Ends<'a> {
    pub(super) fn new(graph: &'a Graph) -> Self {
        let files = graph.files().map(|node| (graph.path(node), node)).collect();
        let symbols = graph.symbols().map(|node| ((graph.file_of(node).0, graph.chain(node)), node)).collect();
        Self { files, symbols }
    }

    pub(super) fn find(&self, end: &Endpoint) -> Option<NodeId> {
        let file = *self.files.get(end.path.as_str())?;
        match &end.chain {
            Some(chain) => self.symbols.get(&(file.0, chain.as_str())).copied(),
            None => Some(file),
        }
    }
}

/// Edges by the node they start at.
#[derive(Default)]
pub(super) struct Lists {
    starts: Vec<u32>,
    links: Vec<Link>,
}

impl Lists {
    pub(super) fn new(nodes: usize, mut links: Vec<(NodeId, Link)>) -> Self {
        links.sort_by_key(|(from, link)| (*from, link.kind, link.node, link.line));
        let mut starts = vec![0; nodes + 1];
        for (from, _) in &links {
            starts[from.0 as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        Self { starts, links: links.into_iter().map(|(_, link)| link).collect() }
    }

    pub(super) fn of(&self, node: NodeId) -> &[Link] {
        let at = node.0 as usize;
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(&start), Some(&end)) => &self.links[start as usize..end as usize],
            _ => &[],
        }
    }
}
