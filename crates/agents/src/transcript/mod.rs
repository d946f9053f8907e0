//! Transcripts of agents, read into messages. One module per format; what they do alike is in `fed` and `json`.

pub(crate) mod aider;
mod line_tree;
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
mod json_lines;
pub(crate) mod gemini_cli;
pub(crate) mod goose;
mod json;
pub(crate) mod kimi;
pub(crate) mod kimi_code;
pub(crate) mod kiro;
mod external_ids;
pub(crate) mod opencode;
pub(crate) mod pi;
pub(crate) mod plain;
mod prompt;
pub(crate) mod qwen_code;
mod replays;
#[cfg(test)]
mod projection_snapshot;
pub(crate) mod swe_agent;
mod transcript_builder;
mod times;
mod torn;
mod parent_tracker;

pub(crate) use json::{RawJson, JsonObject};
pub use torn::whole_lines;
