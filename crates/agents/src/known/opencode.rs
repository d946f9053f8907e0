//! OpenCode.

use crate::Agent;

pub(super) const AGENT: Agent =
    Agent { name: "opencode", title: "OpenCode", homes: &[".config/opencode", ".local/share/opencode"] };
