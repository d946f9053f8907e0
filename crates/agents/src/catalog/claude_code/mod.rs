//! Registers the agent Claude Code: its name, its connector, its hook traits, and where its transcripts (JSON lines
//! below `.claude/projects`) lie and how they are recognised.

pub(super) mod connector;
mod hooks;
mod transcripts;
mod window;

use crate::format::TranscriptFormat;
use crate::{Agent, AgentEnvironment};
use model::TranscriptContainer;
use std::path::PathBuf;

const NAME: &str = "claude-code";

pub(super) const AGENT: Agent =
    Agent { name: NAME, connector: Some(&connector::CONNECTOR), transcripts: Some(&FORMAT), hooks: hooks::HOOKS };

const FORMAT: TranscriptFormat = TranscriptFormat {
    window: Some(window::WINDOW),
    ..TranscriptFormat::new(NAME, transcript_places, transcripts::build_projection, |file| {
        file.any_line(transcripts::matches_format).then_some(TranscriptContainer::Lines)
    })
};

fn transcript_places(around: &AgentEnvironment<'_>) -> Vec<PathBuf> {
    vec![around.resolve_folder("CLAUDE_CONFIG_DIR", ".claude").join("projects")]
}
