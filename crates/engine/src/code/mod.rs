//! The code half: files in, symbols and edges out, and answers about them.

pub(crate) mod git;
pub(crate) mod graph;
pub(crate) mod index;
pub(crate) mod orient;
pub(crate) mod read;
pub(crate) mod relate;
pub(crate) mod search;
pub(crate) mod symbol_summaries;
pub(crate) mod watch;
