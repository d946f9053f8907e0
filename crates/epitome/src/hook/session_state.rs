//! The texts that one session received, so that none is injected twice; and the facts that its last compaction lost.

use model::ContentHash;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The state of a session between two hooks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct SessionState {
    /// Messages that were injected since the context was last compacted.
    pub(super) injected: Vec<String>,
    /// Whether it was compacted: texts from before are then no longer in the agent's context.
    pub(super) compacted: bool,
    /// Facts that the agent's own summary has.
    pub(super) kept: usize,
    /// Facts that the compaction lost and that were not injected again yet, the most important first.
    pub(super) lost: Vec<String>,
    /// Facts that were injected again since the last compaction, until the session has gone on with them.
    pub(super) restored: Vec<String>,
    /// How long the transcript was when they were injected.
    pub(super) restored_at: u64,
    /// Whether what the summary of the compaction that is going on lost is known.
    pub(super) is_compared: bool,
    /// Whether the last compaction was looked at and counted.
    pub(super) is_counted: bool,
}

fn session_path(state: &Path, conversation: &str) -> PathBuf {
    let name = ContentHash::hash_bytes(conversation.as_bytes()).to_string();
    state.join("sessions").join(format!("{}.json", &name[..32]))
}

/// A session whose state was not written for so long is taken as over.
const LONGEST: Duration = Duration::from_hours(60 * 24);

/// Forgets sessions that are long over.
pub(super) fn prune_sessions(state: &Path, now: SystemTime) -> io::Result<()> {
    let entries = match fs_err::read_dir(state.join("sessions")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        // A clock that was set back gives no age, and nothing is removed.
        let age = now.duration_since(entry.metadata()?.modified()?).unwrap_or_default();
        if age > LONGEST {
            fs_err::remove_file(entry.path())?;
        }
    }
    Ok(())
}

impl SessionState {
    /// Forgets what was worked out about the compaction before this one.
    pub(super) fn forget_compaction(&mut self) {
        (self.kept, self.is_compared, self.is_counted) = (0, false, false);
        self.lost.clear();
        self.restored.clear();
    }

    /// The injected text did not reach the session: its facts count as lost again.
    pub(super) fn lose_restored(&mut self) {
        self.lost.append(&mut self.restored);
    }

    /// Takes over the facts that a comparison with the agent's summary found lost, without those injected again
    /// already.
    pub(super) fn note_compared(&mut self, kept: usize, mut lost: Vec<String>) {
        // Facts that were injected again after this compaction are in the agent's context.
        lost.retain(|fact| !self.restored.contains(fact));
        (self.compacted, self.is_compared) = (true, true);
        self.injected.clear();
        if !self.is_counted || !lost.is_empty() {
            (self.kept, self.lost) = (kept, lost);
        }
    }

    /// The state of a session; empty for a new one.
    pub(super) fn read(state: &Path, conversation: &str) -> Self {
        let bytes = fs_err::read(session_path(state, conversation)).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    pub(super) fn write(&self, state: &Path, conversation: &str) -> io::Result<()> {
        let file = session_path(state, conversation);
        crate::atomic::create_private_folder(file.parent().expect("it is in the folder of sessions"))?;
        // The file says what not to tell again; telling it twice after a power cut does no harm.
        crate::atomic::replace_unsynced(&file, &serde_json::to_string(self).map_err(io::Error::other)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_forgotten_when_nobody_came_back_to_it() {
        let state = tempfile::tempdir().expect("a temporary directory");
        let sitting = SessionState { injected: vec!["msg_1".to_owned()], ..SessionState::default() };
        sitting.write(state.path(), "a").expect("it is written");
        let written = fs_err::metadata(session_path(state.path(), "a")).and_then(|it| it.modified()).expect("a time");
        prune_sessions(state.path(), written + LONGEST).expect("it is looked at");
        assert_eq!(SessionState::read(state.path(), "a"), sitting);
        prune_sessions(state.path(), written + LONGEST + Duration::from_secs(1)).expect("it is looked at");
        assert_eq!(SessionState::read(state.path(), "a"), SessionState::default());
        prune_sessions(&state.path().join("nowhere"), written).expect("there is nothing to forget");
    }
}
