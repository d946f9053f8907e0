//! Registers the agent Warp: its name and its connector. No hooks are registered, and its transcripts are not read.

mod connector;

use crate::{Agent, HookTraits};

const NAME: &str = "warp";

pub(super) const AGENT: Agent =
    Agent { name: NAME, connector: Some(&connector::CONNECTOR), transcripts: None, hooks: HookTraits::LISTEN_ONLY };
