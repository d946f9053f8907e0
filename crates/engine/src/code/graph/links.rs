//! The in-memory adjacency lists of one file of the graph, by the symbol that edges start at or lead to, and the
//! resolver that turns the stored ends of edges (path and qualified name) into node ids.

use super::edges::{EdgeEndpoint, FileEdge, ResolvedEdges};
use super::worktree_graph::{GraphFile, GraphLink, NodeId};
use crate::base::image::SharedList;
use model::{Confidence, EdgeKind};
use search::{ByteReader, ByteWriter, DamagedBytes};
use std::collections::HashMap;
use std::sync::OnceLock;

/// Links of the file itself, then of each of its symbols. Those of a graph that lies in a mapped image are decoded when a
/// question first asks for the file.
#[derive(Default)]
pub(super) struct LinkLists {
    record: SharedList<u8>,
    decoded: OnceLock<DecodedLinks>,
}

#[derive(Default)]
struct DecodedLinks {
    starts: Vec<u32>,
    links: Vec<GraphLink>,
}

impl LinkLists {
    /// Puts links in order; each comes with the node of this file that it belongs to.
    pub(super) fn new(symbols: u32, mut links: Vec<(NodeId, GraphLink)>) -> Self {
        // Each node has a slice of one list, so links are grouped by node; the rest of the key makes equal graphs
        // equal.
        links.sort_by_key(|(of, link)| (*of, link.kind, link.node, link.line));
        // One row for the file, one for each symbol, and one more for the end of the last row.
        let mut starts = vec![0; symbols as usize + 2];
        for (of, _) in &links {
            starts[row_index(*of) + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        Self::from_decoded(DecodedLinks { starts, links: links.into_iter().map(|(_, link)| link).collect() })
    }

    fn from_decoded(decoded: DecodedLinks) -> Self {
        Self { record: SharedList::default(), decoded: OnceLock::from(decoded) }
    }

    /// Links that are decoded when they are asked for.
    pub(super) fn from_record(record: SharedList<u8>) -> Self {
        Self { record, decoded: OnceLock::new() }
    }

    /// As bytes of an image.
    pub(super) fn encode(&self) -> Vec<u8> {
        let DecodedLinks { starts, links } = self.decoded();
        let mut writer = ByteWriter::default();
        writer.write_list(starts, |writer, start| writer.write_number(*start));
        writer.write_list(links, |writer, link| {
            let place = if let NodeId::Symbol(_, place) = link.node { Some(place) } else { None };
            writer.write_number(link.node.file_number());
            writer.write_optional(place);
            writer.write_number(link.kind as u32);
            writer.write_number(link.line);
            writer.write_bytes(&link.confidence.get().to_le_bytes());
        });
        writer.into_bytes()
    }

    fn decoded(&self) -> &DecodedLinks {
        // Pages of an image are checked before a graph is read from it, so bytes that cannot be decoded are none.
        self.decoded.get_or_init(|| DecodedLinks::decode(self.record.all_rows()).unwrap_or_default())
    }

    pub(super) fn links_of(&self, node: NodeId) -> &[GraphLink] {
        let at = row_index(node);
        let DecodedLinks { starts, links } = self.decoded();
        match (starts.get(at), starts.get(at + 1)) {
            (Some(&start), Some(&end)) => &links[start as usize..end as usize],
            _ => &[],
        }
    }

    /// Every link with the node of `file` that it belongs to.
    pub(super) fn all_links(&self, file: u32) -> impl Iterator<Item = (NodeId, GraphLink)> + '_ {
        (0..self.decoded().starts.len().saturating_sub(1) as u32).flat_map(move |row| {
            let node = row.checked_sub(1).map_or(NodeId::File(file), |place| NodeId::Symbol(file, place));
            self.links_of(node).iter().map(move |link| (node, *link))
        })
    }

    /// The files at the other ends, some of them more than once.
    pub(super) fn linked_files(&self) -> impl Iterator<Item = u32> + '_ {
        self.decoded().links.iter().map(|link| link.node.file_number())
    }

    /// The same links after files got other numbers; links to removed files are dropped.
    pub(super) fn renumber_files(&self, numbers: &[Option<u32>]) -> Self {
        let old = self.decoded();
        let mut starts = Vec::with_capacity(old.starts.len());
        let mut links = Vec::with_capacity(old.links.len());
        starts.extend(old.starts.first());
        for range in old.starts.windows(2) {
            links.extend(old.links[range[0] as usize..range[1] as usize].iter().filter_map(|link| {
                let file = numbers[link.node.file_number() as usize]?;
                Some(GraphLink { node: link.node.in_file(file), ..*link })
            }));
            starts.push(links.len() as u32);
        }
        Self::from_decoded(DecodedLinks { starts, links })
    }
}

