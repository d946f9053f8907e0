//! Gemini CLI.

use crate::{Agent, AgentEnvironment};

pub(super) const AGENT: Agent =
    Agent { name: "gemini-cli", transcripts: |around: &AgentEnvironment<'_>| vec![around.home.join(".gemini/tmp")] };
