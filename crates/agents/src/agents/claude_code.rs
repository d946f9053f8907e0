//! Claude Code.

use crate::{Agent, Surroundings};

pub(super) const AGENT: Agent = Agent {
    name: "claude-code",
    transcripts: |around: &Surroundings<'_>| {
        vec![around.resolve_folder("CLAUDE_CONFIG_DIR", ".claude").join("projects")]
    },
};
