//! Queries on the code graph: which symbols call which, what a change affects (impact), where a name is defined, which
//! mentions of a name are linked to nothing, what documents say of it, and the export of the graph.

mod affected_tests;
mod diff;
mod documents;
mod export;
mod file_stems;
mod history;
mod impact;
mod mention_files;
mod mentions;
mod relations;
mod symbol_lookup;
mod test_scores;
mod test_words;

pub use affected_tests::{TestFile, TestReason};
pub use documents::{
    CoverageReport, CoverageRequest, CoveredRequirement, DocumentLine, DocumentList, DocumentReport, LinkedPlace,
    LinkedRequirement, UnboundTest,
};
pub(crate) use documents::{
    DocumentTable, LinkEnd, REQUIREMENT, check_coverage, describe_document, list_documents, load_documents, place_of,
};
pub(crate) use export::export_graph;
pub use export::{ExportLine, ExportPlace};
pub(crate) use impact::analyze_impact;
pub use impact::{AffectedSymbol, ImpactReport, ImpactRequest};
pub(crate) use mention_files::{find_candidates, read_indexed};
pub use mentions::{MentionKind, NameMention, UnlinkedMentions};
pub use relations::{
    AmbiguousReference, GraphNeighbour, RelationDirection, RelationKind, RelationsRequest, StatedLink, SymbolRelations,
};
pub(crate) use relations::{collect_neighbours, find_relations, with_members};
pub(crate) use symbol_lookup::find_symbols;
pub use symbol_lookup::{SymbolHit, SymbolReport, SymbolRequest};

use crate::code::graph::{Graph, NodeId};
use model::{LineRange, SymbolHandle, SymbolKind};

/// A symbol or file as replies name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedNode {
    /// The symbol's id, or the file's path.
    pub id: String,
    /// The symbol's handle; none for a file.
    pub handle: Option<SymbolHandle>,
    /// What it is; none for a file.
    pub kind: Option<SymbolKind>,
    /// What it is where it is neither symbol nor file: `requirement`, `user_story`.
    pub item: Option<&'static str>,
    /// Its file.
    pub path: String,
    /// Its lines.
    pub lines: LineRange,
}

impl NamedNode {
    pub(crate) fn from_node(graph: &Graph, node: NodeId) -> Self {
        Self {
            id: graph.id(node),
            handle: graph.symbol_id(node).map(|id| SymbolHandle::from_symbol(&id)),
            kind: graph.kind(node),
            item: None,
            path: graph.path(node).to_owned(),
            lines: graph.lines(node),
        }
    }

    /// A requirement or a user story.
    fn from_item(id: String, item: &'static str, path: String, lines: LineRange) -> Self {
        Self { id, handle: None, kind: None, item: Some(item), path, lines }
    }
}
