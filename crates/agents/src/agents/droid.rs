//! Droid, Factory's agent.

use crate::{Agent, Surroundings};

pub(super) const AGENT: Agent =
    Agent { name: "droid", transcripts: |around: &Surroundings<'_>| vec![around.home.join(".factory/sessions")] };
