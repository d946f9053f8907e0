//! VS Code.

mod connector;
mod hooks;

use crate::Agent;

const NAME: &str = "vs-code";

pub(super) const AGENT: Agent =
    Agent { name: NAME, connector: Some(&connector::CONNECTOR), transcripts: None, hooks: hooks::HOOKS };
