//! Gemini CLI.

use crate::{Agent, Surroundings};

pub(super) const AGENT: Agent =
    Agent { name: "gemini-cli", transcripts: |around: &Surroundings<'_>| vec![around.home.join(".gemini/tmp")] };
