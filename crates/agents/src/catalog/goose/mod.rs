//! Registers the agent Goose: its name, its connector, and where its conversations lie and how the file is recognised.
//! Goose keeps all conversations in one SQLite database.

mod connector;
mod rows;
mod transcripts;

use crate::format::{FileHead, TranscriptFormat};
use crate::{Agent, AgentEnvironment, HookTraits};
use model::TranscriptContainer;
use std::path::PathBuf;

const NAME: &str = "goose";

pub(super) const AGENT: Agent = Agent {
    name: NAME,
    connector: Some(&connector::CONNECTOR),
    transcripts: Some(&FORMAT),
    hooks: HookTraits::LISTEN_ONLY,
};

const FORMAT: TranscriptFormat = TranscriptFormat {
    rows: Some(rows::ROWS),
    ..TranscriptFormat::new(NAME, transcript_places, transcripts::projection, recognise_file)
};

fn transcript_places(around: &AgentEnvironment<'_>) -> Vec<PathBuf> {
    vec![around.resolve_folder("XDG_DATA_HOME", ".local/share").join("goose/sessions/sessions.db")]
}

fn recognise_file(file: &FileHead<'_>) -> Option<TranscriptContainer> {
    let is_database = file.is_sqlite() && transcripts::is_database(file.path());
    let is_rows = file.any_line(transcripts::recognises);
    is_database.then_some(TranscriptContainer::Rows).or(is_rows.then_some(TranscriptContainer::Lines))
}
