//! Goose, which keeps all conversations in one database.

use crate::{Agent, AgentEnvironment};

pub(super) const AGENT: Agent = Agent {
    name: "goose",
    transcripts: |around: &AgentEnvironment<'_>| {
        vec![around.resolve_folder("XDG_DATA_HOME", ".local/share").join("goose/sessions/sessions.db")]
    },
};
