//! Claude Desktop.

mod connector;

use crate::{Agent, HookTraits};

const NAME: &str = "claude-desktop";

pub(super) const AGENT: Agent =
    Agent { name: NAME, connector: Some(&connector::CONNECTOR), transcripts: None, hooks: HookTraits::USUAL };
