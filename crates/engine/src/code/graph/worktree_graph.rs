//! The in-memory code graph of one worktree: files and symbols as numbered nodes, edges in both directions, and lookups
//! by path, id, name and handle.
//!
//! All questions share a graph, and a question is a walk over a few lists. A graph never changes: after a change of
//! some files the next graph is made from it (`renewal.rs`) and shares the parts that are the same.

use super::edges::ResolvedEdges;
use super::graph_names::GraphNames;
use super::links::{EndpointResolver, LinkLists, file_position};
use super::outline::GraphOutline;
use crate::base::image::SharedList;
use model::{Confidence, EdgeKind, LineRange, SymbolHandle, SymbolId, SymbolKind};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use store::Redirect;

/// A symbol that moved more often than this counts as another one.
const LONGEST_WAY: usize = 32;

/// A node: files first, in the order of their paths, then the symbols of each, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum NodeId {
    /// By the number of the file.
    File(u32),
    /// By the number of its file and its number in that file.
    Symbol(u32, u32),
}

impl NodeId {
    /// The number of the node's file.
    pub(crate) fn file_number(self) -> u32 {
        let (Self::File(file) | Self::Symbol(file, _)) = self;
        file
    }

    pub(crate) fn is_file(self) -> bool {
        matches!(self, Self::File(_))
    }

    /// The same node of a file with another number.
    pub(super) fn in_file(self, file: u32) -> Self {
        match self {
            Self::File(_) => Self::File(file),
            Self::Symbol(_, place) => Self::Symbol(file, place),
        }
    }
}

/// The other end of an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GraphLink {
    pub(crate) node: NodeId,
    pub(crate) kind: EdgeKind,
    /// The first line of such a use, in the file where the edge starts; `edge_lines.rs` has the others.
    pub(crate) line: u32,
    pub(crate) confidence: Confidence,
}

/// A use of a name that could be several symbols.
pub(crate) struct AmbiguousUse {
    pub(crate) name: String,
    pub(crate) line: u32,
    pub(crate) candidates: Vec<NodeId>,
}

/// Ids that symbols had before they were renamed or moved, each with the next one.
pub(super) type MovedIds = Arc<HashMap<SymbolId, SymbolId>>;

pub(crate) struct Graph {
    /// In the order of their paths.
    pub(super) files: Vec<GraphFile>,
    pub(super) moved: MovedIds,
    /// Where symbols are by their names, for the files that lie in an image.
    pub(super) names: Option<GraphNames>,
}

/// One file; graphs share the parts that are the same.
#[derive(Clone)]
pub(super) struct GraphFile {
    pub(super) outline: Arc<GraphOutline>,
    /// Its edges, as the store keeps them.
    pub(super) edges: SharedList<u8>,
    pub(super) out: Arc<LinkLists>,
    pub(super) into: Arc<LinkLists>,
    /// Its number in the image that the graph began with, as long as its symbols are those of the image.
    pub(super) image_number: Option<u32>,
}

impl GraphFile {
    /// A file that is not linked yet.
    pub(super) fn new(outline: GraphOutline, edges: &[u8]) -> Self {
        let out = Arc::default();
        let into = Arc::default();
        Self { outline: Arc::new(outline), edges: edges.to_vec().into(), out, into, image_number: None }
    }
}

impl Graph {
    /// Puts a graph together from files, ordered by path, each with its edges.
    pub(crate) fn new(files: Vec<(GraphOutline, Vec<u8>)>, redirects: &[Redirect]) -> Self {
        let mut files: Vec<GraphFile> =
            files.into_iter().map(|(outline, edges)| GraphFile::new(outline, &edges)).collect();
        let ends = EndpointResolver::of_all(&files);
        let links: Vec<Vec<(NodeId, GraphLink)>> =
            (0..files.len() as u32).into_par_iter().map(|at| ends.file_links(at)).collect();
        let mut into: Vec<Vec<(NodeId, GraphLink)>> = files.iter().map(|_| Vec::new()).collect();
        for &(from, link) in links.iter().flatten() {
            // Each edge is listed at both of its ends, so that callers are found as fast as callees.
            into[link.node.file_number() as usize].push((link.node, GraphLink { node: from, ..link }));
        }
        for ((file, links), into) in files.iter_mut().zip(links).zip(into) {
            file.out = Arc::new(LinkLists::new(file.outline.len(), links));
            file.into = Arc::new(LinkLists::new(file.outline.len(), into));
        }
        Self { files, moved: Arc::new(next_ids(redirects)), names: None }
    }

