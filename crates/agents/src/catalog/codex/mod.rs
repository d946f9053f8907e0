//! Registers the agent Codex: its name, its connector, its hook traits, and where its transcripts (rollouts, JSON lines
//! below `.codex/sessions`) lie and how they are recognised.

mod connector;
mod hooks;
mod transcripts;

use crate::format::TranscriptFormat;
use crate::{Agent, AgentEnvironment};
use model::TranscriptContainer;
use std::path::PathBuf;

const NAME: &str = "codex";

pub(super) const AGENT: Agent =
    Agent { name: NAME, connector: Some(&connector::CONNECTOR), transcripts: Some(&FORMAT), hooks: hooks::HOOKS };

const FORMAT: TranscriptFormat =
    TranscriptFormat::new(NAME, transcript_places, transcripts::build_projection, |file| {
        file.any_line(transcripts::matches_format).then_some(TranscriptContainer::Lines)
    });

fn transcript_places(around: &AgentEnvironment<'_>) -> Vec<PathBuf> {
    let folder = around.resolve_folder("CODEX_HOME", ".codex");
    vec![folder.join("sessions"), folder.join("archived_sessions")]
}
