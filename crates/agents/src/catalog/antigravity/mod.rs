//! Registers the agent Antigravity: its name, connector, hook traits and where its transcripts lie. Antigravity is two
//! editors of different age and a command line, each with a folder of its own beside Gemini CLI's.

mod connector;
mod hooks;
mod transcripts;

use crate::format::TranscriptFormat;
use crate::{Agent, AgentEnvironment};
use model::TranscriptContainer;
use std::path::{Path, PathBuf};

const NAME: &str = "antigravity";

pub(super) const AGENT: Agent =
    Agent { name: NAME, connector: Some(&connector::CONNECTOR), transcripts: Some(&FORMAT), hooks: hooks::HOOKS };

const FORMAT: TranscriptFormat = TranscriptFormat {
    fuller_file: Some(full_transcript),
    ..TranscriptFormat::new(NAME, transcript_places, transcripts::build_projection, |file| {
        file.any_line(transcripts::matches_format).then_some(TranscriptContainer::Lines)
    })
};

const HOMES: [&str; 3] = [".gemini/antigravity", ".gemini/antigravity-ide", ".gemini/antigravity-cli"];

fn transcript_places(around: &AgentEnvironment<'_>) -> Vec<PathBuf> {
    HOMES.iter().map(|home| around.home.join(home).join("brain")).collect()
}

/// The same transcript with long outputs whole, which lies beside the one that its hooks name.
fn full_transcript(path: &Path) -> Option<PathBuf> {
    let is_short = path.file_name().is_some_and(|name| name == "transcript.jsonl");
    is_short.then(|| path.with_file_name("transcript_full.jsonl")).filter(|fuller| fuller.is_file())
}
