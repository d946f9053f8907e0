//! Transcripts of agents, read into messages. One module per format; what they do alike is in `fed` and `json`.

pub(crate) mod aider;
mod ancestry;
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
mod fed;
pub(crate) mod gemini_cli;
pub(crate) mod goose;
mod json;
pub(crate) mod kimi;
pub(crate) mod kimi_code;
pub(crate) mod kiro;
mod names;
pub(crate) mod opencode;
pub(crate) mod pi;
pub(crate) mod plain;
mod prompt;
pub(crate) mod qwen_code;
mod replays;
#[cfg(test)]
mod shown;
pub(crate) mod swe_agent;
mod telling;
mod times;
mod torn;
mod trail;

pub(crate) use json::{Json, Object};
pub use torn::whole_lines;
