//! The code graph of a project: files and symbols as nodes; calls, references, imports and inheritance as edges.
//! Extraction looks at each file alone and keeps its uses as written; resolution looks at all files together and turns
//! uses into edges. Resolution is pure, bytes in, edges out, so that it can run in parallel and be tested with a few
//! lines of source. Questions walk over the graph of a worktree, loaded into memory.

mod edge_lines;
mod edges;
mod graph_image;
mod graph_names;
mod links;
mod lookup;
mod outline;
mod renewal;
mod resolver;
mod test_detection;
mod traversal;
mod uses;
mod view;
mod worktree_graph;

pub(crate) use edge_lines::EdgeLines;
pub(crate) use edges::ResolvedEdges;
pub(crate) use lookup::{
    MOST_HOMES, NamedNodes, find_homes, find_node, innermost_symbol, is_written_twice, preference_key,
};
pub(crate) use outline::GraphOutline;
pub(crate) use renewal::GraphRenewal;
pub(crate) use resolver::{InvalidatedFiles, ModuleManifest, Resolver, SourceFile, is_manifest};
pub(crate) use test_detection::{is_test, is_test_file};
pub(crate) use traversal::{
    LinkDirection, ReachedNode, TraversalSpec, page_ranks, to_hundredths, traverse_graph, way_between,
};
pub(crate) use uses::{OutsideImport, encode_uses, find_outside_imports};
pub(crate) use view::GraphView;
pub(crate) use worktree_graph::{Graph, NodeId};
