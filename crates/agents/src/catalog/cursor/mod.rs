//! Registers the agent Cursor: its name, its connector, and where its conversations lie (the editor's SQLite database
//! `state.vscdb`, JSON lines of its command line) and how those files are recognised.

mod connector;
mod rows;
mod transcripts;

use crate::format::{FileHead, TranscriptFormat};
use crate::transcript::plain;
use crate::{Agent, AgentEnvironment, HookTraits};
use model::TranscriptContainer;
use std::path::PathBuf;

const NAME: &str = "cursor";

pub(super) const AGENT: Agent = Agent {
    name: NAME,
    connector: Some(&connector::CONNECTOR),
    transcripts: Some(&FORMAT),
    hooks: HookTraits::LISTEN_ONLY,
};

const FORMAT: TranscriptFormat = TranscriptFormat {
    rows: Some(rows::ROWS),
    ..TranscriptFormat::new(NAME, transcript_places, transcripts::build_projection, recognise_file)
};

/// Where its editor keeps data, on each system.
const EDITOR: [&str; 2] = [".config/Cursor", "Library/Application Support/Cursor"];

fn transcript_places(around: &AgentEnvironment<'_>) -> Vec<PathBuf> {
    let windows = (around.variable)("APPDATA").map(|folder| PathBuf::from(folder).join("Cursor"));
    let editor = EDITOR.iter().map(|folder| around.home.join(folder)).chain(windows);
    let databases = editor.map(|folder| folder.join("User/globalStorage/state.vscdb"));
    databases.chain([around.home.join(".cursor/projects")]).collect()
}

fn recognise_file(file: &FileHead<'_>) -> Option<TranscriptContainer> {
    if file.is_sqlite() {
        return file.is_called("state", ".vscdb").then_some(TranscriptContainer::Rows);
    }
    let is_lines = file.any_line(transcripts::matches_format)
        || (transcripts::is_of_command_line(file.path()) && file.any_line(plain::matches_format));
    is_lines.then_some(TranscriptContainer::Lines)
}
