//! Events that come twice: VS Code runs the hooks of Copilot CLI and then the hooks of Claude Code.
//!
//! Each telling has an id; the second one gets that of the first, whichever of them comes first and in whichever drain.
//! Events are remembered for a day. One registration alone never sends an event twice, so a prompt that is said twice
//! stays two.

use super::event::{HookEvent, VS_CODE};
use super::event_messages;
use model::DigestBuilder;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

/// How far apart the two registrations of one event may run: hooks run one after the other, with others in between.
const APART: i64 = 2 * 60 * 1000;
/// How long an event is remembered: much longer than any event waits in the spool.
const REMEMBERED: i64 = 24 * 60 * 60 * 1000;

/// Recent events.
#[derive(Default)]
pub(super) struct EventDeduper {
    tellings: Vec<DuplicateGroup>,
}

/// An event that came through one registration or both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct DuplicateGroup {
    /// The id of the event that came first.
    id: String,
    /// The text and its conversation.
    words: String,
    /// When it came first.
    at: i64,
    /// The names of its events, as each registration calls them.
    told: BTreeMap<String, String>,
}

fn dedupe_path(state: &Path) -> PathBuf {
    state.join("twins.json")
}

impl EventDeduper {
    pub(super) fn read(state: &Path) -> Self {
        let bytes = fs_err::read(dedupe_path(state)).unwrap_or_default();
        Self { tellings: serde_json::from_slice(&bytes).unwrap_or_default() }
    }

    /// Gives each repeated event the id of the first one, and leaves out repeats whose first event is here, too.
    pub(super) fn merge_duplicates(&mut self, events: Vec<HookEvent>) -> Vec<HookEvent> {
        let mut ids = HashSet::new();
        let mut join = |mut event: HookEvent| {
            // Only events of VS Code without an id of their own can be doubled.
            if let Some(words) = content_digest(&event) {
                event.envelope.id = self.shared_id(&event, words);
            }
            ids.insert(event.envelope.id.clone()).then_some(event)
        };
        events.into_iter().filter_map(&mut join).collect()
    }

    fn shared_id(&mut self, event: &HookEvent, words: String) -> String {
        let envelope = &event.envelope;
        let is_known =
            |telling: &&DuplicateGroup| telling.id == envelope.id || telling.told.values().any(|id| *id == envelope.id);
        // The event waited in an earlier drain and has its id already, which must stay the same.
        if let Some(known) = self.tellings.iter().find(is_known) {
            return known.id.clone();
        }
        let twin = self.tellings.iter_mut().filter(|telling| {
            let is_near = (telling.at - envelope.at).abs() < APART;
            // One registration sends an event once, so a second event from the same registration is a new event.
            is_near && telling.words == words && !telling.told.contains_key(&envelope.event)
        });
        // Of several candidates the nearest in time: a prompt that is said twice stays two.
        if let Some(twin) = twin.min_by_key(|telling| (telling.at - envelope.at).abs()) {
            twin.told.insert(envelope.event.clone(), envelope.id.clone());
            return twin.id.clone();
        }
        let told = BTreeMap::from([(envelope.event.clone(), envelope.id.clone())]);
        self.tellings.push(DuplicateGroup { id: envelope.id.clone(), words, at: envelope.at, told });
        envelope.id.clone()
    }

    /// Written before anything is stored: a drain that is killed then gives the same ids when it is done again.
    pub(super) fn write(mut self, state: &Path) -> io::Result<()> {
        let newest = self.tellings.iter().map(|telling| telling.at).max();
        let Some(newest) = newest else { return Ok(()) };
        self.tellings.retain(|telling| newest - telling.at < REMEMBERED);
        crate::atomic::create_private_folder(state)?;
        crate::atomic::replace_unsynced(
            &dedupe_path(state),
            &serde_json::to_string(&self.tellings).map_err(io::Error::other)?,
        )
    }
}

/// What an event of VS Code says, where nothing else tells it from others.
fn content_digest(event: &HookEvent) -> Option<String> {
    if event.envelope.agent != VS_CODE || event_messages::own_id(event).is_some() {
        return None;
    }
    let parts: Vec<_> = event_messages::build_messages(event).into_iter().map(|said| (said.role, said.parts)).collect();
    let conversation = event.conversation_name().filter(|_| !parts.is_empty())?;
    let digest =
        DigestBuilder::new("telling").add_field(conversation.as_bytes()).add_field(format!("{parts:?}").as_bytes());
    Some(digest.finish().to_string())
}

#[cfg(test)]
mod tests {
    use super::super::event::EventEnvelope;
    use super::*;
    use serde_json::json;

    fn event(id: &str, at: i64, event: &str, prompt: &str) -> HookEvent {
        let body = json!({ "sessionId": "s", "timestamp": "2026-02-09T10:30:00.000Z", "prompt": prompt });
        let [id, agent, event] = [id, "copilot-cli", event].map(str::to_owned);
        HookEvent::new(EventEnvelope { id, at, agent, event, transcript_bytes: 0 }, body.to_string().into_bytes())
    }

    /// Takes events in, drain by drain, and gives the ids that are left, each once.
    fn ids(drains: &[&[(&str, i64, &str, &str)]]) -> Vec<String> {
        let state = tempfile::tempdir().expect("a temporary directory");
        let mut ids: Vec<String> = Vec::new();
        for drain in drains {
            let mut twins = EventDeduper::read(state.path());
            let events = drain.iter().map(|(id, at, name, prompt)| event(id, *at, name, prompt)).collect();
            ids.extend(twins.merge_duplicates(events).into_iter().map(|event| event.envelope.id));
            twins.write(state.path()).expect("it is written");
        }
        ids.sort();
        ids.dedup();
        ids
    }

    const COPILOT: &str = "userPromptSubmitted";
    const CLAUDE: &str = "UserPromptSubmit";

    #[test]
    fn what_both_tell_is_one_in_any_order_and_over_drains() {
        let (one, two) = (("a", 1_000, COPILOT, "Go on."), ("b", 40_000, CLAUDE, "Go on."));
        assert_eq!(ids(&[&[one, two]]), ["a"]);
        assert_eq!(ids(&[&[two, one]]), ["b"]);
        assert_eq!(ids(&[&[one], &[two]]), ["a"]);
        assert_eq!(ids(&[&[two], &[one]]), ["b"]);
        // A drain that is done again changes nothing.
        assert_eq!(ids(&[&[one], &[one, two], &[two]]), ["a"]);
    }

    #[test]
    fn what_is_said_twice_stays_two() {
        let said = [("a", 1_000, COPILOT, "Go on."), ("b", 2_000, CLAUDE, "Go on.")];
        let again = [("c", 9_000, COPILOT, "Go on."), ("d", 9_500, CLAUDE, "Go on.")];
        assert_eq!(ids(&[&said, &again]), ["a", "c"]);
        assert_eq!(ids(&[&[said[0], again[0]], &[said[1], again[1]]]), ["a", "c"]);
        assert_eq!(ids(&[&[said[0], again[0]]]), ["a", "c"]);
        assert_eq!(ids(&[&[said[0], ("e", 1_500, CLAUDE, "Stop.")]]), ["a", "e"]);
        assert_eq!(ids(&[&[said[0]], &[("f", 1_000 + APART, CLAUDE, "Go on.")]]), ["a", "f"], "that was long ago");
    }
}
