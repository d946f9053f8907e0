//! Kimi CLI, which was there before Kimi Code.

use crate::{Agent, Surroundings};

pub(super) const AGENT: Agent = Agent {
    name: "kimi-cli",
    transcripts: |around: &Surroundings<'_>| vec![around.resolve_folder("KIMI_SHARE_DIR", ".kimi").join("sessions")],
};
