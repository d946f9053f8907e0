//! Registers the agent Kiro: its name, its connector, and where the transcripts of its command line (JSON lines below
//! `.kiro/sessions/cli`) lie and how they are recognised.

mod connector;
mod transcripts;

use crate::format::TranscriptFormat;
use crate::{Agent, AgentEnvironment, HookTraits};
use model::TranscriptContainer;
use std::path::PathBuf;

const NAME: &str = "kiro";

pub(super) const AGENT: Agent = Agent {
    name: NAME,
    connector: Some(&connector::CONNECTOR),
    transcripts: Some(&FORMAT),
    hooks: HookTraits::LISTEN_ONLY,
};

const FORMAT: TranscriptFormat =
    TranscriptFormat::new(NAME, transcript_places, transcripts::build_projection, |file| {
        file.any_line(transcripts::matches_format).then_some(TranscriptContainer::Lines)
    });

fn transcript_places(around: &AgentEnvironment<'_>) -> Vec<PathBuf> {
    vec![around.resolve_folder("KIRO_HOME", ".kiro").join("sessions/cli")]
}
