//! OpenCode.

use std::path::PathBuf;

use crate::{Agent, AgentEnvironment};

pub(super) const AGENT: Agent = Agent {
    name: "opencode",
    transcripts: |around: &AgentEnvironment<'_>| {
        let folder = around.resolve_folder("XDG_DATA_HOME", ".local/share").join("opencode");
        let database = (around.variable)("OPENCODE_DB").map(PathBuf::from);
        vec![database.unwrap_or_else(|| folder.join("opencode.db")), folder.join("storage")]
    },
};
