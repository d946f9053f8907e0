//! Codex.

use crate::{Agent, AgentEnvironment};

pub(super) const AGENT: Agent = Agent {
    name: "codex",
    transcripts: |around: &AgentEnvironment<'_>| {
        let folder = around.resolve_folder("CODEX_HOME", ".codex");
        vec![folder.join("sessions"), folder.join("archived_sessions")]
    },
};
