//! Walks over links of entities, links of documents, edges of the code and what conversations hold as over one graph, nearest
//! first.

use super::entity_detail::describe_end;
use super::entity_end::{EndFinder, GraphEnd, NamedEnd};
use super::entity_kinds::WantedTypes;
use super::entity_view::EntityView;
use crate::base::{Error, Result};
use crate::code::graph::{NodeId, innermost_symbol, is_test};
use crate::code::relate::{LinkEnd, RelationDirection};
use model::EdgeKind;
use std::collections::{HashSet, VecDeque};

/// What to ask.
#[derive(Clone, Debug, Default)]
pub struct EntityWalkRequest {
    /// Where it begins: the id or name of an entity, a symbol, a file, a requirement, a session or a message.
    pub start: String,
    /// How many links away, 1 to 10.
    pub depth: u32,
    /// Which way.
    pub direction: RelationDirection,
    /// Only along these relationships, and only ends of these types, as words; empty for all.
    pub types: Vec<String>,
    /// So many relations are left out at the front.
    pub skip: usize,
    /// How many relations at most.
    pub limit: usize,
}

/// One relation on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityRelation {
    /// The id where it starts.
    pub source: String,
    /// The id where it leads.
    pub target: String,
    /// How the two are related.
    pub relationship: EdgeKind,
    /// How sure that is, in hundredths.
    pub weight: u32,
    /// The link that somebody made, if somebody did.
    pub link: Option<String>,
    /// How many links away its farther end is.
    pub distance: u32,
    /// That end.
    pub end: NamedEnd,
}

/// What hangs together with something.
#[derive(Clone, Debug)]
pub struct EntityRelations {
    /// Where the walk begins.
    pub start: EntityView,
    /// Nearest first.
    pub relations: Vec<EntityRelation>,
    /// How many relations are left out at the front of the rest, where there is one.
    pub next: Option<usize>,
}

/// The greatest depth of a walk.
const MAX_DEPTH: u32 = 10;

/// An edge seen from one end.
pub(super) struct Step {
    pub(super) other: GraphEnd,
    pub(super) is_out: bool,
    pub(super) relationship: EdgeKind,
    pub(super) weight: u32,
    pub(super) link: Option<String>,
}

pub(super) async fn walk(finder: &EndFinder<'_>, request: &EntityWalkRequest) -> Result<EntityRelations> {
    if !(1..=MAX_DEPTH).contains(&request.depth) {
        let reason = format!("is {}: from 1 to {MAX_DEPTH}", request.depth);
        return Err(Error::Parameter { field: "depth", reason });
    }
    let wanted = WantedTypes::read(&request.types)?;
    let start = finder.find_end("name", &request.start).await?;
    let mut relations: Vec<EntityRelation> = Vec::new();
    let (mut passed, mut next) = (0, None);
    // Links may go round in circles: each end is reached once.
    let mut seen: HashSet<GraphEnd> = HashSet::from([start.clone()]);
    let mut open: VecDeque<(GraphEnd, u32)> = VecDeque::from([(start.clone(), 0)]);
    'walk: while let Some((end, distance)) = open.pop_front() {
        if distance == request.depth {
            continue;
        }
        // Of what counts one by one no more is needed than is shown.
        let room = if wanted.has_kinds() { usize::MAX } else { request.skip + request.limit + 1 + seen.len() };
        for step in steps_from(finder, &end, room).await? {
            let is_asked = match request.direction {
                RelationDirection::Both => true,
                RelationDirection::In => !step.is_out,
                RelationDirection::Out => step.is_out,
            };
            if !is_asked || !wanted.has_relationship(step.relationship) || !seen.insert(step.other.clone()) {
                continue;
            }
            open.push_back((step.other.clone(), distance + 1));
            // What is skipped needs no name, unless its type decides whether it counts.
            let is_skipped = passed < request.skip && !wanted.has_kinds();
            let named = if is_skipped { None } else { Some(finder.name_end(&step.other).await?) };
            // Ends of other types are no part of the answer, and are walked through all the same.
            if named.as_ref().is_some_and(|named| !wanted.fits_kind(named.kind)) {
                continue;
            }
            if passed < request.skip {
                passed += 1;
                continue;
            }
            if relations.len() == request.limit {
                next = Some(passed + relations.len());
                break 'walk;
            }
            let (near, far) = (finder.end_id(&end), finder.end_id(&step.other));
            let (source, target) = if step.is_out { (near, far) } else { (far, near) };
            let Some(end) = named else { continue };
            relations.push(EntityRelation {
                source,
                target,
                relationship: step.relationship,
                weight: step.weight,
                link: step.link,
                distance: distance + 1,
                end,
            });
        }
    }
    Ok(EntityRelations { start: describe_end(finder, &start).await?, relations, next })
}

