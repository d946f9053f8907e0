//! Finds the relations of a symbol or file in the code graph: callers, callees, types, imports, hierarchy, overrides,
//! the requirements and documents that name it, or the shortest path to another symbol.

use super::NamedNode;
use super::documents::{DocumentTable, LinkEnd, QUESTION, is_code, load_documents, place_of};
use super::mentions::{UnlinkedMentions, scan_mentions};
use crate::base::{Error, Project, Result};
use crate::code::CodeContext;
use crate::code::graph::EdgeLines;
use crate::code::graph::Graph;
use crate::code::graph::LinkDirection;
use crate::code::graph::NamedNodes;
use crate::code::graph::NodeId;
use crate::code::graph::ReachedNode;
use crate::code::graph::TraversalSpec;
use crate::code::graph::find_homes;
use crate::code::graph::find_node;
use crate::code::graph::innermost_symbol;
use crate::code::graph::is_written_twice;
use crate::code::graph::traverse_graph;
use crate::code::graph::way_between;
use crate::code::graph_load::load_graph;
use model::{Confidence, EdgeKind, SymbolKind};

/// A relation as people name it, seen from the symbol asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RelationKind {
    /// A requirement or user story that it belongs to.
    Requirement,
    /// Code that belongs to the requirement, or that the document names.
    Code,
    /// A test that belongs to the requirement, or that the document names.
    Test,
    /// Calls it.
    Caller,
    /// It calls.
    Callee,
    /// A type it names.
    Type,
    /// Names it as a type.
    TypeUser,
    /// It imports.
    Import,
    /// Imports it.
    Importer,
    /// Its base, or an interface that it implements.
    Supertype,
    /// Extends or implements it.
    Subtype,
    /// The same member in a subtype.
    Override,
    /// The same member in a supertype.
    Overridden,
    /// Where it is defined.
    Definition,
    /// Where it is only declared.
    Declaration,
    /// Is contained in it.
    Member,
    /// Contains it.
    Container,
    /// A document, or a section of one, that names it.
    Document,
}

model::enum_words! {
    pub RelationKind {
        Requirement = "requirement",
        Code = "code",
        Test = "test",
        Caller = "caller",
        Callee = "callee",
        Type = "type",
        TypeUser = "type_user",
        Import = "import",
        Importer = "importer",
        Supertype = "supertype",
        Subtype = "subtype",
        Override = "override",
        Overridden = "overridden",
        Definition = "definition",
        Declaration = "declaration",
        Member = "member",
        Container = "container",
        Document = "document",
    }
}

impl RelationKind {
    fn from_edge(kind: EdgeKind, way: LinkDirection) -> Self {
        match (kind, way) {
            (EdgeKind::Calls, LinkDirection::In) => Self::Caller,
            (EdgeKind::Calls, LinkDirection::Out) => Self::Callee,
            (EdgeKind::Imports, LinkDirection::In) => Self::Importer,
            (EdgeKind::Imports, LinkDirection::Out) => Self::Import,
            (EdgeKind::Extends | EdgeKind::Implements, LinkDirection::In) => Self::Subtype,
            (EdgeKind::Extends | EdgeKind::Implements, LinkDirection::Out) => Self::Supertype,
            (EdgeKind::Contains | EdgeKind::Defines, LinkDirection::In) => Self::Container,
            (EdgeKind::Contains | EdgeKind::Defines, LinkDirection::Out) => Self::Member,
            (EdgeKind::References | EdgeKind::DependsOn | EdgeKind::RelatesTo, LinkDirection::In) => Self::TypeUser,
            (EdgeKind::References | EdgeKind::DependsOn | EdgeKind::RelatesTo, LinkDirection::Out) => Self::Type,
        }
    }

    /// The edges of a relation and the direction to follow them; `None` for relations that are no edges.
    fn edge_kinds(self) -> Option<(LinkDirection, &'static [EdgeKind])> {
        match self {
            Self::Caller => Some((LinkDirection::In, &[EdgeKind::Calls])),
            Self::Callee => Some((LinkDirection::Out, &[EdgeKind::Calls])),
            Self::Type => Some((LinkDirection::Out, &[EdgeKind::References])),
            Self::TypeUser => Some((LinkDirection::In, &[EdgeKind::References])),
            Self::Import => Some((LinkDirection::Out, &[EdgeKind::Imports])),
            Self::Importer => Some((LinkDirection::In, &[EdgeKind::Imports])),
            Self::Supertype => Some((LinkDirection::Out, HIERARCHY)),
            Self::Subtype => Some((LinkDirection::In, HIERARCHY)),
            Self::Override
            | Self::Overridden
            | Self::Definition
            | Self::Declaration
            | Self::Member
            | Self::Container
            | Self::Requirement
            | Self::Code
            | Self::Test
            | Self::Document => None,
        }
    }
}

