//! Claude Code.

use crate::{Agent, Surroundings};

pub(super) const AGENT: Agent = Agent {
    name: "claude-code",
    title: "Claude Code",
    homes: &[".claude"],
    transcripts: |around: &Surroundings<'_>| vec![around.folder("CLAUDE_CONFIG_DIR", ".claude").join("projects")],
};
