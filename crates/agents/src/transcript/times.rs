//! Parses timestamps of transcripts, a date or a number of milliseconds or seconds, into an `EventTime`. The text stays
//! as it was written.

use model::{EventTime, Timestamp};

use super::json::RawJson;

/// A moment in milliseconds, or as a date.
pub(crate) fn of_millis(at: RawJson<'_>) -> EventTime {
    of_number(at, 1.0)
}

/// A moment in seconds, whole or with a fraction, or as a date.
pub(crate) fn of_seconds(at: RawJson<'_>) -> EventTime {
    of_number(at, 1000.0)
}

fn of_number(at: RawJson<'_>, millis: f64) -> EventTime {
    let read = EventTime::from_text(at.text_or_written().into_owned());
    let counted = || at.number().map(|number| Timestamp((number * millis) as i64));
    // A number that also reads as a date keeps the date; the words stay as the agent wrote them.
    EventTime { instant: read.instant.or_else(counted), ..read }
}
