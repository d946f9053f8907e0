//! Shared parts of the transcript readers, which turn an agent's stored conversation into messages. The format of each
//! agent is in its folder of the catalog; plain messages, which several agents write, are read here.

pub(crate) mod author;
pub(crate) mod blocks;
pub(crate) mod contents;
pub(crate) mod external_ids;
pub(crate) mod json;
pub(crate) mod json_lines;
pub(crate) mod line_tree;
pub(crate) mod parent_tracker;
pub(crate) mod plain;
#[cfg(test)]
pub(crate) mod projection_snapshot;
pub(crate) mod prompt;
mod replays;
pub(crate) mod times;
mod torn;
pub(crate) mod transcript_builder;

pub(crate) use json::{JsonObject, RawJson};
pub use torn::whole_lines;
