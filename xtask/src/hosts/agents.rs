//! The table of agents that the end-to-end tests run (`HostAgent`): setup for the scripted model, how a prompt is
//! passed, and what the agent and its hooks can do. Package and version come from `tried.toml`.

use std::net::SocketAddr;

use anyhow::{Context as _, Result};

use super::agent_session::SessionTarget;
use super::sandbox::HostSandbox;

mod claude_code;
mod codex;
mod copilot_cli;
mod gemini_cli;
mod goose;
mod opencode;
mod qwen_code;

/// The description of one agent.
pub(super) struct HostAgent {
    /// As its connector is called.
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// Below `node_modules`.
    pub(super) program: &'static str,
    /// Whether it is played with every change; the others are played by hand, and their runs recorded.
    pub(super) is_in_ci: bool,
    /// Its name on the search path.
    pub(super) command: &'static str,
    /// Writes what stands in its files before we are connected: what its user wrote, and where the model is.
    pub(super) prepare: fn(&HostSandbox, SocketAddr) -> Result<()>,
    /// Variables of its environment.
    pub(super) variables: fn(SocketAddr) -> Vec<(&'static str, String)>,
    pub(super) manner: SessionManner,
    pub(super) compaction: CompactionTrigger,
    /// Events of its hooks that a day has for certain.
    pub(super) events: &'static [&'static str],
    pub(super) abilities: &'static [HostAbility],
    /// How the names of its transcripts end, where each is a file with the id of its session in the name.
    pub(super) transcript: Option<&'static str>,
}

/// How an agent is made to compact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CompactionTrigger {
    /// Its user says so.
    Command(&'static str),
    /// The model claims to have read that many tokens.
    Claim(u64),
}

/// How its user talks to it without a keyboard.
#[derive(Clone, Copy)]
pub(super) enum SessionManner {
    /// One process for all turns, started with these arguments.
    Stream(fn(&SessionTarget) -> Vec<String>),
    /// One process a turn, with these arguments; in what it prints is the id of the conversation.
    Turns(fn(&SessionTarget, &str) -> Vec<String>, fn(&str) -> Option<String>),
}

/// Abilities of an agent, as observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HostAbility {
    /// The answer of a hook at the start of a session is in the next request.
    ReadsStart,
    /// The answer of a hook to a prompt is in the next request.
    ReadsPrompts,
    /// A hook may replace the output of a tool.
    ReplacesOutputs,
    /// Hooks or transcripts get the whole of a long output, or the path of a file with it.
    HandsOnOutputs,
    /// There is an event between a compaction and the next request whose answer is in that request.
    Restores,
    /// It names its calls to servers, and its transcript shows what its model has in its context.
    ShowsContext,
    /// Its model has a tool for a list of open steps, without a person at the keyboard.
    Plans,
}

/// The installation of an agent.
pub(super) struct Pinned {
    /// In npm's registry.
    pub(super) package: String,
    pub(super) version: String,
}

/// The program reads the same file: it tells of agents that are newer.
const TESTED_VERSIONS_TOML: &str = include_str!("../../../crates/agents/src/connectors/tried.toml");

impl HostAgent {
    pub(super) fn pinned(&self) -> Result<Pinned> {
        let tried: toml::Table = TESTED_VERSIONS_TOML.parse()?;
        let word = |name: &str| Some(tried.get(self.name)?.get(name)?.as_str()?.to_owned());
        let (package, version) = word("package").zip(word("version")).context("tried.toml does not have the agent")?;
        Ok(Pinned { package, version })
    }

    pub(super) fn has_ability(&self, ability: HostAbility) -> bool {
        self.abilities.contains(&ability)
    }
}

pub(super) const HOST_AGENTS: &[HostAgent] = &[
    claude_code::HOST,
    codex::HOST,
    gemini_cli::HOST,
    qwen_code::HOST,
    opencode::HOST,
    copilot_cli::HOST,
    goose::HOST,
];
