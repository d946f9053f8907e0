//! Registers the agent Windsurf: its name and its connector. Its hooks are the usual ones, and its transcripts are not
//! read.

mod connector;

use crate::{Agent, HookTraits};

const NAME: &str = "windsurf";

pub(super) const AGENT: Agent =
    Agent { name: NAME, connector: Some(&connector::CONNECTOR), transcripts: None, hooks: HookTraits::LISTEN_ONLY };
