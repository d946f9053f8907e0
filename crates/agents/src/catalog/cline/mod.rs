//! Registers the agent Cline: its name, its connector, and where the sessions of its command line lie and how they are
//! recognised. What its editor keeps lies elsewhere, in another form, and is not read.

mod connector;
mod transcripts;

use crate::format::TranscriptFormat;
use crate::{Agent, AgentEnvironment, HookTraits};
use model::TranscriptContainer;
use std::path::PathBuf;

const NAME: &str = "cline";

pub(super) const AGENT: Agent = Agent {
    name: NAME,
    connector: Some(&connector::CONNECTOR),
    transcripts: Some(&FORMAT),
    hooks: HookTraits::LISTEN_ONLY,
};

const FORMAT: TranscriptFormat = TranscriptFormat::new(NAME, transcript_places, transcripts::projection, |file| {
    file.matches_whole(transcripts::recognises).then_some(TranscriptContainer::Document)
});

fn transcript_places(around: &AgentEnvironment<'_>) -> Vec<PathBuf> {
    vec![around.resolve_folder("CLINE_DIR", ".cline").join("data/sessions")]
}
