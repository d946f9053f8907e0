//! Registers the agent VS Code (with Copilot): its name, its connector and its hook traits. Its transcripts are not
//! read.

mod connector;
mod hooks;

use crate::Agent;

const NAME: &str = "vs-code";

pub(super) const AGENT: Agent =
    Agent { name: NAME, connector: Some(&connector::CONNECTOR), transcripts: None, hooks: hooks::HOOKS };
