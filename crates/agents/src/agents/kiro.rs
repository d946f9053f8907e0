//! Kiro's command line.

use crate::{Agent, AgentEnvironment};

pub(super) const AGENT: Agent = Agent {
    name: "kiro",
    transcripts: |around: &AgentEnvironment<'_>| vec![around.resolve_folder("KIRO_HOME", ".kiro").join("sessions/cli")],
};
