//! Claude Code.

use crate::{Agent, AgentEnvironment};

pub(super) const AGENT: Agent = Agent {
    name: "claude-code",
    transcripts: |around: &AgentEnvironment<'_>| {
        vec![around.resolve_folder("CLAUDE_CONFIG_DIR", ".claude").join("projects")]
    },
};
