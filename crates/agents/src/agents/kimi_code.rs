//! Kimi Code.

use crate::{Agent, Surroundings};

pub(super) const AGENT: Agent = Agent {
    name: "kimi-code",
    transcripts: |around: &Surroundings<'_>| {
        vec![around.resolve_folder("KIMI_CODE_HOME", ".kimi-code").join("sessions")]
    },
};
