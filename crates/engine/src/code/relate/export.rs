//! Exports the whole code graph record by record, definitions, then edges; `epitome relations --export` writes each as
//! a JSON line.

use crate::base::{Project, Result};
use crate::code::CodeContext;
use crate::code::graph::EdgeLines;
use crate::code::graph::Graph;
use crate::code::graph::NodeId;
use crate::code::graph_load::load_graph;
use model::{Confidence, EdgeKind, SymbolKind};
use std::ops::ControlFlow;

/// A definition, or the code of a file outside of any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportPlace {
    /// Its file.
    pub path: String,
    /// Its name; none for the file itself.
    pub name: Option<String>,
    /// The line of its name.
    pub line: u32,
}

/// One line of an export.
#[derive(Clone, Debug, PartialEq)]
pub enum ExportLine {
    /// A definition.
    Definition {
        /// Where.
        place: ExportPlace,
        /// What it is.
        kind: SymbolKind,
    },
    /// An edge.
    Edge {
        /// Its kind.
        kind: EdgeKind,
        /// Where it starts.
        from: ExportPlace,
        /// Where it leads.
        to: ExportPlace,
        /// The lines of its uses, ascending.
        lines: Vec<u32>,
        /// How sure it is.
        confidence: Confidence,
    },
    /// What a document says, or somebody named.
    Entity {
        /// Its id.
        id: String,
        /// Its type, as a word.
        kind: &'static str,
        /// Its name or text.
        name: String,
    },
    /// A link between entities, symbols and files, by their ids.
    Link {
        /// Where it starts.
        from: String,
        /// Where it leads.
        to: String,
        /// Its kind.
        kind: EdgeKind,
        /// How sure it is, in hundredths.
        weight: u32,
    },
}

/// Hands every line to `take` until it breaks.
pub(crate) async fn export_graph(
    code: &CodeContext,
    project: &Project,
    take: &mut (dyn FnMut(ExportLine) -> ControlFlow<()> + Send),
) -> Result<()> {
    let graph = load_graph(code, project).await?;
    let mut lines = EdgeLines::new(&graph);
    for node in graph.symbol_nodes() {
        if let Some(kind) = graph.kind(node)
            && take(ExportLine::Definition { place: export_place(&graph, node), kind }).is_break()
        {
            return Ok(());
        }
    }
    for node in graph.file_nodes().chain(graph.symbol_nodes()) {
        for link in graph.links_from(node) {
            let line = ExportLine::Edge {
                kind: link.kind,
                // The value of a constant is computed by the code around it, so a call in it is made from there.
                from: export_place(&graph, if link.kind == EdgeKind::Calls { runs_in(&graph, node) } else { node }),
                to: export_place(&graph, link.node),
                lines: lines.lines_between(node, link.kind, link.node).to_vec(),
                confidence: link.confidence,
            };
            if take(line).is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The symbol that computes a value: the one around a constant or field.
fn runs_in(graph: &Graph, mut node: NodeId) -> NodeId {
    while matches!(graph.kind(node), Some(SymbolKind::Constant | SymbolKind::Field)) {
        node = graph.container(node).unwrap_or(NodeId::File(node.file_number()));
    }
    node
}

fn export_place(graph: &Graph, node: NodeId) -> ExportPlace {
    ExportPlace {
        path: graph.path(node).to_owned(),
        name: graph.kind(node).map(|_| graph.name(node).to_owned()),
        line: graph.name_line(node),
    }
}
