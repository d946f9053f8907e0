//! Transcripts of agents, read into messages. One module per format; what they do alike is in `fed` and `json`.

mod blocks;
pub(crate) mod claude_code;
mod fed;
mod json;
mod names;
pub(crate) mod plain;
#[cfg(test)]
mod shown;

pub(crate) use json::Object;