    /// Every file, in the order of their paths.
    pub(crate) fn file_nodes(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        (0..self.files.len() as u32).map(NodeId::File)
    }

    /// Every symbol, file by file.
    pub(crate) fn symbol_nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.file_nodes().flat_map(|file| self.symbols_of(file))
    }

    /// Files that could not be parsed in places, with those lines.
    pub(crate) fn unparsed_files(&self) -> impl Iterator<Item = (&str, &[LineRange])> {
        let files = self.files.iter().map(|file| (file.outline.path.as_str(), file.outline.unparsed()));
        files.filter(|(_, unparsed)| !unparsed.is_empty())
    }

    /// The symbols of a node's file, in its order.
    pub(crate) fn symbols_of(&self, node: NodeId) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        let file = node.file_number();
        (0..self.files[file as usize].outline.len()).map(move |place| NodeId::Symbol(file, place))
    }

    /// Every symbol directly inside of a node.
    pub(crate) fn member_nodes(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let container = (!node.is_file()).then_some(node);
        self.symbols_of(node).filter(move |&member| self.container(member) == container)
    }

    /// Edges that start at a node.
    pub(crate) fn links_from(&self, node: NodeId) -> &[GraphLink] {
        self.files[node.file_number() as usize].out.links_of(node)
    }

    /// Edges that lead to a node, seen from it.
    pub(crate) fn links_to(&self, node: NodeId) -> &[GraphLink] {
        self.files[node.file_number() as usize].into.links_of(node)
    }

    /// The uses in a node that could not be resolved to one symbol.
    pub(crate) fn ambiguous_uses(&self, node: NodeId) -> Vec<AmbiguousUse> {
        // Decoded when asked for: only the relations of single symbols show them.
        let edges = ResolvedEdges::decode(self.files[node.file_number() as usize].edges.all_rows()).unwrap_or_default();
        let from = if let NodeId::Symbol(_, place) = node { Some(place) } else { None };
        let ends = EndpointResolver::of_few(&self.files);
        let own = edges.unresolved.into_iter().filter(|unsure| unsure.from == from);
        own.map(|unsure| {
            let candidates = unsure.candidates.iter().filter_map(|end| ends.find_node(end)).collect();
            AmbiguousUse { name: unsure.name, line: unsure.line, candidates }
        })
        .collect()
    }

    pub(crate) fn path(&self, node: NodeId) -> &str {
        &self.outline_of(node).path
    }

    pub(crate) fn language(&self, node: NodeId) -> Option<&str> {
        self.outline_of(node).language.as_deref()
    }

    /// A symbol's name; of a file the last part of its path.
    pub(crate) fn name(&self, node: NodeId) -> &str {
        match node {
            NodeId::Symbol(_, place) => self.outline_of(node).name(place),
            NodeId::File(_) => self.path(node).rsplit('/').next().unwrap_or_default(),
        }
    }

    /// A symbol's qualified name; empty for a file.
    pub(crate) fn qualified_name(&self, node: NodeId) -> &str {
        self.of_symbol(node, GraphOutline::qualified_name).unwrap_or_default()
    }

    /// A symbol's kind; none for a file.
    pub(crate) fn kind(&self, node: NodeId) -> Option<SymbolKind> {
        self.of_symbol(node, GraphOutline::kind)
    }

    /// A symbol's lines; of a file all of them.
    pub(crate) fn lines(&self, node: NodeId) -> LineRange {
        let whole = || LineRange { start: 1, end: self.outline_of(node).lines.max(1) };
        self.of_symbol(node, GraphOutline::lines_of).unwrap_or_else(whole)
    }

    /// The line of a symbol's name; the first one of a file.
    pub(crate) fn name_line(&self, node: NodeId) -> u32 {
        self.of_symbol(node, GraphOutline::name_line).unwrap_or(1)
    }

    pub(crate) fn container(&self, node: NodeId) -> Option<NodeId> {
        let container = self.of_symbol(node, GraphOutline::container).flatten();
        container.map(|place| NodeId::Symbol(node.file_number(), place))
    }

    /// A symbol's id; of a file its path.
    pub(crate) fn id(&self, node: NodeId) -> String {
        match self.symbol_id(node) {
            Some(id) => id.to_string(),
            None => self.path(node).to_owned(),
        }
    }

    pub(crate) fn symbol_id(&self, node: NodeId) -> Option<SymbolId> {
        self.of_symbol(node, GraphOutline::id)
    }

    /// The file of a path.
    pub(crate) fn find_file(&self, path: &str) -> Option<NodeId> {
        file_position(&self.files, path).ok().map(|at| NodeId::File(at as u32))
    }

    /// The symbol of an id.
    pub(crate) fn symbol_node(&self, id: &SymbolId) -> Option<NodeId> {
        let file = self.find_file(&id.file_path())?;
        self.outline_of(file)
            .with_qualified_name(id.qualified_name())
            .map(|place| NodeId::Symbol(file.file_number(), place))
    }

    /// The present node of the symbol that once had an id. An id that a symbol has now is never redirected.
    pub(crate) fn find_moved(&self, id: &SymbolId) -> Option<NodeId> {
        if self.symbol_node(id).is_some() {
            return None;
        }
        // Renaming `a` to `b` and back leaves a ring of redirects, so the number of steps is limited.
        let ways = std::iter::successors(self.moved.get(id), |id| self.moved.get(id));
        ways.take(LONGEST_WAY).find_map(|id| self.symbol_node(id))
    }

    /// The present node of the symbol that once had a handle, with the id it had.
    pub(crate) fn moved_by_handle(&self, handle: SymbolHandle) -> Option<(&SymbolId, NodeId)> {
        let ids = self.moved.keys().filter(|id| SymbolHandle::from_symbol(id) == handle);
        let mut found = ids.filter_map(|id| Some((id, self.find_moved(id)?)));
        // Two symbols that once had this handle cannot be distinguished, and no answer is better than a wrong one.
        found.next().filter(|_| found.next().is_none())
    }

    /// The symbols with a name, in order.
    pub(crate) fn symbols_named(&self, name: &str) -> impl Iterator<Item = NodeId> {
        let mut nodes = self.names.as_ref().map_or_else(Vec::new, |names| names.nodes_named(name));
        for (file, at) in self.files.iter().zip(0..).filter(|(file, _)| file.image_number.is_none()) {
            nodes.extend(file.outline.symbols_named(name).iter().map(|place| NodeId::Symbol(at, *place)));
        }
        nodes.sort_unstable();
        nodes.into_iter()
    }

    /// The symbols whose names fit, in order. Only files with such a symbol are decoded, where the graph has an image.
    pub(crate) fn symbols_with_name(&self, fits: impl Fn(&str) -> bool) -> Vec<NodeId> {
        let mut nodes = self.names.as_ref().map_or_else(Vec::new, |names| names.nodes_with_name(&fits));
        let others = self.file_nodes().filter(|file| self.files[file.file_number() as usize].image_number.is_none());
        nodes.extend(others.flat_map(|file| self.symbols_of(file)).filter(|node| fits(self.name(*node))));
        nodes.sort_unstable();
        nodes
    }

    /// The symbols with a handle: almost always one.
    pub(crate) fn with_handle(&self, handle: SymbolHandle) -> impl Iterator<Item = NodeId> + '_ {
        let of = move |(file, at)| GraphFile::with_handle(file, at, handle);
        self.files.iter().zip(0..).flat_map(of)
    }

    fn outline_of(&self, node: NodeId) -> &GraphOutline {
        &self.files[node.file_number() as usize].outline
    }

    fn of_symbol<'g, T>(&'g self, node: NodeId, read: impl FnOnce(&'g GraphOutline, u32) -> T) -> Option<T> {
        if let NodeId::Symbol(_, place) = node { Some(read(self.outline_of(node), place)) } else { None }
    }
}

impl GraphFile {
    fn with_handle(&self, at: u32, handle: SymbolHandle) -> impl Iterator<Item = NodeId> + '_ {
        self.outline.with_handle(handle).map(move |place| NodeId::Symbol(at, place))
    }
}

/// Ids that are gone, each with the next id of its symbol.
pub(super) fn next_ids(redirects: &[Redirect]) -> HashMap<SymbolId, SymbolId> {
    redirects.iter().map(|Redirect { from, to }| (from.clone(), to.clone())).collect()
}
