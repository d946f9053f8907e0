//! pi.

use crate::{Agent, Surroundings};

pub(super) const AGENT: Agent = Agent {
    name: "pi",
    transcripts: |around: &Surroundings<'_>| {
        vec![around.resolve_folder("PI_CODING_AGENT_DIR", ".pi/agent").join("sessions")]
    },
};
