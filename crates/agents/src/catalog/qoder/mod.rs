//! Qoder CLI.

mod connector;

use crate::{Agent, HookTraits};

const NAME: &str = "qoder";

pub(super) const AGENT: Agent =
    Agent { name: NAME, connector: Some(&connector::CONNECTOR), transcripts: None, hooks: HookTraits::USUAL };
