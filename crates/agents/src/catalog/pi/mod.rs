//! Registers the agent pi: its name, and where its transcripts (JSON lines below `.pi/agent/sessions`) lie and how they
//! are recognised. There is no connector.

mod transcripts;

use crate::format::TranscriptFormat;
use crate::{Agent, AgentEnvironment, HookTraits};
use model::TranscriptContainer;
use std::path::PathBuf;

const NAME: &str = "pi";

pub(super) const AGENT: Agent =
    Agent { name: NAME, connector: None, transcripts: Some(&FORMAT), hooks: HookTraits::LISTEN_ONLY };

const FORMAT: TranscriptFormat =
    TranscriptFormat::new(NAME, transcript_places, transcripts::build_projection, |file| {
        file.any_line(transcripts::matches_format).then_some(TranscriptContainer::Lines)
    });

fn transcript_places(around: &AgentEnvironment<'_>) -> Vec<PathBuf> {
    vec![around.resolve_folder("PI_CODING_AGENT_DIR", ".pi/agent").join("sessions")]
}
