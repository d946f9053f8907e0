//! The agents we know, one file each.

mod aider;
mod antigravity;
mod claude_code;
mod cline;
mod codex;
mod copilot_cli;
mod cursor;
mod droid;
mod gemini_cli;
mod goose;
mod kimi;
mod kimi_code;
mod kiro;
mod opencode;
mod pi;
mod qwen_code;

use crate::Agent;
use crate::session_log::SessionLog;

/// Every agent we know.
pub const ALL: &[&Agent] = &[
    &claude_code::AGENT,
    &codex::AGENT,
    &cursor::AGENT,
    &gemini_cli::AGENT,
    &antigravity::AGENT,
    &opencode::AGENT,
    &qwen_code::AGENT,
    &copilot_cli::AGENT,
    &kiro::AGENT,
    &kimi_code::AGENT,
    &kimi::AGENT,
    &droid::AGENT,
    &pi::AGENT,
    &aider::AGENT,
    &goose::AGENT,
    &cline::AGENT,
];

/// Agents whose hooks name neither the transcript nor the call.
pub(crate) const LOGS: &[SessionLog] = &[copilot_cli::LOG];
