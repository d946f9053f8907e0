//! Fills the list `related` of each search hit from the symbol graph, on request: the hit's container and supertypes,
//! the imports of its file, the types it names. At most five of each kind; the list of hits itself does not change.

use super::{HitRelation, SearchHit};
use crate::base::{Project, Result};
use crate::code::CodeContext;
use crate::code::graph::Graph;
use crate::code::graph::NodeId;
use crate::code::graph::innermost_symbol;
use crate::code::graph_load::load_graph;
use crate::code::relate::{RelationDirection, RelationKind, RelationsRequest, collect_neighbours};

/// What to show with a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelatedKind {
    /// Its container, its supertypes and the member it overrides.
    Parents,
    /// What its file imports.
    Imports,
    /// The types it names.
    Types,
}

/// So many of each are shown; the nearest and surest first.
const MAX_RELATED_PER_KIND: usize = 5;

/// Relations below this confidence are ignored.
const MIN_RELATION_CONFIDENCE: f32 = 0.5;

/// Adds to each result its relations.
pub(crate) async fn add_related(
    code: &CodeContext,
    project: &Project,
    hits: &mut [SearchHit],
    wanted: &[RelatedKind],
) -> Result<()> {
    if wanted.is_empty() || hits.is_empty() {
        return Ok(());
    }
    let graph = load_graph(code, project).await?;
    for hit in hits {
        // A file that appeared or vanished since the search has no node in the graph yet.
        let Some(node) = node_of(&graph, hit) else { continue };
        for kind in wanted {
            let mut found = related_nodes(&graph, node, *kind);
            // Two kinds of relation may lead to one symbol: a base class is a parent and a type that is named.
            found.retain(|related| !hit.related.contains(related));
            hit.related_omitted += found.len().saturating_sub(MAX_RELATED_PER_KIND);
            hit.related.extend(found.into_iter().take(MAX_RELATED_PER_KIND));
        }
    }
    Ok(())
}

/// The symbol of a result, or the best fitting one in it; its file where there is no symbol.
fn node_of(graph: &Graph, hit: &SearchHit) -> Option<NodeId> {
    let file = graph.find_file(&hit.path)?;
    let symbol = hit.symbol.as_ref().and_then(|(id, _)| graph.symbol_node(id));
    let focused = || hit.focus.and_then(|focus| innermost_symbol(graph, file, focus.start));
    Some(symbol.or_else(focused).unwrap_or(file))
}

fn related_nodes(graph: &Graph, node: NodeId, kind: RelatedKind) -> Vec<HitRelation> {
    let (start, only) = match kind {
        RelatedKind::Parents => {
            (node, vec![RelationKind::Container, RelationKind::Supertype, RelationKind::Overridden])
        }
        // Files import; what stands in them does so through them.
        RelatedKind::Imports => (NodeId::File(node.file_number()), vec![RelationKind::Import]),
        RelatedKind::Types => (node, vec![RelationKind::Type]),
    };
    let request = RelationsRequest {
        symbol: String::new(),
        only,
        direction: RelationDirection::Out,
        depth: 1,
        min_confidence: MIN_RELATION_CONFIDENCE,
        matches: 1,
        mentions: 0,
        limit: usize::MAX,
        to: None,
    };
    let found = collect_neighbours(graph, start, &request).into_iter();
    found.map(|neighbour| HitRelation { relation: neighbour.relation, named: neighbour.named }).collect()
}
