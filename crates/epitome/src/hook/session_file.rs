//! Session state that one hook process leaves for the next: a JSON file for each conversation in the state directory.
//! It holds which messages were already injected, and which facts the agent's last compaction lost and got back. Files
//! that were not written for 60 days are removed.

use engine::SessionState;
use model::ContentHash;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The state of a session as it is written down. What an earlier version did not write is as in a new session.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "a session may be in any of these states at once")]
struct StoredSession {
    injected: Vec<String>,
    compacted: bool,
    kept: usize,
    lost: Vec<String>,
    restored: Vec<String>,
    restored_at: u64,
    is_compared: bool,
    is_counted: bool,
    oriented: Option<String>,
    is_lowered: bool,
    contradicted: Option<String>,
    told_claims: Vec<String>,
}

impl From<StoredSession> for SessionState {
    fn from(stored: StoredSession) -> Self {
        let StoredSession { injected, compacted, kept, lost, restored, .. } = stored;
        let StoredSession { restored_at, is_compared, is_counted, oriented, is_lowered, .. } = stored;
        let StoredSession { contradicted, told_claims, .. } = stored;
        Self {
            injected,
            compacted,
            kept,
            lost,
            restored,
            restored_at,
            is_compared,
            is_counted,
            oriented,
            is_lowered,
            contradicted,
            told_claims,
        }
    }
}

impl From<SessionState> for StoredSession {
    fn from(state: SessionState) -> Self {
        let SessionState { injected, compacted, kept, lost, restored, .. } = state;
        let SessionState { restored_at, is_compared, is_counted, oriented, is_lowered, .. } = state;
        let SessionState { contradicted, told_claims, .. } = state;
        Self {
            injected,
            compacted,
            kept,
            lost,
            restored,
            restored_at,
            is_compared,
            is_counted,
            oriented,
            is_lowered,
            contradicted,
            told_claims,
        }
    }
}

/// The state of a session; empty for a new one.
pub(super) fn read_session(state: &Path, conversation: &str) -> SessionState {
    let bytes = fs_err::read(session_path(state, conversation)).unwrap_or_default();
    serde_json::from_slice::<StoredSession>(&bytes).unwrap_or_default().into()
}

pub(super) fn write_session(session: SessionState, state: &Path, conversation: &str) -> io::Result<()> {
    let file = session_path(state, conversation);
    crate::atomic::create_private_folder(file.parent().expect("it is in the folder of sessions"))?;
    let text = serde_json::to_string(&StoredSession::from(session)).map_err(io::Error::other)?;
    // The file says what not to tell again; telling it twice after a power cut does no harm.
    crate::atomic::replace_unsynced(&file, &text)
}

fn session_path(state: &Path, conversation: &str) -> PathBuf {
    let name = ContentHash::hash_bytes(conversation.as_bytes()).to_string();
    state.join("sessions").join(format!("{}.json", &name[..32]))
}

/// A session whose state was not written for so long is taken as over.
const SESSION_RETENTION: Duration = Duration::from_hours(60 * 24);

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
        if age > SESSION_RETENTION {
            fs_err::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_forgotten_when_nobody_came_back_to_it() {
        let state = tempfile::tempdir().expect("a temporary directory");
        let session = SessionState { injected: vec!["msg_1".to_owned()], ..SessionState::default() };
        write_session(session.clone(), state.path(), "a").expect("it is written");
        let written = fs_err::metadata(session_path(state.path(), "a")).and_then(|it| it.modified()).expect("a time");
        prune_sessions(state.path(), written + SESSION_RETENTION).expect("it is looked at");
        assert_eq!(read_session(state.path(), "a"), session);
        prune_sessions(state.path(), written + SESSION_RETENTION + Duration::from_secs(1)).expect("it is looked at");
        assert_eq!(read_session(state.path(), "a"), SessionState::default());
        prune_sessions(&state.path().join("nowhere"), written).expect("there is nothing to forget");
    }
}
