//! Copilot CLI.

use crate::{Agent, AgentEnvironment};

pub(super) const AGENT: Agent = Agent {
    name: "copilot-cli",
    transcripts: |around: &AgentEnvironment<'_>| {
        vec![around.resolve_folder("COPILOT_HOME", ".copilot").join("session-state")]
    },
};