impl DecodedLinks {
    fn decode(bytes: &[u8]) -> Result<Self, DamagedBytes> {
        if bytes.is_empty() {
            return Ok(Self::default());
        }
        let mut reader = ByteReader::new(bytes);
        let starts = reader.read_list(ByteReader::read_number)?;
        let links = reader.read_list(|reader| {
            let file = reader.read_number()?;
            let node = reader.read_optional()?.map_or(NodeId::File(file), |place| NodeId::Symbol(file, place));
            let kind = LINK_KINDS[reader.read_index(LINK_KINDS.len())? as usize];
            let line = reader.read_number()?;
            let confidence = reader.read_bytes(4)?.first_chunk().ok_or(DamagedBytes)?;
            Ok(GraphLink { node, kind, line, confidence: Confidence::new(f32::from_le_bytes(*confidence)) })
        })?;
        let is_whole = starts.is_sorted() && starts.last().is_none_or(|end| *end as usize == links.len());
        reader.finish(()).and(if is_whole { Ok(Self { starts, links }) } else { Err(DamagedBytes) })
    }
}

/// The kinds of edges, in the order of their numbers.
const LINK_KINDS: [EdgeKind; 9] = [
    EdgeKind::Contains,
    EdgeKind::Defines,
    EdgeKind::Imports,
    EdgeKind::Extends,
    EdgeKind::Implements,
    EdgeKind::Calls,
    EdgeKind::References,
    EdgeKind::DependsOn,
    EdgeKind::RelatesTo,
];

fn row_index(node: NodeId) -> usize {
    match node {
        NodeId::File(_) => 0,
        NodeId::Symbol(_, place) => place as usize + 1,
    }
}

/// Finds the nodes that edges lead to.
pub(super) struct EndpointResolver<'g> {
    files: &'g [GraphFile],
    /// Made only where many paths are looked up.
    by_path: Option<HashMap<&'g str, u32>>,
}

impl<'g> EndpointResolver<'g> {
    /// For a few files: paths are searched for.
    pub(super) fn of_few(files: &'g [GraphFile]) -> Self {
        Self { files, by_path: None }
    }

    /// For all files.
    pub(super) fn of_all(files: &'g [GraphFile]) -> Self {
        Self { files, by_path: Some(files.iter().map(|file| file.outline.path.as_str()).zip(0..).collect()) }
    }

    pub(super) fn find_node(&self, end: &EdgeEndpoint) -> Option<NodeId> {
        let file = match &self.by_path {
            Some(by_path) => *by_path.get(end.path.as_str())?,
            // Files are sorted: for a few lookups a binary search costs less than a map of all paths.
            None => file_position(self.files, &end.path).ok()? as u32,
        };
        match &end.qualified_name {
            Some(qualified_name) => self.files[file as usize]
                .outline
                .with_qualified_name(qualified_name)
                .map(|place| NodeId::Symbol(file, place)),
            None => Some(NodeId::File(file)),
        }
    }

    /// The edges of a file as links, each with the node it starts at. An edge whose end is gone waits for its file to
    /// be resolved again, and an edge of another state of the file may start where no symbol is.
    pub(super) fn file_links(&self, file: u32) -> Vec<(NodeId, GraphLink)> {
        let own = &self.files[file as usize];
        let Some(ResolvedEdges { edges, .. }) = ResolvedEdges::decode(own.edges.all_rows()) else { return Vec::new() };
        let link = |edge: FileEdge| {
            let from = start_node(own, file, edge.from)?;
            let node = self.find_node(&edge.to)?;
            let line = edge.lines.first().copied().unwrap_or_default();
            Some((from, GraphLink { node, kind: edge.kind, line, confidence: edge.confidence }))
        };
        edges.into_iter().filter_map(link).collect()
    }
}

fn start_node(own: &GraphFile, file: u32, from: Option<u32>) -> Option<NodeId> {
    match from {
        Some(place) => (place < own.outline.len()).then_some(NodeId::Symbol(file, place)),
        None => Some(NodeId::File(file)),
    }
}

/// The position of a path among sorted files, or the position where it would be inserted.
pub(super) fn file_position(files: &[GraphFile], path: &str) -> Result<usize, usize> {
    files.binary_search_by(|file| file.outline.path.as_str().cmp(path))
}
