//! The agents that are tried: which version, how it is told to use the scripted model, how its user talks to it, and what
//! its hooks can do.

use std::net::SocketAddr;

use anyhow::Result;

use super::stage::Stage;
use super::talk::{Going, Talk};

mod claude_code;
mod codex;
mod gemini_cli;
mod opencode;
mod qwen_code;

/// What is known about one agent.
pub(super) struct Host {
    /// As its connector is called.
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// In npm's registry.
    pub(super) package: &'static str,
    pub(super) version: &'static str,
    /// Below `node_modules`.
    pub(super) program: &'static str,
    /// Whether it is played with every change; the others are played by hand, and their runs recorded.
    pub(super) is_in_ci: bool,
    /// What it is called on the search path.
    pub(super) command: &'static str,
    /// Writes what stands in its files before we are connected: what its user wrote, and where the model is.
    pub(super) prepare: fn(&Stage, SocketAddr) -> Result<()>,
    pub(super) open: for<'s> fn(&'s Stage, SocketAddr, Going) -> Result<Box<dyn Talk + 's>>,
    pub(super) compaction: Compaction,
    /// Whether its model has a tool for a list of open steps, without a person at the keyboard.
    pub(super) has_plans: bool,
    pub(super) hooks: Hooks,
    /// How the names of its transcripts end, where each is a file with the id of its session in the name.
    pub(super) transcript: Option<&'static str>,
}

/// How an agent is made to compact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compaction {
    /// Its user says so.
    Command(&'static str),
    /// The model claims to have read that many tokens.
    Claim(u64),
}

/// What its hooks can do, as it was seen.
pub(super) struct Hooks {
    /// Events that a day has for certain.
    pub(super) events: &'static [&'static str],
    /// What hooks answer at the start of a session is in the next request.
    pub(super) reads_start: bool,
    /// What hooks answer to a prompt is in the next request.
    pub(super) reads_prompts: bool,
    /// A hook may replace the output of a tool.
    pub(super) replaces_outputs: bool,
    /// What hooks or transcripts get of a long output is all of it, or says where that is.
    pub(super) hands_on_outputs: bool,
    /// There is an event between a compaction and the next request whose answer is in that request.
    pub(super) restores: bool,
}

pub(super) const ALL: &[Host] = &[claude_code::HOST, codex::HOST, gemini_cli::HOST, qwen_code::HOST, opencode::HOST];
