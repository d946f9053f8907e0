//! Walks over links of entities, links of documents and edges of the code as over one graph, nearest first.

use super::entity_end::{EndFinder, GraphEnd, NamedEnd};
use super::entity_table::Entity;
use super::read_relationship;
use crate::base::{Error, Result};
use crate::code::graph::is_test;
use crate::code::relate::{LinkEnd, RelationDirection};
use model::EdgeKind;
use std::collections::{HashSet, VecDeque};

/// What to ask.
#[derive(Clone, Debug, Default)]
pub struct EntityWalkRequest {
    /// Where it begins: the id or name of an entity, a symbol, a file or a requirement.
    pub start: String,
    /// How many links away, 1 to 10.
    pub depth: u32,
    /// Which way.
    pub direction: RelationDirection,
    /// Only these relationships, as words; empty for all.
    pub relationships: Vec<String>,
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
    pub start: NamedEnd,
    /// The same as an entity, where it is one.
    pub entity: Option<Entity>,
    /// Nearest first.
    pub relations: Vec<EntityRelation>,
    /// Whether there are more.
    pub is_cut: bool,
}

/// The greatest depth of a walk.
const MAX_DEPTH: u32 = 10;

/// More ends are not looked at in one walk: links may go round in circles, or come by the million.
const MOST_ENDS: usize = 5_000;

/// An edge seen from one end.
struct Step {
    other: GraphEnd,
    is_out: bool,
    relationship: EdgeKind,
    weight: u32,
    link: Option<String>,
}

pub(super) fn walk(finder: &EndFinder<'_>, request: &EntityWalkRequest) -> Result<EntityRelations> {
    if !(1..=MAX_DEPTH).contains(&request.depth) {
        let reason = format!("is {}: from 1 to {MAX_DEPTH}", request.depth);
        return Err(Error::Parameter { field: "depth", reason });
    }
    let wanted = request.relationships.iter().map(|word| read_relationship("types", word));
    let wanted: Vec<EdgeKind> = wanted.collect::<Result<_>>()?;
    let start = finder.find_end("name", &request.start)?;
    let mut relations: Vec<EntityRelation> = Vec::new();
    let mut is_cut = false;
    let mut seen: HashSet<GraphEnd> = HashSet::from([start.clone()]);
    let mut open: VecDeque<(GraphEnd, u32)> = VecDeque::from([(start.clone(), 0)]);
    'walk: while let Some((end, distance)) = open.pop_front() {
        if distance == request.depth {
            continue;
        }
        for step in steps_from(finder, &end) {
            let is_asked = match request.direction {
                RelationDirection::Both => true,
                RelationDirection::In => !step.is_out,
                RelationDirection::Out => step.is_out,
            };
            if !is_asked
                || (!wanted.is_empty() && !wanted.contains(&step.relationship))
                || !seen.insert(step.other.clone())
            {
                continue;
            }
            if relations.len() == request.limit || seen.len() > MOST_ENDS {
                is_cut = true;
                break 'walk;
            }
            let (near, far) = (finder.end_id(&end), finder.end_id(&step.other));
            let (source, target) = if step.is_out { (near, far) } else { (far, near) };
            relations.push(EntityRelation {
                source,
                target,
                relationship: step.relationship,
                weight: step.weight,
                link: step.link,
                distance: distance + 1,
                end: finder.name_end(&step.other),
            });
            open.push_back((step.other, distance + 1));
        }
    }
    let entity = match &start {
        GraphEnd::Entity(id) => finder.table.entity(id).cloned(),
        GraphEnd::Code(_) | GraphEnd::Gone(_) => None,
    };
    Ok(EntityRelations { start: finder.name_end(&start), entity, relations, is_cut })
}

/// Everything that is joined to an end: what somebody said first, then what documents say, then the code.
fn steps_from(finder: &EndFinder<'_>, end: &GraphEnd) -> Vec<Step> {
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
    let GraphEnd::Code(code) = end else { return steps };
    for link in finder.documents.links_of(*code) {
        let is_out = link.from == *code;
        let other = if is_out { link.to } else { link.from };
        // Code with the key of a requirement implements it; a test, and a document that names code, refer to it.
        let is_made_for = |from: LinkEnd, to: LinkEnd| matches!((from, to), (LinkEnd::Node(node), LinkEnd::Item(_)) if !is_test(&finder.graph, node));
        let relationship = if is_made_for(link.from, link.to) { EdgeKind::Implements } else { EdgeKind::References };
        let weight = (link.weight * 100.0).round() as u32;
        steps.push(Step { other: GraphEnd::Code(other), is_out, relationship, weight, link: None });
    }
    if let LinkEnd::Node(node) = code {
        let sides = [(finder.graph.links_from(*node), true), (finder.graph.links_to(*node), false)];
        for (links, is_out) in sides {
            steps.extend(links.iter().map(|link| Step {
                other: GraphEnd::Code(LinkEnd::Node(link.node)),
                is_out,
                relationship: link.kind,
                weight: (link.confidence.get() * 100.0).round() as u32,
                link: None,
            }));
        }
    }
    steps
}
