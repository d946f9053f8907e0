//! What went wrong in hooks. An agent is never bothered with it, so it is written down where `doctor` and the next
//! injected text find it.

use super::event::Envelope;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// One thing that went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mark {
    pub(crate) at: i64,
    pub(crate) agent: String,
    pub(crate) event: String,
    pub(crate) reason: String,
}

/// More than anybody reads; a hook that fails every time must not fill the disk.
const MOST_BYTES: u64 = 256 * 1024;

fn file(state: &Path) -> PathBuf {
    state.join("hooks.jsonl")
}

/// Leaves a mark. Where even that fails, there is nobody left to tell.
pub(crate) fn leave(state: &Path, envelope: &Envelope, reason: &str) {
    let mark = Mark {
        at: envelope.at,
        agent: envelope.agent.clone(),
        event: envelope.event.clone(),
        reason: reason.chars().take(500).collect(),
    };
    let _ = append(state, &mark);
}

fn append(state: &Path, mark: &Mark) -> io::Result<()> {
    crate::atomic::private_folder(state)?;
    let mut file = fs_err::OpenOptions::new().create(true).append(true).open(file(state))?;
    if file.metadata()?.len() > MOST_BYTES {
        return Ok(());
    }
    file.write_all(format!("{}\n", serde_json::to_string(mark).map_err(io::Error::other)?).as_bytes())
}

/// The marks that were left, oldest first.
pub(crate) fn left(state: &Path) -> Vec<Mark> {
    let text = fs_err::read_to_string(file(state)).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Takes them away, once somebody has dealt with them.
pub(crate) fn clear(state: &Path) -> io::Result<()> {
    match fs_err::remove_file(file(state)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// One line about them, for whoever reads what is injected.
pub(crate) fn line(marks: &[Mark]) -> Option<String> {
    let last = marks.last()?;
    let times = if marks.len() == 1 { "once".to_owned() } else { format!("{} times", marks.len()) };
    Some(format!(
        "epitome: a hook failed {times}, last {} of {}: {}. `epitome doctor` says more.",
        last.event, last.agent, last.reason
    ))
}
