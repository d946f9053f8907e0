//! Registers the agent Qwen Code: its name, its connector, its hook traits, and where its transcripts (JSON lines below
//! `.qwen/projects`) lie and how they are recognised.

mod connector;
mod hooks;
mod transcripts;

use crate::format::{FormatPrecedence, TranscriptFormat};
use crate::{Agent, AgentEnvironment};
use model::TranscriptContainer;
use std::path::PathBuf;

const NAME: &str = "qwen-code";

pub(super) const AGENT: Agent =
    Agent { name: NAME, connector: Some(&connector::CONNECTOR), transcripts: Some(&FORMAT), hooks: hooks::HOOKS };

const FORMAT: TranscriptFormat = TranscriptFormat {
    // Its lines have the fields of Claude Code's around another message.
    precedence: FormatPrecedence::BeforeOthers,
    ..TranscriptFormat::new(NAME, transcript_places, transcripts::build_projection, |file| {
        file.any_line(transcripts::matches_format).then_some(TranscriptContainer::Lines)
    })
};

fn transcript_places(around: &AgentEnvironment<'_>) -> Vec<PathBuf> {
    // What it writes while it runs may be kept apart from its settings.
    let runtime = (around.variable)("QWEN_RUNTIME_DIR").filter(|folder| !folder.is_empty());
    let folder = runtime.map_or_else(|| around.resolve_folder("QWEN_HOME", ".qwen"), PathBuf::from);
    vec![folder.join("projects")]
}
