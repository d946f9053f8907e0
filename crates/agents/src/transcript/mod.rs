//! Transcripts of agents, read into messages. One module per format; what they do alike is in `fed` and `json`.

pub(crate) mod aider;
pub(crate) mod antigravity;
mod author;
mod blocks;
pub(crate) mod claude_code;
pub(crate) mod cline;
pub(crate) mod codex;
mod contents;
pub(crate) mod copilot_cli;
pub(crate) mod cursor;
pub(crate) mod droid;
mod external_ids;
pub(crate) mod gemini_cli;
pub(crate) mod goose;
mod json;
mod json_lines;
pub(crate) mod kimi;
pub(crate) mod kimi_code;
pub(crate) mod kiro;
mod line_tree;
pub(crate) mod opencode;
mod parent_tracker;
pub(crate) mod pi;
pub(crate) mod plain;
#[cfg(test)]
mod projection_snapshot;
mod prompt;
pub(crate) mod qwen_code;
mod replays;
pub(crate) mod swe_agent;
mod times;
mod torn;
mod transcript_builder;

pub(crate) use json::{JsonObject, RawJson};
pub use torn::whole_lines;
