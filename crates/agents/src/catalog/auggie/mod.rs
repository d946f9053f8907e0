//! Auggie.

mod connector;
mod hooks;

use crate::Agent;

const NAME: &str = "auggie";

pub(super) const AGENT: Agent =
    Agent { name: NAME, connector: Some(&connector::CONNECTOR), transcripts: None, hooks: hooks::HOOKS };
