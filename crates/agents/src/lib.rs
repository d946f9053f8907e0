//! Coding agents as we meet them on disk. Knowledge of their files lives here and nowhere else.
//!
//! One file per agent under `agents/`; adding one is that file and a line in [`agents::ALL`].

mod agents;
pub mod connectors;
mod container;
mod cursor_rows;
mod database;
mod discovery;
mod format;
mod opencode_folder;
mod session_log;
mod transcript;

use std::path::PathBuf;

pub use agents::ALL;
pub use discovery::{
    AgentEnvironment, ConversationLookup, OtherFiles, Transcript, TranscriptSearch, find_conversation,
    find_transcripts, transcripts_at,
};
pub use format::{FORMATS, FormatMatch, TranscriptFormat, recognise_format};
pub use session_log::{logged_messages, session_log};
pub use transcript::whole_lines;

/// A coding agent whose transcripts can be found.
#[derive(Debug)]
pub struct Agent {
    /// Its name in commands and configuration.
    pub name: &'static str,
    /// Where it keeps its transcripts: files, or folders with them below.
    transcripts: fn(&AgentEnvironment<'_>) -> Vec<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> = ALL.iter().map(|agent| agent.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
    }
}
