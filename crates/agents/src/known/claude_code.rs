//! Claude Code.

use crate::Agent;

pub(super) const AGENT: Agent = Agent { name: "claude-code", title: "Claude Code", homes: &[".claude"] };
