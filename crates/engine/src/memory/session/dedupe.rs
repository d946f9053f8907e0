//! Deduplicates hook events: an agent may also run the hooks that are registered for other agents, and so report one
//! event under two names.
//!
//! Each report has an id; the second one gets that of the first, in whichever order and drain of the event queue. One
//! registration alone never has two reports in one group, so a prompt that is said twice stays two.

use super::event_messages::{event_messages, own_id};
use model::{DigestBuilder, SessionEvent};
use std::collections::BTreeMap;

/// How far apart the two registrations of one event may run: hooks run one after the other, with others in between.
const DUPLICATE_WINDOW_MS: i64 = 2 * 60 * 1000;
/// How long an event is remembered: much longer than any event waits in the spool.
const EVENT_RETENTION_MS: i64 = 24 * 60 * 60 * 1000;

/// What was told lately by agents that tell things twice.
#[derive(Clone, Debug, Default)]
pub struct EventDeduper {
    tellings: Vec<DuplicateGroup>,
}

/// One thing that was told, by one registration or by several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateGroup {
    /// The id of the event that came first.
    pub id: String,
    /// A digest of what was said in which conversation.
    pub words: String,
    /// When it was told first, in milliseconds since 1970.
    pub at: i64,
    /// The ids of the events that told it, by the word that their registration has for the moment.
    pub told: BTreeMap<String, String>,
}

impl EventDeduper {
    /// What an earlier one remembered.
    pub fn from_groups(tellings: Vec<DuplicateGroup>) -> Self {
        Self { tellings }
    }

    /// What is worth remembering.
    pub fn into_groups(mut self) -> Vec<DuplicateGroup> {
        let newest = self.tellings.iter().map(|telling| telling.at).max().unwrap_or_default();
        self.tellings.retain(|telling| newest - telling.at < EVENT_RETENTION_MS);
        self.tellings
    }

    /// The id that an event shares with another one that told the same; its own where there is none.
    pub fn shared_id(&mut self, event: &SessionEvent<'_>) -> String {
        let Some(words) = content_digest(event) else { return event.id.to_owned() };
        let is_known =
            |telling: &&DuplicateGroup| telling.id == event.id || telling.told.values().any(|id| *id == event.id);
        // The event waited in an earlier drain and has its id already, which must stay the same.
        if let Some(known) = self.tellings.iter().find(is_known) {
            return known.id.clone();
        }
        let twin = self.tellings.iter_mut().filter(|telling| {
            let is_near = (telling.at - event.at).abs() < DUPLICATE_WINDOW_MS;
            // One registration sends an event once, so a second event from the same registration is a new event.
            is_near && telling.words == words && !telling.told.contains_key(event.name)
        });
        // Of several candidates the nearest in time: a prompt that is said twice stays two.
        if let Some(twin) = twin.min_by_key(|telling| (telling.at - event.at).abs()) {
            twin.told.insert(event.name.to_owned(), event.id.to_owned());
            return twin.id.clone();
        }
        let told = BTreeMap::from([(event.name.to_owned(), event.id.to_owned())]);
        self.tellings.push(DuplicateGroup { id: event.id.to_owned(), words, at: event.at, told });
        event.id.to_owned()
    }
}

/// What an event says, where nothing else tells it from others.
fn content_digest(event: &SessionEvent<'_>) -> Option<String> {
    if own_id(event).is_some() {
        return None;
    }
    let parts: Vec<_> = event_messages(event).into_iter().map(|said| (said.role, said.parts)).collect();
    let conversation = event.conversation.as_ref().filter(|_| !parts.is_empty())?;
    let digest =
        DigestBuilder::new("telling").add_field(conversation.as_bytes()).add_field(format!("{parts:?}").as_bytes());
    Some(digest.finish().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::EventKind;

    /// Takes events in, drain by drain, and gives the ids that are left, each once.
    fn ids(drains: &[&[(&str, i64, &str, &str)]]) -> Vec<String> {
        let mut remembered = Vec::new();
        let mut ids: Vec<String> = Vec::new();
        for drain in drains {
            let mut deduper = EventDeduper::from_groups(remembered);
            ids.extend(drain.iter().map(|(id, at, name, prompt)| {
                deduper.shared_id(&SessionEvent {
                    prompt: Some(prompt),
                    conversation: Some("vs-code:s".to_owned()),
                    ..SessionEvent::new(id, name, *at, EventKind::Prompt)
                })
            }));
            remembered = deduper.into_groups();
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
        assert_eq!(
            ids(&[&[said[0]], &[("f", 1_000 + DUPLICATE_WINDOW_MS, CLAUDE, "Go on.")]]),
            ["a", "f"],
            "that was long ago"
        );
    }

    #[test]
    fn what_was_told_a_day_ago_is_forgotten() {
        let telling = |id: &str, at: i64| DuplicateGroup { id: id.into(), words: id.into(), at, told: BTreeMap::new() };
        let deduper = EventDeduper::from_groups(vec![telling("old", 0), telling("new", EVENT_RETENTION_MS)]);
        assert_eq!(deduper.into_groups(), [telling("new", EVENT_RETENTION_MS)]);
        assert_eq!(EventDeduper::default().into_groups(), []);
    }
}
