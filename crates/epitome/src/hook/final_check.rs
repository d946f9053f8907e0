//! Schedules a final import of a transcript after the last hook event of a turn: agents write lines when the hooks of a
//! turn have ended, and no other event may come. The check waits in the spool like an event, but is no event: it has no
//! text, no agent sent it, and it is dealt with once, by the first drain after its time has come.

use agents::{EventEnvelope, HookEvent};
use serde_json::json;
use std::collections::BTreeMap;

/// The marker in place of an event's name; no agent has an event of this name. Spools on disk hold it, so it stays.
const NAME: &str = "epitome last look";
/// How long after the end of a turn it comes: agents have written everything by then.
const FINAL_CHECK_DELAY_MS: i64 = 5 * 1000;

/// Checks that wait, the newest of each session.
#[derive(Default)]
pub(super) struct FinalChecks {
    by_session: BTreeMap<(String, String), HookEvent>,
}

/// Whether something from the spool is a final check.
pub(super) fn is_final_check(event: &HookEvent) -> bool {
    event.envelope.event == NAME
}

/// Whether its time has come.
fn is_due(check: &HookEvent, now: i64) -> bool {
    now - check.envelope.at >= FINAL_CHECK_DELAY_MS
}

impl FinalChecks {
    /// Parts what lies in the spool: checks whose time has not come, those whose time has, and events.
    pub(super) fn part(
        from_spool: impl Iterator<Item = HookEvent>,
        now: i64,
    ) -> (Self, Vec<HookEvent>, Vec<HookEvent>) {
        let (mut checks, mut due, mut events) = (Self::default(), Vec::new(), Vec::new());
        for event in from_spool {
            if !is_final_check(&event) {
                events.push(event);
            } else if is_due(&event, now) {
                due.push(event);
            } else {
                checks.add_check(event);
            }
        }
        (checks, due, events)
    }

    fn add_check(&mut self, check: HookEvent) {
        let Some(session) = check.session_id().map(str::to_owned) else { return };
        let known = self.by_session.entry((check.envelope.agent.clone(), session)).or_insert_with(|| check.clone());
        // One check for each session is enough, and the latest one sees the most.
        if known.envelope.at < check.envelope.at {
            *known = check;
        }
    }

    /// Plans a check for each event that ends a turn, unless it is so old that the drain that runs now is the final check.
    pub(super) fn schedule_check(&mut self, events: &[HookEvent], now: i64) {
        // An event that is older than the pause was looked at late enough already.
        for event in events.iter().filter(|event| event.ends_turn() && !is_due(event, now)) {
            let envelope = EventEnvelope {
                id: format!("{}-look", event.envelope.id),
                event: NAME.to_owned(),
                ..event.envelope.clone()
            };
            let body = json!({ "session_id": event.session_id(), "transcript_path": event.transcript_path() });
            self.add_check(HookEvent::new(envelope, body.to_string().into_bytes()));
        }
    }

    /// All waiting checks.
    pub(super) fn into_events(self) -> impl Iterator<Item = HookEvent> {
        self.by_session.into_values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn event(name: &str, at: i64, body: &Value) -> HookEvent {
        let [id, agent, event] = ["e1", "codex", name].map(str::to_owned);
        HookEvent::new(EventEnvelope { id, at, agent, event, transcript_bytes: 0 }, body.to_string().into_bytes())
    }

    #[test]
    fn the_newest_end_of_a_turn_is_checked_once_more() {
        let mut checks = FinalChecks::default();
        let stop = |at: i64| event("Stop", at, &json!({ "session_id": "s", "transcript_path": "/t.jsonl" }));
        let prompt = event("UserPromptSubmit", 1_000, &json!({ "session_id": "s", "prompt": "x" }));
        checks.schedule_check(&[stop(2_000), stop(2_500), stop(1_000), prompt], 3_000);
        let checks: Vec<HookEvent> = checks.into_events().collect();
        assert_eq!(checks.len(), 1);
        let check = &checks[0];
        assert_eq!(
            (check.envelope.at, check.transcript_path(), check.session_id()),
            (2_500, Some("/t.jsonl"), Some("s"))
        );
        let (early, due, events) = FinalChecks::part(checks.clone().into_iter().chain([stop(2_500)]), 7_499);
        assert_eq!((early.by_session.len(), due.len(), events.len()), (1, 0, 1));
        let (_, due, _) = FinalChecks::part(checks.into_iter(), 7_500);
        assert_eq!(due.len(), 1);
        let mut late = FinalChecks::default();
        late.schedule_check(&[stop(2_000)], 7_000);
        assert_eq!(late.into_events().count(), 0, "what is late is checked just now");
    }
}
