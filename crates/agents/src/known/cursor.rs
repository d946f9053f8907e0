//! Cursor.

use crate::Agent;

pub(super) const AGENT: Agent = Agent { name: "cursor", title: "Cursor", homes: &[".cursor"] };