const HIERARCHY: &[EdgeKind] = &[EdgeKind::Extends, EdgeKind::Implements];
const ALL_EDGE_KINDS: &[EdgeKind] =
    &[EdgeKind::Calls, EdgeKind::Imports, EdgeKind::Extends, EdgeKind::Implements, EdgeKind::References];

/// Which way to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RelationDirection {
    /// What uses it.
    In,
    /// What it uses.
    Out,
    /// Both.
    #[default]
    Both,
}

/// What to ask.
#[derive(Clone, Debug)]
pub struct RelationsRequest {
    /// The symbol or file: id, handle, path, place or unique name.
    pub symbol: String,
    /// Only these relations; empty for all.
    pub only: Vec<RelationKind>,
    /// Which way.
    pub direction: RelationDirection,
    /// How many edges away.
    pub depth: u32,
    /// Less sure relations are left out.
    pub min_confidence: f32,
    /// How many at most.
    pub limit: usize,
    /// How many symbols of one name are answered for at most.
    pub matches: usize,
    /// How many mentions that are not linked are listed at most.
    pub mentions: usize,
    /// Ask for the shortest way to this symbol instead.
    pub to: Option<String>,
}

/// A related symbol or file.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphNeighbour {
    /// The relation, seen from the node before it on the path.
    pub relation: RelationKind,
    /// What.
    pub named: NamedNode,
    /// The first line of such a use, in the file that uses the other one.
    pub line: u32,
    /// All lines of such uses, ascending; empty unless relations were asked for.
    pub lines: Vec<u32>,
    /// The edge behind it.
    pub(crate) edge: Option<(NodeId, EdgeKind, NodeId)>,
    /// How sure it is.
    pub confidence: Confidence,
    /// How many edges away.
    pub distance: u32,
    /// The node before it on the path, where that is not the symbol asked about.
    pub through: Option<String>,
}

/// A use inside of the symbol that may refer to several symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AmbiguousReference {
    /// The name used.
    pub name: String,
    /// Where.
    pub line: u32,
    /// The symbols that it may refer to.
    pub candidates: Vec<String>,
}

/// The relations of a symbol.
#[derive(Clone, Debug)]
pub struct SymbolRelations {
    /// The symbol asked about.
    pub symbol: NamedNode,
    /// Nearest first, then by relation, then surest first; or the path, in its order.
    pub neighbours: Vec<GraphNeighbour>,
    /// How many more there are.
    pub omitted: usize,
    /// How many are left out because they are less sure than asked for.
    pub less_sure: usize,
    /// Lines that mention the name and are linked to nothing; `None` where only what the symbol uses was asked for.
    pub unlinked: Option<UnlinkedMentions>,
    /// Uses that could not be resolved to one symbol.
    pub unsure: Vec<AmbiguousReference>,
    /// The same for each other symbol of the name asked for, where nothing says which is meant.
    pub others: Vec<SymbolRelations>,
    /// How many more symbols have the name.
    pub more: usize,
    /// What somebody linked to it; the code alone knows nothing of that.
    pub linked: Vec<StatedLink>,
}

/// A link that somebody made, seen from one of its ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedLink {
    /// Its id.
    pub link: String,
    /// Whether it starts here.
    pub is_out: bool,
    /// How the two are related.
    pub relationship: EdgeKind,
    /// How sure that is, in hundredths.
    pub weight: u32,
    /// The id of the other end.
    pub end: String,
    /// The type of that end, as a word.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
}

/// The greatest depth of a walk.
const MAX_WALK_DEPTH: u32 = 10;

/// How many unresolved uses are listed.
const MOST_UNSURE: usize = 20;

