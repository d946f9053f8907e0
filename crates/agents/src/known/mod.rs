//! The agents we know, one file each.

mod antigravity;
mod claude_code;
mod codex;
mod cursor;
mod gemini_cli;
mod opencode;

use crate::Agent;

/// Every agent we know.
pub const ALL: &[&Agent] =
    &[&claude_code::AGENT, &codex::AGENT, &cursor::AGENT, &gemini_cli::AGENT, &antigravity::AGENT, &opencode::AGENT];
