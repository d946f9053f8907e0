//! What results hang together with, when asked for: what they stand in or are made from, what they import, which types
//! they name.

use super::{HitRelation, SearchHit};
use crate::Engine;
use crate::base::{Project, Result};
use crate::code::graph::{Graph, NodeId, innermost_symbol, load_graph};
use crate::code::relate::{RelationDirection, RelationKind, RelationsRequest, collect_neighbours};

/// What to show with a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HitExpansion {
    /// What it stands in, and what it is made from.
    Parents,
    /// What its file imports.
    Imports,
    /// The types it names.
    Types,
}

/// So many of each are shown; the nearest and surest first.
const EACH: usize = 5;

/// Less sure relations are none.
const FLOOR: f32 = 0.5;

/// Adds to each result what it hangs together with.
pub(crate) async fn expand_hits(
    engine: &Engine,
    project: &Project,
    hits: &mut [SearchHit],
    wanted: &[HitExpansion],
) -> Result<()> {
    if wanted.is_empty() || hits.is_empty() {
        return Ok(());
    }
    let graph = load_graph(engine, project).await?;
    for hit in hits {
        // A file that came or went since it was found hangs together with nothing yet.
        let Some(node) = node_of(&graph, hit) else { continue };
        for expand in wanted {
            let mut found = related_nodes(&graph, node, *expand);
            found.retain(|related| !hit.related.contains(related));
            hit.related_omitted += found.len().saturating_sub(EACH);
            hit.related.extend(found.into_iter().take(EACH));
        }
    }
    Ok(())
}

/// The symbol that a result is, or fits best by; its file where there is none.
fn node_of(graph: &Graph, hit: &SearchHit) -> Option<NodeId> {
    let file = graph.find_file(&hit.path)?;
    let symbol = hit.symbol.as_ref().and_then(|(id, _)| graph.symbol_node(id));
    let focused = || hit.focus.and_then(|focus| innermost_symbol(graph, file, focus.start));
    Some(symbol.or_else(focused).unwrap_or(file))
}

fn related_nodes(graph: &Graph, node: NodeId, expand: HitExpansion) -> Vec<HitRelation> {
    let (start, only) = match expand {
        HitExpansion::Parents => {
            (node, vec![RelationKind::Container, RelationKind::Supertype, RelationKind::Overridden])
        }
        // Files import; what stands in them does so through them.
        HitExpansion::Imports => (NodeId::File(node.file_number()), vec![RelationKind::Import]),
        HitExpansion::Types => (node, vec![RelationKind::Type]),
    };
    let request = RelationsRequest {
        symbol: String::new(),
        only,
        direction: RelationDirection::Out,
        depth: 1,
        min_confidence: FLOOR,
        limit: usize::MAX,
        to: None,
    };
    let found = collect_neighbours(graph, start, &request).into_iter();
    found.map(|neighbour| HitRelation { relation: neighbour.relation, named: neighbour.named }).collect()
}
