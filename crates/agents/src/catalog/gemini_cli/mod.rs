//! Registers the agent Gemini CLI: its name, its connector, its hook traits, and where its transcripts (JSON lines,
//! earlier one JSON document, below `.gemini/tmp`) lie and how they are recognised.

mod connector;
mod hooks;
mod transcripts;

use crate::format::TranscriptFormat;
use crate::{Agent, AgentEnvironment};
use model::TranscriptContainer;
use std::path::{Path, PathBuf};

const NAME: &str = "gemini-cli";

pub(super) const AGENT: Agent =
    Agent { name: NAME, connector: Some(&connector::CONNECTOR), transcripts: Some(&FORMAT), hooks: hooks::HOOKS };

const FORMAT: TranscriptFormat = TranscriptFormat {
    project_beside: Some(project_root),
    ..TranscriptFormat::new(NAME, transcript_places, transcripts::build_projection, |file| {
        let is_document =
            file.has_extension("json") || file.text().lines().next().is_some_and(|line| line.trim() == "{");
        let container = if is_document { TranscriptContainer::Document } else { TranscriptContainer::Lines };
        file.matches_whole(transcripts::matches_format).then_some(container)
    })
};

fn transcript_places(around: &AgentEnvironment<'_>) -> Vec<PathBuf> {
    vec![around.home.join(".gemini/tmp")]
}

/// The project of a transcript: Gemini CLI does not write it there, but into a file beside the folder of transcripts.
fn project_root(path: &Path) -> Option<String> {
    let mut beside = path.ancestors().skip(1).take(3).map(|folder| folder.join(".project_root"));
    let root = beside.find_map(|file| fs_err::read_to_string(file).ok())?;
    Some(root.trim().to_owned()).filter(|root| !root.is_empty())
}
