//! The graph of one worktree in memory: files and symbols as numbered nodes, edges both ways.
//!
//! Built once from what the store keeps and shared by everyone who asks; after that a question is a walk over a few
//! lists. Texts lie in one string, nodes in one list: a project of ten thousand files is built in the time of a blink.

use super::edges::FileEdges;
use super::links::{Ends, Lists};
use model::{Confidence, EdgeKind, Handle, LineRange, SymbolId, SymbolKind};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;
use store::Redirect;

/// A symbol that moved oftener than this is another one.
const LONGEST_WAY: usize = 32;

/// A node: files first, in the order of their paths, then the symbols of each, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(pub(crate) u32);

/// What a graph is built from: one file with its symbols and edges.
pub(crate) struct GraphFile {
    pub(crate) path: String,
    pub(crate) language: Option<String>,
    pub(crate) lines: u32,
    pub(crate) symbols: Vec<GraphSymbol>,
    pub(crate) edges: FileEdges,
}

/// One symbol of such a file.
pub(crate) struct GraphSymbol {
    pub(crate) name: String,
    pub(crate) chain: String,
    pub(crate) kind: SymbolKind,
    /// By its number in the file.
    pub(crate) container: Option<u32>,
    pub(crate) lines: LineRange,
    pub(crate) name_line: u32,
}

/// The other end of an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Link {
    pub(crate) node: NodeId,
    pub(crate) kind: EdgeKind,
    /// Where the text says so, in the file of the edge's start.
    pub(crate) line: u32,
    pub(crate) confidence: Confidence,
}

/// A use of a name that could be several symbols.
pub(crate) struct Doubt {
    pub(crate) from: NodeId,
    pub(crate) kind: EdgeKind,
    pub(crate) name: String,
    pub(crate) line: u32,
    pub(crate) candidates: Vec<NodeId>,
}

pub(crate) struct Graph {
    text: String,
    files: Vec<File>,
    symbols: Vec<Symbol>,
    out: Lists,
    into: Lists,
    pub(crate) doubts: Vec<Doubt>,
    by_name: OnceLock<Vec<u32>>,
    by_handle: OnceLock<Vec<(Handle, NodeId)>>,
    /// Ids that symbols had before they were renamed or moved.
    moved: HashMap<SymbolId, NodeId>,
}

struct File {
    path: Text,
    language: Option<Text>,
    lines: u32,
    symbols: Range<u32>,
}

struct Symbol {
    file: u32,
    name: Text,
    chain: Text,
    kind: SymbolKind,
    container: Option<NodeId>,
    lines: LineRange,
    name_line: u32,
}

/// A stretch of the one string.
#[derive(Clone, Copy)]
struct Text {
    start: u32,
    end: u32,
}

impl Graph {
    /// Puts a graph together; files come ordered by path.
    pub(crate) fn new(files: Vec<GraphFile>) -> Self {
        let mut texts = Texts::default();
        let first_symbol = files.len() as u32;
        let (mut nodes, mut symbols) = (Vec::with_capacity(files.len()), Vec::new());
        for (at, file) in files.iter().enumerate() {
            let first = first_symbol + symbols.len() as u32;
            for symbol in &file.symbols {
                symbols.push(Symbol {
                    file: at as u32,
                    name: texts.add(&symbol.name),
                    chain: texts.add(&symbol.chain),
                    kind: symbol.kind,
                    container: symbol.container.map(|container| NodeId(first + container)),
                    lines: symbol.lines,
                    name_line: symbol.name_line,
                });
            }
            nodes.push(File {
                path: texts.add(&file.path),
                language: file.language.as_deref().map(|language| texts.add(language)),
                lines: file.lines,
                symbols: first..first_symbol + symbols.len() as u32,
            });
        }
        let mut graph = Self {
            text: texts.text,
            files: nodes,
            symbols,
            out: Lists::default(),
            into: Lists::default(),
            doubts: Vec::new(),
            by_name: OnceLock::new(),
            by_handle: OnceLock::new(),
            moved: HashMap::new(),
        };
        graph.link(files);
        graph
    }