pub(crate) async fn find_relations(
    code: &CodeContext,
    project: &Project,
    request: RelationsRequest,
) -> Result<SymbolRelations> {
    if !(1..=MAX_WALK_DEPTH).contains(&request.depth) {
        return Err(Error::Parameter {
            field: "depth",
            reason: format!("is {}: from 1 to {MAX_WALK_DEPTH}", request.depth),
        });
    }
    let graph = load_graph(code, project).await?;
    let documents = load_documents(code, project, &graph).await?;
    if let Some(to) = &request.to {
        // A path has one symbol at each end, so an ambiguous name is an error here.
        let start = find_node(&graph, project, &request.symbol)?;
        let to = find_node(&graph, project, to)?;
        let mut neighbours = find_path(&graph, start, to, request.min_confidence);
        add_lines(&mut neighbours, &mut EdgeLines::new(&graph));
        let symbol = NamedNode::from_node(&graph, start);
        return Ok(SymbolRelations::new(symbol, neighbours));
    }
    if let Some(item) = documents.find_item(&request.symbol) {
        return Ok(relations_of_item(&documents, item, &request));
    }
    let NamedNodes { nodes, more } = find_homes(&graph, project, &request.symbol, request.matches.max(1))?;
    let unlinked = if asks_for_users(&request) {
        let mut scan = scan_mentions(code, project, &graph, &nodes).await?;
        scan.mentions.retain(|mention| !is_told(&documents, &nodes, &mention.path, mention.line));
        Some(scan.summarize(request.mentions))
    } else {
        None
    };
    // Symbols of one name share the limit, so that the reply is no longer than for a single symbol.
    let limit = request.limit.div_ceil(nodes.len());
    let mut lines = EdgeLines::new(&graph);
    let mut homes = nodes.into_iter().map(|start| {
        let mut neighbours = collect_neighbours(&graph, start, &request);
        let every = RelationsRequest { min_confidence: 0.0, ..request.clone() };
        let less_sure = collect_neighbours(&graph, start, &every).len().saturating_sub(neighbours.len());
        neighbours.extend(linked_neighbours(&documents, LinkEnd::Node(start), &request));
        neighbours.sort_by_key(|neighbour| (neighbour.distance, neighbour.relation));
        let omitted = neighbours.len().saturating_sub(limit);
        neighbours.truncate(limit);
        add_lines(&mut neighbours, &mut lines);
        let symbol = NamedNode::from_node(&graph, start);
        let unsure = ambiguous_uses(&graph, start);
        SymbolRelations { omitted, less_sure, unsure, ..SymbolRelations::new(symbol, neighbours) }
    });
    let first = homes.next().expect("a text that names nothing is an error");
    Ok(SymbolRelations { others: homes.collect(), more, unlinked, ..first })
}

/// Whether a section or item around a line of a document is linked with one of some nodes: then the line is no mention that
/// leads nowhere.
fn is_told(documents: &DocumentTable, nodes: &[NodeId], path: &str, line: u32) -> bool {
    let graph = &documents.graph;
    let Some(file) = graph.find_file(path).filter(|file| documents.find_file(*file).is_some()) else { return false };
    let section = innermost_symbol(graph, file, line).unwrap_or(file);
    let is_around = |end: LinkEnd| match end {
        LinkEnd::Node(from) => from == section,
        LinkEnd::Item(at) => {
            let item = &documents.items[at];
            item.file == file && item.lines.start <= line && line <= item.lines.end
        }
    };
    nodes.iter().any(|node| documents.links_of(LinkEnd::Node(*node)).any(|link| is_around(link.from)))
}

/// Of documents that name a symbol so many are listed unless they alone are asked for.
const MOST_DOCUMENTS: usize = 5;

/// The relations of a requirement or a user story.
fn relations_of_item(documents: &DocumentTable, item: usize, request: &RelationsRequest) -> SymbolRelations {
    let end = LinkEnd::Item(item);
    let mut neighbours = linked_neighbours(documents, end, request);
    let omitted = neighbours.len().saturating_sub(request.limit);
    neighbours.truncate(request.limit);
    for neighbour in &mut neighbours {
        neighbour.lines = vec![neighbour.line];
    }
    let symbol = place_of(documents, end, 0, 1.0).named;
    SymbolRelations { omitted, ..SymbolRelations::new(symbol, neighbours) }
}

