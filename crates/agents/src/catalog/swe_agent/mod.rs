//! Registers the agent SWE-agent: its name and how its transcripts (trajectories, JSON documents) are recognised.
//! Trajectories lie wherever the user runs it, so there is no place to search. There is no connector.

mod transcripts;

use crate::format::TranscriptFormat;
use crate::{Agent, AgentEnvironment, HookTraits};
use model::TranscriptContainer;
use std::path::PathBuf;

const NAME: &str = "swe-agent";

pub(super) const AGENT: Agent =
    Agent { name: NAME, connector: None, transcripts: Some(&FORMAT), hooks: HookTraits::LISTEN_ONLY };

const FORMAT: TranscriptFormat =
    TranscriptFormat::new(NAME, transcript_places, transcripts::build_projection, |file| {
        (file.has_extension("traj") && file.matches_whole(transcripts::matches_format))
            .then_some(TranscriptContainer::Document)
    });

fn transcript_places(_: &AgentEnvironment<'_>) -> Vec<PathBuf> {
    Vec::new()
}
