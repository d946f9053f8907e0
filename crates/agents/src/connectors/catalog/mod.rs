//! The agents that can be connected, one file each.

mod amp;
mod antigravity;
mod auggie;
mod claude_code;
mod claude_desktop;
mod cline;
mod codex;
mod continue_dev;
mod copilot_cli;
mod cursor;
mod droid;
mod gemini_cli;
mod goose;
mod junie;
mod kilo;
mod kimi_code;
mod kiro;
mod openclaw;
mod opencode;
mod qoder;
mod qwen_code;
mod roo_code;
mod vs_code;
mod warp;
mod windsurf;
mod zed;

use super::Connector;

/// Every agent that can be connected.
pub const CONNECTORS: &[&Connector] = &[
    &claude_code::CONNECTOR,
    &claude_desktop::CONNECTOR,
    &codex::CONNECTOR,
    &cursor::CONNECTOR,
    &windsurf::CONNECTOR,
    // Before VS Code: what both read is Copilot's where it is there.
    &copilot_cli::CONNECTOR,
    &vs_code::CONNECTOR,
    &gemini_cli::CONNECTOR,
    &antigravity::CONNECTOR,
    &opencode::CONNECTOR,
    &zed::CONNECTOR,
    &cline::CONNECTOR,
    &continue_dev::CONNECTOR,
    &junie::CONNECTOR,
    &amp::CONNECTOR,
    &goose::CONNECTOR,
    &kiro::CONNECTOR,
    &qwen_code::CONNECTOR,
    &kilo::CONNECTOR,
    &auggie::CONNECTOR,
    &warp::CONNECTOR,
    &qoder::CONNECTOR,
    &roo_code::CONNECTOR,
    &openclaw::CONNECTOR,
    &kimi_code::CONNECTOR,
    &droid::CONNECTOR,
];
