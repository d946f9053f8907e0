//! Codex.

use crate::Agent;

pub(super) const AGENT: Agent = Agent { name: "codex", title: "Codex", homes: &[".codex"] };
