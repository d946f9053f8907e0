//! Copilot CLI.

use crate::{Agent, Surroundings};

pub(super) const AGENT: Agent = Agent {
    name: "copilot-cli",
    transcripts: |around: &Surroundings<'_>| {
        vec![around.resolve_folder("COPILOT_HOME", ".copilot").join("session-state")]
    },
};
