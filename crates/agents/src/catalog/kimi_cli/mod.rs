//! Registers the agent Kimi CLI, the predecessor of Kimi Code: its name, and where its transcripts (JSON lines below
//! `.kimi/sessions`) lie and how they are recognised. There is no connector.

mod transcripts;

use crate::format::TranscriptFormat;
use crate::{Agent, AgentEnvironment, HookTraits};
use model::TranscriptContainer;
use std::path::PathBuf;

const NAME: &str = "kimi-cli";

pub(super) const AGENT: Agent =
    Agent { name: NAME, connector: None, transcripts: Some(&FORMAT), hooks: HookTraits::LISTEN_ONLY };

const FORMAT: TranscriptFormat =
    TranscriptFormat::new(NAME, transcript_places, transcripts::build_projection, |file| {
        file.any_line(transcripts::matches_format).then_some(TranscriptContainer::Lines)
    });

fn transcript_places(around: &AgentEnvironment<'_>) -> Vec<PathBuf> {
    vec![around.resolve_folder("KIMI_SHARE_DIR", ".kimi").join("sessions")]
}
