//! Registers the agent OpenCode: its name, its connector, its hook traits, and where its conversations lie (the SQLite
//! database `opencode.db`, or the older folder `storage`) and how they are recognised.

pub(super) mod connector;
mod folder;
mod hooks;
mod rows;
mod transcripts;

use crate::format::{FileHead, TranscriptFormat};
use crate::{Agent, AgentEnvironment};
use model::TranscriptContainer;
use std::path::PathBuf;

const NAME: &str = "opencode";

pub(super) const AGENT: Agent =
    Agent { name: NAME, connector: Some(&connector::CONNECTOR), transcripts: Some(&FORMAT), hooks: hooks::HOOKS };

const FORMAT: TranscriptFormat = TranscriptFormat {
    rows: Some(rows::ROWS),
    folder: Some(folder::FOLDER),
    ..TranscriptFormat::new(NAME, transcript_places, transcripts::build_projection, recognise_file)
};

fn transcript_places(around: &AgentEnvironment<'_>) -> Vec<PathBuf> {
    let folder = around.resolve_folder("XDG_DATA_HOME", ".local/share").join("opencode");
    let database = (around.variable)("OPENCODE_DB").map(PathBuf::from);
    vec![database.unwrap_or_else(|| folder.join("opencode.db")), folder.join("storage")]
}

fn recognise_file(file: &FileHead<'_>) -> Option<TranscriptContainer> {
    // Other programs have SQLite databases too, so the file's name has to fit.
    let is_database = file.is_sqlite() && file.is_called("opencode", ".db");
    let is_rows = file.any_line(transcripts::matches_format);
    is_database.then_some(TranscriptContainer::Rows).or(is_rows.then_some(TranscriptContainer::Lines))
}
