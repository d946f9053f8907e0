//! Decides whether a queued hook event is dropped, waits for the agent's transcript, or is stored itself, by deadlines.
//!
//! A transcript is the better source, but agents write it after they call hooks. So an event that its transcript does
//! not have yet waits; when its session is over, or it has waited long enough, it is stored itself.

use model::{EventKind, SessionEvent};
use std::collections::BTreeMap;

/// How long an event waits for its transcript, and how long when its session is over: agents write the last lines when
/// their hooks have ended.
const LONGEST_WAIT: i64 = 5 * 60 * 1000;
const LAST_LINES: i64 = 2 * 1000;
/// How long it waits for a transcript that is not there: agents call the first hooks of a session before they write.
const FIRST_LINES: i64 = 10 * 1000;

/// How long events may still wait.
pub struct EventDeadlines {
    now: i64,
    /// When conversations ended.
    ended: BTreeMap<String, i64>,
}

/// What the transcript of an event has of it, and whether it may have more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventCoverage {
    /// The whole output, which is stored with the transcript.
    Whole,
    /// A part of it: the rest is only in the event.
    InPart,
    /// Nothing by now, and a transcript exists or is on its way.
    NotYet,
    /// Nothing, but the agent may be about to begin a transcript.
    NotBegun,
    /// Nothing, and no transcript will have it.
    Nowhere,
}

/// What becomes of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventFate {
    /// Its transcript tells it.
    Covered,
    /// It waits for its transcript.
    Waits,
    /// It is stored itself.
    Stored,
}

impl EventDeadlines {
    /// The deadlines of events that are looked at together. Times are milliseconds since 1970.
    pub fn from_events<'e>(events: impl Iterator<Item = SessionEvent<'e>>, now: i64) -> Self {
        let ends = events.filter(|event| event.kind == EventKind::End);
        Self { now, ended: ends.filter_map(|end| Some((end.conversation?, end.at))).collect() }
    }

    /// Whether a session is over.
    pub fn has_ended_sessions(&self) -> bool {
        !self.ended.is_empty()
    }

    /// Whether an event has waited long enough. A session may go on after it ended: what comes behind the end waits as
    /// if there had been none.
    pub fn is_late(&self, event: &SessionEvent<'_>) -> bool {
        let ended = event.conversation.as_ref().and_then(|name| self.ended.get(name));
        // Agents write the last lines of a transcript after their hooks ended.
        let is_over = |at: &i64| *at >= event.at && self.now - at > LAST_LINES;
        self.now - event.at > LONGEST_WAIT || ended.is_some_and(is_over)
    }

    /// What becomes of an event of which its transcript has this much.
    pub fn event_fate(&self, event: &SessionEvent<'_>, coverage: EventCoverage) -> EventFate {
        let is_young = self.now - event.at < FIRST_LINES;
        match coverage {
            EventCoverage::Whole => EventFate::Covered,
            // The transcript is the better source, so an event waits for it, but not for ever.
            EventCoverage::NotYet if !self.is_late(event) => EventFate::Waits,
            EventCoverage::NotBegun if is_young && !self.is_late(event) => EventFate::Waits,
            EventCoverage::InPart | EventCoverage::NotYet | EventCoverage::NotBegun | EventCoverage::Nowhere => {
                EventFate::Stored
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: EventKind, at: i64) -> SessionEvent<'static> {
        SessionEvent { conversation: Some("first".to_owned()), ..SessionEvent::new("e1", "", at, kind) }
    }

    #[test]
    fn what_comes_after_the_end_of_a_session_still_waits() {
        let (before, end, resumed) =
            (event(EventKind::Prompt, 1_000), event(EventKind::End, 2_000), event(EventKind::Prompt, 9_000));
        let deadlines = EventDeadlines::from_events([before.clone(), end, resumed.clone()].into_iter(), 9_500);
        assert!(deadlines.is_late(&before), "its session was over seven seconds ago");
        assert!(!deadlines.is_late(&resumed), "its session goes on");
    }

    #[test]
    fn an_event_waits_while_its_transcript_may_still_have_it() {
        let check = |age: i64, coverage: EventCoverage, expected: EventFate| {
            let prompt = event(EventKind::Prompt, 0);
            let deadlines = EventDeadlines::from_events([prompt.clone()].into_iter(), age);
            assert_eq!(deadlines.event_fate(&prompt, coverage), expected, "{age} {coverage:?}");
        };
        check(0, EventCoverage::Whole, EventFate::Covered);
        check(0, EventCoverage::InPart, EventFate::Stored);
        check(0, EventCoverage::Nowhere, EventFate::Stored);
        check(LONGEST_WAIT, EventCoverage::NotYet, EventFate::Waits);
        check(LONGEST_WAIT + 1, EventCoverage::NotYet, EventFate::Stored);
        check(FIRST_LINES - 1, EventCoverage::NotBegun, EventFate::Waits);
        check(FIRST_LINES, EventCoverage::NotBegun, EventFate::Stored);
    }
}
