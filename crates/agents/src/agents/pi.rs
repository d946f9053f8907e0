//! pi.

use crate::{Agent, AgentEnvironment};

pub(super) const AGENT: Agent = Agent {
    name: "pi",
    transcripts: |around: &AgentEnvironment<'_>| {
        vec![around.resolve_folder("PI_CODING_AGENT_DIR", ".pi/agent").join("sessions")]
    },
};