/// Everything that is joined to an end: what somebody said first, then what documents say, then the code, or what the
/// conversation holds. Of a long conversation the first `room` messages.
async fn steps_from(finder: &EndFinder<'_>, end: &GraphEnd, room: usize) -> Result<Vec<Step>> {
    let id = finder.end_id(end);
    let mut steps: Vec<Step> = Vec::new();
    for link in finder.table.links_of(&id) {
        let is_out = link.source == id;
        steps.push(Step {
            other: finder.end_of_id(if is_out { &link.target } else { &link.source }),
            is_out,
            relationship: link.relationship,
            weight: link.weight,
            link: Some(link.id.to_string()),
        });
    }
    match end {
        GraphEnd::Entity(_) | GraphEnd::Gone(_) => {}
        GraphEnd::Memory(end) => steps.extend(end.steps(finder.memory, room).await?),
        GraphEnd::Code(code) => {
            steps.extend(document_steps(finder, *code));
            match code {
                LinkEnd::Node(node) => steps.extend(code_steps(finder, *node)),
                LinkEnd::Item(at) => {
                    let item = &finder.documents.items[*at];
                    let around = innermost_symbol(&finder.graph, item.file, item.lines.start).unwrap_or(item.file);
                    steps.push(holding(LinkEnd::Node(around), false, EdgeKind::Contains));
                }
            }
        }
    }
    Ok(steps)
}

fn document_steps(finder: &EndFinder<'_>, code: LinkEnd) -> impl Iterator<Item = Step> {
    finder.documents.links_of(code).map(move |link| {
        let is_out = link.from == code;
        let other = if is_out { link.to } else { link.from };
        // Code with the key of a requirement implements it; a test, and a document that names code, refer to it.
        let is_made_for = match (link.from, link.to) {
            (LinkEnd::Node(node), LinkEnd::Item(_)) => {
                finder.kind_of_node(node) != "document"
                    && finder.kind_of_node(node) != "section"
                    && !is_test(&finder.graph, node)
            }
            _ => false,
        };
        let relationship = if is_made_for { EdgeKind::Implements } else { EdgeKind::References };
        let weight = (link.weight * 100.0).round() as u32;
        Step { other: GraphEnd::Code(other), is_out, relationship, weight, link: None }
    })
}

/// The edges of a symbol or file, what it stands in, and what it holds.
fn code_steps(finder: &EndFinder<'_>, node: NodeId) -> Vec<Step> {
    let graph = &finder.graph;
    let mut steps = Vec::new();
    for (links, is_out) in [(graph.links_from(node), true), (graph.links_to(node), false)] {
        steps.extend(links.iter().map(|link| Step {
            other: GraphEnd::Code(LinkEnd::Node(link.node)),
            is_out,
            relationship: link.kind,
            weight: (link.confidence.get() * 100.0).round() as u32,
            link: None,
        }));
    }
    let holds = |node: NodeId| if node.is_file() { EdgeKind::Defines } else { EdgeKind::Contains };
    if !node.is_file() {
        let outer = graph.container(node).unwrap_or(NodeId::File(node.file_number()));
        steps.push(holding(LinkEnd::Node(outer), false, holds(outer)));
    }
    let members = graph.member_nodes(node);
    steps.extend(members.map(|member| holding(LinkEnd::Node(member), true, holds(node))));
    let file = NodeId::File(node.file_number());
    steps.extend(finder.documents.items_of(file).filter_map(|at| {
        let line = finder.documents.items[at].lines.start;
        let is_own = innermost_symbol(graph, file, line).unwrap_or(file) == node;
        is_own.then(|| holding(LinkEnd::Item(at), true, EdgeKind::Contains))
    }));
    steps
}

fn holding(other: LinkEnd, is_out: bool, relationship: EdgeKind) -> Step {
    Step { other: GraphEnd::Code(other), is_out, relationship, weight: 100, link: None }
}
