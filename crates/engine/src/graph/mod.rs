//! The graph of a project's code: what its files say they use, and which symbols that is.
//!
//! Extraction looks at each file alone and keeps what it uses as written. Resolution looks at all files together and
//! turns what is written into edges. It is pure: bytes in, edges out, so that it can run in parallel and be tested
//! with a few lines of source. Questions walk over the graph of a worktree, loaded into memory.

mod byte_codec;
mod edges;
mod cache;
mod links;
mod load;
mod worktree_graph;
mod lookup;
mod outline;
mod compression;
mod traversal;
mod renewal;
mod resolver;
mod uses;

pub(crate) use byte_codec::{DamagedBytes, ByteReader, ByteWriter};
pub(crate) use edges::ResolvedEdges;
pub(crate) use cache::{GraphCaches, VersionedLru};
pub(crate) use load::{WrittenEdges, load_graph, renew_graph};
pub(crate) use worktree_graph::{Graph, NodeId};
pub(crate) use lookup::{NamedNodes, find_node, find_homes, innermost_symbol, is_written_twice, preference_key};
pub(crate) use outline::GraphOutline;
pub(crate) use compression::{compress_bytes, decompress_bytes};
pub(crate) use traversal::{TraversalSpec, ReachedNode, LinkDirection, to_hundredths, page_ranks, traverse_graph, way_between};
pub(crate) use renewal::GraphRenewal;
pub(crate) use resolver::{ModuleManifest, Resolver, SourceFile, InvalidatedFiles, is_manifest};
pub(crate) use uses::encode_uses;
