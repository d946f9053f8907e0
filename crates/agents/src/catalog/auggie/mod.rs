//! Registers the agent Auggie: its name, its connector and its hook traits. Its transcripts are not read.

mod connector;
mod hooks;

use crate::Agent;

const NAME: &str = "auggie";

pub(super) const AGENT: Agent =
    Agent { name: NAME, connector: Some(&connector::CONNECTOR), transcripts: None, hooks: hooks::HOOKS };