/// What documents link to a node or an item, and what it links to.
fn linked_neighbours(documents: &DocumentTable, end: LinkEnd, request: &RelationsRequest) -> Vec<GraphNeighbour> {
    let mut found: Vec<GraphNeighbour> = Vec::new();
    for link in documents.links_of(end) {
        let (other, way) =
            if link.from == end { (link.to, RelationDirection::Out) } else { (link.from, RelationDirection::In) };
        let is_asked = request.direction == RelationDirection::Both || request.direction == way;
        let place = place_of(documents, other, link.line, link.weight);
        let relation = match other {
            LinkEnd::Item(at) if documents.items[at].kind == QUESTION => RelationKind::Document,
            LinkEnd::Item(_) => RelationKind::Requirement,
            LinkEnd::Node(node) if !is_code(&documents.graph, NodeId::File(node.file_number())) => {
                RelationKind::Document
            }
            LinkEnd::Node(_) if place.is_test => RelationKind::Test,
            LinkEnd::Node(_) => RelationKind::Code,
        };
        let is_wanted = request.only.is_empty() || request.only.contains(&relation);
        if is_asked && is_wanted && link.weight >= request.min_confidence {
            found.push(GraphNeighbour {
                relation,
                named: place.named,
                line: link.line,
                lines: Vec::new(),
                edge: None,
                confidence: place.weight,
                distance: 1,
                through: None,
            });
        }
    }
    // Where both name each other, the surer of the two says so.
    found.sort_by(|a, b| {
        (a.relation, &a.named.id)
            .cmp(&(b.relation, &b.named.id))
            .then(b.confidence.get().total_cmp(&a.confidence.get()))
    });
    found.dedup_by(|later, first| (later.relation, &later.named.id) == (first.relation, &first.named.id));
    // A name that every page mentions would bury what uses it.
    if request.only.is_empty() && matches!(end, LinkEnd::Node(_)) {
        let mut documents = 0;
        found.retain(|neighbour| {
            documents += usize::from(neighbour.relation == RelationKind::Document);
            neighbour.relation != RelationKind::Document || documents <= MOST_DOCUMENTS
        });
    }
    found
}

impl SymbolRelations {
    fn new(symbol: NamedNode, neighbours: Vec<GraphNeighbour>) -> Self {
        Self {
            symbol,
            neighbours,
            omitted: 0,
            less_sure: 0,
            unlinked: None,
            unsure: Vec::new(),
            others: Vec::new(),
            more: 0,
            linked: Vec::new(),
        }
    }
}

/// Adds all lines to the relations that are shown: decoding them for every neighbour of a walk would be slow.
fn add_lines(neighbours: &mut [GraphNeighbour], lines: &mut EdgeLines<'_>) {
    for neighbour in neighbours {
        let of_edge = neighbour.edge.map(|(from, kind, to)| lines.lines_between(from, kind, to)).unwrap_or_default();
        neighbour.lines = if of_edge.is_empty() { vec![neighbour.line] } else { of_edge.to_vec() };
    }
}

/// Whether a question is about what uses the symbol, which mentions may tell.
fn asks_for_users(request: &RelationsRequest) -> bool {
    let is_use = |relation: &RelationKind| {
        matches!(
            relation,
            RelationKind::Caller | RelationKind::TypeUser | RelationKind::Importer | RelationKind::Subtype
        )
    };
    request.direction != RelationDirection::Out && (request.only.is_empty() || request.only.iter().any(is_use))
}

/// Everything related to a node, as asked.
pub(crate) fn collect_neighbours(graph: &Graph, start: NodeId, request: &RelationsRequest) -> Vec<GraphNeighbour> {
    let wanted = |relation: RelationKind| request.only.is_empty() || request.only.contains(&relation);
    let mut found: Vec<GraphNeighbour> = Vec::new();
    for (relation, _) in RelationKind::ALL.into_iter().filter(|(relation, _)| wanted(*relation)) {
        let Some((way, kinds)) = relation.edge_kinds() else { continue };
        // An `Implements` edge between methods is an override: it is reported below, at any distance.
        if kinds == HIERARCHY && graph.kind(start).is_some_and(SymbolKind::is_function) {
            continue;
        }
        let asked = match request.direction {
            RelationDirection::Both => true,
            RelationDirection::In => way == LinkDirection::In,
            RelationDirection::Out => way == LinkDirection::Out,
        };
        if asked {
            let course = TraversalSpec { way, kinds, depth: request.depth, floor: request.min_confidence };
            // A file or type uses what its members use.
            let starts = if matches!(relation, RelationKind::Supertype | RelationKind::Subtype)
                || graph.kind(start).is_some_and(SymbolKind::is_function)
            {
                vec![start]
            } else {
                with_members(graph, start)
            };
            // A member of the symbol is no step on the path: what it uses is used directly.
            let inside = |node: NodeId| starts.contains(&node);
            let reached = traverse_graph(graph, &starts, &course);
            found.extend(reached.iter().map(|reached| build_neighbour(graph, reached, way, inside(reached.from))));
        }
    }
    for (relation, upward) in [(RelationKind::Overridden, true), (RelationKind::Override, false)] {
        if wanted(relation) {
            found.extend(find_overrides(graph, start, upward, relation, request));
        }
    }
    for (relation, links) in
        [(RelationKind::Definition, graph.links_to(start)), (RelationKind::Declaration, graph.links_from(start))]
    {
        let same = links.iter().filter(|link| wanted(relation) && is_written_twice(graph, start, link));
        found.extend(same.map(|link| GraphNeighbour {
            line: link.line,
            confidence: link.confidence,
            ..direct_neighbour(graph, link.node, relation)
        }));
    }
    // Members and containers would bury the other relations, so they are listed only if asked for by name.
    if request.only.contains(&RelationKind::Member) {
        let members = graph.member_nodes(start).map(|node| direct_neighbour(graph, node, RelationKind::Member));
        found.extend(members);
    }
    if request.only.contains(&RelationKind::Container) {
        // The container of a top symbol is its file; a file has none.
        let container = graph.container(start).or_else(|| graph.kind(start).map(|_| NodeId::File(start.file_number())));
        found.extend(container.map(|node| direct_neighbour(graph, node, RelationKind::Container)));
    }
    // A stable sort: within a relation the order of the walk stays, which is surest first.
    found.sort_by_key(|neighbour| (neighbour.distance, neighbour.relation));
    found
}