    fn link(&mut self, files: Vec<GraphFile>) {
        let ends = Ends::new(self);
        let (mut links, mut doubts) = (Vec::new(), Vec::new());
        for (at, file) in files.into_iter().enumerate() {
            let start = |from: Option<u32>| match from {
                Some(symbol) => NodeId(self.files[at].symbols.start + symbol),
                None => NodeId(at as u32),
            };
            for edge in &file.edges.edges {
                // An edge whose end is gone waits for its file to be resolved again.
                let Some(to) = ends.find(&edge.to) else { continue };
                let link = Link { node: to, kind: edge.kind, line: edge.line, confidence: edge.confidence };
                links.push((start(edge.from), link));
            }
            for unsure in file.edges.unresolved {
                let candidates = unsure.candidates.iter().filter_map(|end| ends.find(end)).collect();
                let (from, kind) = (start(unsure.from), unsure.kind);
                doubts.push(Doubt { from, kind, name: unsure.name, line: unsure.line, candidates });
            }
        }
        let count = self.files.len() + self.symbols.len();
        let back = links.iter().map(|&(from, link)| (link.node, Link { node: from, ..link })).collect();
        self.out = Lists::new(count, links);
        self.into = Lists::new(count, back);
        self.doubts = doubts;
    }

    /// Lets ids that are gone lead to where their symbols went. An id that a symbol has now is nobody else's.
    pub(crate) fn redirected(mut self, redirects: &[Redirect]) -> Self {
        let next: HashMap<&SymbolId, &SymbolId> =
            redirects.iter().map(|redirect| (&redirect.from, &redirect.to)).collect();
        for Redirect { from, to } in redirects {
            if self.symbol_node(from).is_some() {
                continue;
            }
            let mut ways = std::iter::successors(Some(to), |id| next.get(id).copied()).take(LONGEST_WAY);
            if let Some(node) = ways.find_map(|id| self.symbol_node(id)) {
                self.moved.insert(from.clone(), node);
            }
        }
        self
    }

    /// Every file, in the order of their paths.
    pub(crate) fn files(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        (0..self.files.len() as u32).map(NodeId)
    }

    /// Every symbol, file by file.
    pub(crate) fn symbols(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        (self.files.len() as u32..(self.files.len() + self.symbols.len()) as u32).map(NodeId)
    }

