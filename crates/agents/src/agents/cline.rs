//! Cline's command line. What its editor keeps lies elsewhere, in another form.

use crate::{Agent, AgentEnvironment};

pub(super) const AGENT: Agent = Agent {
    name: "cline",
    transcripts: |around: &AgentEnvironment<'_>| {
        vec![around.resolve_folder("CLINE_DIR", ".cline").join("data/sessions")]
    },
};
