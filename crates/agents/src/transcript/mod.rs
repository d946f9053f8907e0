//! Transcripts of agents, read into messages. One module per format; what they do alike is in `fed` and `json`.

pub(crate) mod antigravity;
mod blocks;
pub(crate) mod claude_code;
pub(crate) mod codex;
pub(crate) mod cursor;
mod fed;
pub(crate) mod gemini_cli;
mod json;
mod names;
pub(crate) mod opencode;
pub(crate) mod plain;
#[cfg(test)]
mod shown;
mod trail;

pub(crate) use json::{Json, Object};