    /// The symbols of a file, in its order.
    pub(crate) fn symbols_of(&self, file: NodeId) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        self.files[file.0 as usize].symbols.clone().map(NodeId)
    }

    /// Everything that stands in a node directly.
    pub(crate) fn members(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let container = self.symbol(node).map(|_| node);
        self.symbols_of(self.file_of(node)).filter(move |&member| self.container(member) == container)
    }

    /// Edges that start at a node.
    pub(crate) fn out(&self, node: NodeId) -> &[Link] {
        self.out.of(node)
    }

    /// Edges that lead to a node, seen from it.
    pub(crate) fn into(&self, node: NodeId) -> &[Link] {
        self.into.of(node)
    }

    /// The file a node is or stands in.
    pub(crate) fn file_of(&self, node: NodeId) -> NodeId {
        self.symbol(node).map_or(node, |symbol| NodeId(symbol.file))
    }

    pub(crate) fn is_file(&self, node: NodeId) -> bool {
        (node.0 as usize) < self.files.len()
    }

    pub(crate) fn path(&self, node: NodeId) -> &str {
        self.read(self.files[self.file_of(node).0 as usize].path)
    }

    pub(crate) fn language(&self, node: NodeId) -> Option<&str> {
        self.files[self.file_of(node).0 as usize].language.map(|language| self.read(language))
    }

    /// A symbol's name; of a file the last part of its path.
    pub(crate) fn name(&self, node: NodeId) -> &str {
        match self.symbol(node) {
            Some(symbol) => self.read(symbol.name),
            None => self.path(node).rsplit('/').next().unwrap_or_default(),
        }
    }

    /// A symbol's chain; empty for a file.
    pub(crate) fn chain(&self, node: NodeId) -> &str {
        self.symbol(node).map_or("", |symbol| self.read(symbol.chain))
    }

    /// A symbol's kind; none for a file.
    pub(crate) fn kind(&self, node: NodeId) -> Option<SymbolKind> {
        self.symbol(node).map(|symbol| symbol.kind)
    }

    /// A symbol's lines; of a file all of them.
    pub(crate) fn lines(&self, node: NodeId) -> LineRange {
        let whole = || LineRange { start: 1, end: self.files[node.0 as usize].lines.max(1) };
        self.symbol(node).map_or_else(whole, |symbol| symbol.lines)
    }

    /// The line of a symbol's name; the first one of a file.
    pub(crate) fn name_line(&self, node: NodeId) -> u32 {
        self.symbol(node).map_or(1, |symbol| symbol.name_line)
    }

    pub(crate) fn container(&self, node: NodeId) -> Option<NodeId> {
        self.symbol(node).and_then(|symbol| symbol.container)
    }

    /// A symbol's number in its file.
    pub(crate) fn ordinal(&self, node: NodeId) -> Option<u32> {
        self.symbol(node).map(|symbol| node.0 - self.files[symbol.file as usize].symbols.start)
    }

    /// A symbol's id; of a file its path.
    pub(crate) fn id(&self, node: NodeId) -> String {
        match self.symbol_id(node) {
            Some(id) => id.to_string(),
            None => self.path(node).to_owned(),
        }
    }

    pub(crate) fn symbol_id(&self, node: NodeId) -> Option<SymbolId> {
        self.symbol(node).map(|symbol| SymbolId::new(self.path(node), self.read(symbol.chain)))
    }

    /// The file of a path.
    pub(crate) fn file(&self, path: &str) -> Option<NodeId> {
        let found = self.files.binary_search_by(|file| self.read(file.path).cmp(path)).ok()?;
        Some(NodeId(found as u32))
    }

    /// The symbol of an id.
    pub(crate) fn symbol_node(&self, id: &SymbolId) -> Option<NodeId> {
        let file = self.file(&id.path())?;
        self.symbols_of(file).find(|&node| self.chain(node) == id.chain())
    }

    /// Where the symbol that once had an id is now.
    pub(crate) fn moved(&self, id: &SymbolId) -> Option<NodeId> {
        self.moved.get(id).copied()
    }

    /// Where the symbol that once had a handle is now, with the id it had.
    pub(crate) fn moved_by_handle(&self, handle: Handle) -> Option<(&SymbolId, NodeId)> {
        let mut found = self.moved.iter().filter(|(id, _)| Handle::of(id) == handle);
        // Two of them cannot be told apart, and none is better than the wrong one.
        found.next().filter(|_| found.next().is_none()).map(|(id, node)| (id, *node))
    }

    /// The symbols with a name, in order.
    pub(crate) fn named(&self, name: &str) -> impl Iterator<Item = NodeId> + '_ {
        let by_name = self.by_name();
        let read = |at: &u32| self.read(self.symbols[*at as usize].name);
        let start = by_name.partition_point(|at| read(at) < name);
        let end = start + by_name[start..].partition_point(|at| read(at) == name);
        by_name[start..end].iter().map(|at| NodeId(self.files.len() as u32 + at))
    }

    /// Every symbol, ordered by name.
    pub(crate) fn in_order_of_names(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.by_name().iter().map(|at| NodeId(self.files.len() as u32 + at))
    }

    /// The symbols with a handle: almost always one.
    pub(crate) fn with_handle(&self, handle: Handle) -> impl Iterator<Item = NodeId> + '_ {
        let by_handle = self.by_handle.get_or_init(|| {
            let handle = |node| self.symbol_id(node).map(|id| (Handle::of(&id), node));
            let mut all: Vec<_> = self.symbols().filter_map(handle).collect();
            all.sort_unstable();
            all
        });
        let start = by_handle.partition_point(|(other, _)| *other < handle);
        by_handle[start..].iter().take_while(move |(other, _)| *other == handle).map(|(_, node)| *node)
    }

    fn by_name(&self) -> &[u32] {
        self.by_name.get_or_init(|| {
            let mut order: Vec<u32> = (0..self.symbols.len() as u32).collect();
            order.sort_by_key(|at| self.read(self.symbols[*at as usize].name));
            order
        })
    }

    fn symbol(&self, node: NodeId) -> Option<&Symbol> {
        self.symbols.get((node.0 as usize).checked_sub(self.files.len())?)
    }

    fn read(&self, text: Text) -> &str {
        &self.text[text.start as usize..text.end as usize]
    }
}

/// One string that holds all others.
#[derive(Default)]
struct Texts {
    text: String,
}

impl Texts {
    fn add(&mut self, text: &str) -> Text {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        Text { start, end: self.text.len() as u32 }
    }
}
