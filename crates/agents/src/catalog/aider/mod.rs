//! Registers the agent Aider: its name and how its chat history files are found and recognised. There is no connector.
//! Aider writes into the project it works on, so only a file that an environment variable names can be found without a
//! path.

mod transcripts;

use crate::format::TranscriptFormat;
use crate::{Agent, AgentEnvironment, HookTraits};
use model::TranscriptContainer;
use std::path::PathBuf;

const NAME: &str = "aider";

pub(super) const AGENT: Agent =
    Agent { name: NAME, connector: None, transcripts: Some(&FORMAT), hooks: HookTraits::LISTEN_ONLY };

const FORMAT: TranscriptFormat = TranscriptFormat {
    file_end: Some(transcripts::FILE),
    ..TranscriptFormat::new(NAME, transcript_places, transcripts::build_projection, |file| {
        (file.has_extension("md") && transcripts::matches_format(file.text())).then_some(TranscriptContainer::Lines)
    })
};

fn transcript_places(around: &AgentEnvironment<'_>) -> Vec<PathBuf> {
    (around.variable)("AIDER_CHAT_HISTORY_FILE").map(PathBuf::from).into_iter().collect()
}
