//! The ranking strategies for files (`RankStrategy`): one weighted sum of features (the default, and measured to be the
//! best), one kind of evidence alone, or several rankings combined by reciprocal rank fusion, `weight / (60 + rank)`
//! each. Fusion forgets how much better one file was than the next, which is why the sum does better where all evidence
//! is our own; it fits rankings whose scores cannot be compared.

use super::intent::QuestionIntent;
use crate::code::graph::{Graph, LinkDirection, NodeId, TraversalSpec, traverse_graph};
use foldhash::HashMap;
use model::EdgeKind;

/// How files are ranked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RankStrategy {
    /// By one sum of all features.
    #[default]
    Linear,
    /// By words, meaning and graph, fused by rank, as the question asks for.
    Rrf,
    /// By words, names and paths alone.
    Keyword,
    /// By meaning alone.
    Semantic,
    /// By how near files are to what the question names.
    Graph,
}

/// One of the rankings that are fused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FusedRanking {
    Keyword,
    Semantic,
    Graph,
}

impl FusedRanking {
    /// In the order of [`FusionWeights`].
    pub(super) const ALL: [Self; 3] = [Self::Keyword, Self::Semantic, Self::Graph];

    /// Its word.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Keyword => "keyword_rank",
            Self::Semantic => "semantic_rank",
            Self::Graph => "graph_rank",
        }
    }
}

/// The weight of each ranking.
pub(crate) type FusionWeights = [f32; 3];

/// Rankings to be fused.
#[derive(Clone, Debug, Default)]
pub(super) struct RankFusion {
    /// In the order of [`FusedRanking::ALL`].
    pub(super) weights: FusionWeights,
    /// How near files are in the graph, by path: 1 where they are what is named.
    pub(super) near: HashMap<String, f32>,
}

impl RankStrategy {
    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Keyword => "keyword",
            Self::Semantic => "semantic",
            Self::Graph => "graph",
            Self::Rrf => "rrf",
        }
    }

    /// The weights of the rankings for a question; `None` where nothing is fused.
    pub(crate) fn fusion_weights(self, intent: QuestionIntent) -> Option<FusionWeights> {
        match self {
            Self::Linear => None,
            Self::Keyword => Some([1.0, 0.0, 0.0]),
            Self::Semantic => Some([0.0, 1.0, 0.0]),
            Self::Graph => Some([0.0, 0.0, 1.0]),
            // The table is explained in docs/guides/ranking.md: an explanation is found by meaning and by use, a place
            // by its words.
            Self::Rrf => Some(match intent {
                QuestionIntent::Find | QuestionIntent::List => [1.0, 0.5, 0.5],
                QuestionIntent::Explain => [0.5, 1.0, 1.0],
                QuestionIntent::Compare | QuestionIntent::How => [0.5, 1.0, 0.5],
                QuestionIntent::Why => [0.5, 0.5, 1.0],
                QuestionIntent::Debug => [1.0, 0.5, 1.0],
            }),
        }
    }
}

/// How many edges a file may be away from a named symbol.
const MAX_EDGE_DISTANCE: u32 = 2;
/// Edges below this confidence are not followed: they are guesses by name and lead anywhere.
const MIN_EDGE_CONFIDENCE: f32 = 0.3;
const KINDS: &[EdgeKind] =
    &[EdgeKind::Calls, EdgeKind::Imports, EdgeKind::Extends, EdgeKind::Implements, EdgeKind::References];

/// How near files are to some nodes, either way along edges: by distance and by how sure the way is.
pub(super) fn file_nearness(graph: &Graph, starts: &[NodeId]) -> HashMap<String, f32> {
    let mut near: HashMap<String, f32> = HashMap::default();
    let mut note = |node: NodeId, value: f32| {
        let known = near.entry(graph.path(node).to_owned()).or_default();
        // The nearest symbol counts, not the sum: a file of many symbols is not nearer for having many.
        *known = known.max(value);
    };
    for start in starts {
        note(*start, 1.0);
    }
    for way in [LinkDirection::Out, LinkDirection::In] {
        for found in traverse_graph(
            graph,
            starts,
            &TraversalSpec { way, kinds: KINDS, depth: MAX_EDGE_DISTANCE, floor: MIN_EDGE_CONFIDENCE },
        ) {
            // Confidence of the way divided by its length, so that an uncertain call counts less than a certain one a
            // step further.
            note(found.node, found.confidence.get() / (found.distance as f32 + 1.0));
        }
    }
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_sum_is_no_fusion() {
        assert!(RankStrategy::Linear.fusion_weights(QuestionIntent::How).is_none());
    }
}
