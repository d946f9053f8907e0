//! Copilot CLI.

use crate::session_log::SessionLog;
use crate::{Agent, AgentEnvironment};

pub(super) const AGENT: Agent = Agent {
    name: "copilot-cli",
    transcripts: |around: &AgentEnvironment<'_>| {
        vec![around.resolve_folder("COPILOT_HOME", ".copilot").join("session-state")]
    },
};

/// Only the end of a turn names the file, and no event the call that it is the result of.
pub(super) const LOG: SessionLog =
    SessionLog { agent: &AGENT, file: |folder, session| folder.join(session).join("events.jsonl") };
