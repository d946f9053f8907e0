//! Gemini CLI.

use crate::Agent;

pub(super) const AGENT: Agent = Agent { name: "gemini-cli", title: "Gemini CLI", homes: &[".gemini"] };
