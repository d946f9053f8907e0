//! Deduplicates hook events that agents may report twice, with a memory of earlier events in a JSON file of the state
//! directory.

use agents::HookEvent;
use engine::{DuplicateGroup, EventDeduper};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

/// One thing that was told, as it is written down.
#[derive(Serialize, Deserialize)]
struct StoredGroup {
    id: String,
    words: String,
    at: i64,
    told: BTreeMap<String, String>,
}

fn dedupe_path(state: &Path) -> PathBuf {
    state.join("twins.json")
}

/// What earlier drains remembered.
pub(super) fn read_deduper(state: &Path) -> EventDeduper {
    let bytes = fs_err::read(dedupe_path(state)).unwrap_or_default();
    let stored: Vec<StoredGroup> = serde_json::from_slice(&bytes).unwrap_or_default();
    let groups = stored.into_iter().map(|StoredGroup { id, words, at, told }| DuplicateGroup { id, words, at, told });
    EventDeduper::from_groups(groups.collect())
}

/// Written before anything is stored: a drain that is killed then gives the same ids when it is done again.
pub(super) fn write_deduper(deduper: EventDeduper, state: &Path) -> io::Result<()> {
    let groups = deduper.into_groups().into_iter();
    let stored: Vec<StoredGroup> =
        groups.map(|DuplicateGroup { id, words, at, told }| StoredGroup { id, words, at, told }).collect();
    if stored.is_empty() {
        return Ok(());
    }
    crate::atomic::create_private_folder(state)?;
    let text = serde_json::to_string(&stored).map_err(io::Error::other)?;
    crate::atomic::replace_unsynced(&dedupe_path(state), &text)
}

/// Gives each repeated event the id of the first one, and leaves out repeats whose first event is here, too.
pub(super) fn merge_duplicates(deduper: &mut EventDeduper, events: Vec<HookEvent>) -> Vec<HookEvent> {
    let mut ids = HashSet::new();
    let mut join = |mut event: HookEvent| {
        if event.may_be_told_twice() {
            event.envelope.id = deduper.shared_id(&event.session_event());
        }
        ids.insert(event.envelope.id.clone()).then_some(event)
    };
    events.into_iter().filter_map(&mut join).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use agents::EventEnvelope;
    use serde_json::json;

    #[test]
    fn what_is_told_twice_is_one_over_drains_and_only_where_hooks_are_borrowed() {
        let state = tempfile::tempdir().expect("a temporary directory");
        let drain = |id: &str, event: &str, timestamp: serde_json::Value| -> Vec<String> {
            let body = json!({ "sessionId": "s", "timestamp": timestamp, "prompt": "Go on." });
            let [id, agent, event] = [id, "copilot-cli", event].map(str::to_owned);
            let envelope = EventEnvelope { id, at: 1_000, agent, event, transcript_bytes: 0 };
            let mut deduper = read_deduper(state.path());
            let event = HookEvent::new(envelope, body.to_string().into_bytes());
            let events = merge_duplicates(&mut deduper, vec![event.clone(), event]);
            write_deduper(deduper, state.path()).expect("it is written");
            events.into_iter().map(|event| event.envelope.id).collect()
        };
        let date = || json!("2026-02-09T10:30:00.000Z");
        assert_eq!(drain("a", "userPromptSubmitted", date()), ["a"]);
        assert_eq!(drain("b", "UserPromptSubmit", date()), ["a"]);
        assert_eq!(drain("c", "UserPromptSubmit", json!(1_770_633_000_000_u64)), ["c"], "that is Copilot CLI itself");
    }
}
