//! Antigravity: two editors of different age and a command line, each with a folder of its own beside Gemini CLI's.

use crate::{Agent, AgentEnvironment};

const HOMES: [&str; 3] = [".gemini/antigravity", ".gemini/antigravity-ide", ".gemini/antigravity-cli"];

pub(super) const AGENT: Agent = Agent {
    name: "antigravity",
    transcripts: |around: &AgentEnvironment<'_>| {
        HOMES.iter().map(|home| around.home.join(home).join("brain")).collect()
    },
};
