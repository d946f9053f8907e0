//! Kimi CLI, which was there before Kimi Code.

use crate::{Agent, AgentEnvironment};

pub(super) const AGENT: Agent = Agent {
    name: "kimi-cli",
    transcripts: |around: &AgentEnvironment<'_>| {
        vec![around.resolve_folder("KIMI_SHARE_DIR", ".kimi").join("sessions")]
    },
};
