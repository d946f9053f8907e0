//! Registers the agent Amp: its name and its connector. No hooks are registered, and its transcripts are not read.

mod connector;

use crate::{Agent, HookTraits};

const NAME: &str = "amp";

pub(super) const AGENT: Agent =
    Agent { name: NAME, connector: Some(&connector::CONNECTOR), transcripts: None, hooks: HookTraits::LISTEN_ONLY };