fn build_neighbour(graph: &Graph, reached: &ReachedNode, way: LinkDirection, direct: bool) -> GraphNeighbour {
    let (start, end) = match way {
        LinkDirection::Out => (reached.from, reached.node),
        LinkDirection::In => (reached.node, reached.from),
    };
    GraphNeighbour {
        relation: RelationKind::from_edge(reached.kind, way),
        named: NamedNode::from_node(graph, reached.node),
        line: reached.line,
        lines: Vec::new(),
        edge: Some((start, reached.kind, end)),
        confidence: reached.confidence,
        distance: reached.distance,
        through: (!direct).then(|| graph.id(reached.from)),
    }
}

fn direct_neighbour(graph: &Graph, node: NodeId, relation: RelationKind) -> GraphNeighbour {
    GraphNeighbour {
        relation,
        named: NamedNode::from_node(graph, node),
        line: graph.name_line(node),
        lines: Vec::new(),
        edge: None,
        confidence: Confidence::CERTAIN,
        distance: 1,
        through: None,
    }
}

/// A node with everything inside of it.
pub(crate) fn with_members(graph: &Graph, node: NodeId) -> Vec<NodeId> {
    if node.is_file() {
        return std::iter::once(node).chain(graph.symbols_of(node)).collect();
    }
    let mut all = vec![node];
    let mut at = 0;
    while let Some(&next) = all.get(at) {
        all.extend(graph.member_nodes(next));
        at += 1;
    }
    all
}

/// The members of supertypes or subtypes that have the name of this one.
fn find_overrides(
    graph: &Graph,
    member: NodeId,
    upward: bool,
    relation: RelationKind,
    request: &RelationsRequest,
) -> Vec<GraphNeighbour> {
    let Some(of) = graph.container(member).filter(|_| graph.kind(member).is_some_and(SymbolKind::is_function)) else {
        return Vec::new();
    };
    let way = if upward { LinkDirection::Out } else { LinkDirection::In };
    // At full depth whatever the request says: a call may be dispatched to any override.
    let course = TraversalSpec { way, kinds: HIERARCHY, depth: MAX_WALK_DEPTH, floor: request.min_confidence };
    let mut found = Vec::new();
    for kin in traverse_graph(graph, &[of], &course) {
        let same = graph.member_nodes(kin.node).filter(|other| graph.name(*other) == graph.name(member));
        found.extend(same.map(|node| GraphNeighbour {
            confidence: kin.confidence,
            distance: kin.distance,
            ..direct_neighbour(graph, node, relation)
        }));
    }
    found
}

/// The shortest path between two nodes: along uses, or back along them.
fn find_path(graph: &Graph, from: NodeId, to: NodeId, floor: f32) -> Vec<GraphNeighbour> {
    for way in [LinkDirection::Out, LinkDirection::In] {
        let course = TraversalSpec { way, kinds: ALL_EDGE_KINDS, depth: MAX_WALK_DEPTH, floor };
        if let Some(steps) = way_between(graph, from, to, &course) {
            return steps.iter().map(|step| build_neighbour(graph, step, way, step.from == from)).collect();
        }
    }
    Vec::new()
}

fn ambiguous_uses(graph: &Graph, start: NodeId) -> Vec<AmbiguousReference> {
    let told = graph.ambiguous_uses(start).into_iter().map(|doubt| AmbiguousReference {
        name: doubt.name,
        line: doubt.line,
        candidates: doubt.candidates.iter().map(|node| graph.id(*node)).collect(),
    });
    told.take(MOST_UNSURE).collect()
}
