//! Kiro's command line.

use crate::{Agent, Surroundings};

pub(super) const AGENT: Agent = Agent {
    name: "kiro",
    transcripts: |around: &Surroundings<'_>| vec![around.resolve_folder("KIRO_HOME", ".kiro").join("sessions/cli")],
};
