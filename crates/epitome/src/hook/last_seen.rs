//! A file in the state directory with the time of the last event of each agent's hooks. `epitome doctor` uses it as
//! proof that registered hooks really run.

use agents::EventEnvelope;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// By agent and event, milliseconds since 1970.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct LastSeen(BTreeMap<String, BTreeMap<String, i64>>);

fn last_seen_path(state: &Path) -> PathBuf {
    state.join("heard.json")
}

impl LastSeen {
    /// The stored times; empty if the file was never written.
    pub(crate) fn read(state: &Path) -> Self {
        let bytes = fs_err::read(last_seen_path(state)).unwrap_or_default();
        Self(serde_json::from_slice(&bytes).unwrap_or_default())
    }

    /// The newest event of an agent.
    pub(crate) fn newest_event(&self, agent: &str) -> Option<(&str, i64)> {
        let events = self.0.get(agent)?.iter();
        events.map(|(event, at)| (event.as_str(), *at)).max_by_key(|(_, at)| *at)
    }

    /// When an event of an agent last came.
    pub(crate) fn event_time(&self, agent: &str, event: &str) -> Option<i64> {
        self.0.get(agent)?.get(event).copied()
    }

    pub(super) fn record_event(&mut self, envelope: &EventEnvelope) {
        let at = self.0.entry(envelope.agent.clone()).or_default().entry(envelope.event.clone()).or_default();
        *at = envelope.at.max(*at);
    }

    pub(super) fn write(&self, state: &Path) -> io::Result<()> {
        crate::atomic::create_private_folder(state)?;
        crate::atomic::replace_file(&last_seen_path(state), &serde_json::to_string(&self.0).map_err(io::Error::other)?)
    }
}
