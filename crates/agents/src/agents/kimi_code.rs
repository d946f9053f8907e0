//! Kimi Code.

use crate::{Agent, AgentEnvironment};

pub(super) const AGENT: Agent = Agent {
    name: "kimi-code",
    transcripts: |around: &AgentEnvironment<'_>| {
        vec![around.resolve_folder("KIMI_CODE_HOME", ".kimi-code").join("sessions")]
    },
};
