//! The graph of a project's code: what its files say they use, and which symbols that is.
//!
//! Extraction looks at each file alone and keeps what it uses as written. Resolution looks at all files together and
//! turns what is written into edges. It is pure: bytes in, edges out, so that it can run in parallel and be tested
//! with a few lines of source. Questions walk over the graph of a worktree, loaded into memory.

mod bytes;
mod edges;
mod kept;
mod links;
mod load;
mod loaded;
mod lookup;
mod outline;
mod packed;
mod reach;
mod renew;
mod resolver;
mod uses;

pub(crate) use bytes::{Damaged, Reader, Writer};
pub(crate) use edges::FileEdges;
pub(crate) use kept::{Kept, Shelf};
pub(crate) use load::{Written, load, renew};
pub(crate) use loaded::{Graph, NodeId};
pub(crate) use lookup::{Homes, find, find_homes, innermost, is_written_twice, remoteness};
pub(crate) use outline::Outline;
pub(crate) use packed::{pack, unpack};
pub(crate) use reach::{Course, Reached, Way, hundredths, ranks, reach, way_between};
pub(crate) use renew::Renewal;
pub(crate) use resolver::{Manifest, Resolver, SourceFile, Touched, is_manifest};
pub(crate) use uses::encode_uses;
