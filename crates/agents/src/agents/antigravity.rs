//! Antigravity: two editors of different age and a command line, each with a folder of its own beside Gemini CLI's.

use crate::{Agent, Surroundings};

const HOMES: [&str; 3] = [".gemini/antigravity", ".gemini/antigravity-ide", ".gemini/antigravity-cli"];

pub(super) const AGENT: Agent = Agent {
    name: "antigravity",
    transcripts: |around: &Surroundings<'_>| HOMES.iter().map(|home| around.home.join(home).join("brain")).collect(),
};
