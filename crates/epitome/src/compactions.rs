//! A log file of agents' context compactions, JSON lines in the state directory: how many facts of the conversation
//! each agent's summary kept and lost, and how many we injected again. The `value` operation reports it; nothing else
//! depends on it.

use serde::{Deserialize, Serialize};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// One compaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CompactionRecord {
    /// Milliseconds since 1970.
    pub(crate) at: i64,
    pub(crate) project: String,
    pub(crate) session: String,
    pub(crate) kept: usize,
    pub(crate) lost: usize,
    pub(crate) restored: usize,
}

/// More than a report needs; the older half is removed then.
const MOST_BYTES: usize = 1 << 20;

fn compactions_path(state: &Path) -> PathBuf {
    state.join("compactions.jsonl")
}

/// Adds one. If it cannot be written, the text was still injected.
pub(crate) fn append_compaction(state: &Path, compaction: &CompactionRecord) -> io::Result<()> {
    crate::atomic::create_private_folder(state)?;
    let line = format!("{}\n", serde_json::to_string(compaction).map_err(io::Error::other)?);
    let known = fs_err::read_to_string(compactions_path(state)).unwrap_or_default();
    if known.len() > MOST_BYTES {
        let half: Vec<&str> = known.lines().skip(known.lines().count() / 2).collect();
        // Rewritten once in a long while, and not synced: nothing depends on these figures.
        return crate::atomic::replace_unsynced(&compactions_path(state), &format!("{}\n{line}", half.join("\n")));
    }
    fs_err::OpenOptions::new().create(true).append(true).open(compactions_path(state))?.write_all(line.as_bytes())
}

/// All recorded compactions, oldest first.
pub(crate) fn read_compactions(state: &Path) -> Vec<CompactionRecord> {
    let text = fs_err::read_to_string(compactions_path(state)).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}
