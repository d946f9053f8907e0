//! What one session was told, so that nothing is told twice; and what its last compaction lost.

use model::ContentHash;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// What is remembered of a session between two hooks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Sitting {
    /// Messages that were injected since the context was last compacted.
    pub(super) injected: Vec<String>,
    /// Whether it was compacted: what the agent was told before is then no longer before its eyes.
    pub(super) compacted: bool,
    /// Facts that the agent's own summary has.
    pub(super) kept: usize,
    /// Facts that it lost, in the order in which they matter.
    pub(super) lost: Vec<String>,
}

fn file(state: &Path, conversation: &str) -> PathBuf {
    let name = ContentHash::of(conversation.as_bytes()).to_string();
    state.join("sessions").join(format!("{}.json", &name[..32]))
}

impl Sitting {
    /// What is known of a session; nothing of a new one.
    pub(super) fn read(state: &Path, conversation: &str) -> Self {
        let bytes = fs_err::read(file(state, conversation)).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    pub(super) fn write(&self, state: &Path, conversation: &str) -> io::Result<()> {
        let file = file(state, conversation);
        crate::atomic::private_folder(file.parent().expect("it is in the folder of sessions"))?;
        crate::atomic::replace(&file, &serde_json::to_string(self).map_err(io::Error::other)?)
    }
}
