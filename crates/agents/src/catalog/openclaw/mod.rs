//! Registers the agent `openclaw`: its name and its connector, which writes an MCP server only. Its transcripts are not
//! read.

mod connector;

use crate::{Agent, HookTraits};

const NAME: &str = "openclaw";

pub(super) const AGENT: Agent =
    Agent { name: NAME, connector: Some(&connector::CONNECTOR), transcripts: None, hooks: HookTraits::LISTEN_ONLY };
