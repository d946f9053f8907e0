//! Droid, Factory's agent.

use crate::{Agent, AgentEnvironment};

pub(super) const AGENT: Agent =
    Agent { name: "droid", transcripts: |around: &AgentEnvironment<'_>| vec![around.home.join(".factory/sessions")] };
