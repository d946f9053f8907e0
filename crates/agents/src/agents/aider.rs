//! Aider, which writes into the project it works on: only a file that a variable names can be found without a path.

use std::path::PathBuf;

use crate::{Agent, AgentEnvironment};

pub(super) const AGENT: Agent = Agent {
    name: "aider",
    transcripts: |around: &AgentEnvironment<'_>| {
        (around.variable)("AIDER_CHAT_HISTORY_FILE").map(PathBuf::from).into_iter().collect()
    },
};
