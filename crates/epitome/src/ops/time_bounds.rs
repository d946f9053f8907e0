//! Parses the times in an operation's parameters: the bounds `since` and `until` (RFC 3339, or a day in UTC), and stretches
//! of time (`6h`).

use engine::Error;
use model::{EventTime, Timestamp, UtcDay};
use std::time::Duration;

/// Which end of a stretch of time a bound is.
#[derive(Clone, Copy)]
pub(crate) enum TimeBound {
    /// `--since`: a day counts from its beginning.
    Since,
    /// `--until`: a day counts to its end.
    Until,
}

impl TimeBound {
    fn field_name(self) -> &'static str {
        match self {
            Self::Since => "since",
            Self::Until => "until",
        }
    }

    /// The moment a text names: RFC 3339, or a day in UTC.
    pub(crate) fn parse(self, text: Option<String>) -> Result<Option<Timestamp>, Error> {
        let Some(text) = text else { return Ok(None) };
        let reason = format!("is not a time: `{text}`; write 2026-01-31 or 2026-01-31T08:00:00Z");
        let day = parse_day(&text).map(|UtcDay(day)| match self {
            Self::Since => UtcDay(day),
            // A day that is named as the end is included, so the bound is the beginning of the next one.
            Self::Until => UtcDay(day + 1),
        });
        let at = EventTime::from_text(text).instant.or(day.map(UtcDay::start_time));
        at.map(Some).ok_or(Error::Parameter { field: self.field_name(), reason })
    }
}

/// Reads a stretch of time: `30m`, `6h`, `1d`, `2w`.
pub(crate) fn parse_stretch(text: &str) -> Result<Duration, Error> {
    let minutes = |unit: char| {
        [('m', 1), ('h', 60), ('d', 24 * 60), ('w', 7 * 24 * 60)].into_iter().find(|(name, _)| *name == unit)
    };
    let text = text.trim();
    let parsed = text.char_indices().next_back().and_then(|(at, unit)| {
        let (number, (_, minutes)) = (text[..at].parse::<u32>().ok()?, minutes(unit)?);
        Some(Duration::from_secs(u64::from(number) * minutes * 60))
    });
    parsed.ok_or_else(|| {
        let reason = format!("is no stretch of time: `{text}`; write 30m, 6h, 1d or 2w");
        Error::Parameter { field: "every", reason }
    })
}

/// Reads `YYYY-MM-DD`.
fn parse_day(text: &str) -> Option<UtcDay> {
    let mut fields = text.splitn(3, '-');
    let mut field = |digits: usize| fields.next().filter(|field| field.len() == digits);
    UtcDay::of_date(field(4)?.parse().ok()?, field(2)?.parse().ok()?, field(2)?.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_counts_wholly() {
        let parse = |bound: TimeBound, text: &str| bound.parse(Some(text.to_owned())).ok().flatten().map(|at| at.0);
        assert_eq!(parse(TimeBound::Since, "1970-01-02"), Some(86_400_000));
        assert_eq!(parse(TimeBound::Until, "1970-01-02"), Some(2 * 86_400_000));
        assert_eq!(parse(TimeBound::Until, "1970-01-01T00:00:01Z"), Some(1_000));
        assert_eq!(parse(TimeBound::Since, "yesterday"), None);
    }

    #[test]
    fn a_stretch_of_time_is_a_number_and_its_unit() {
        let hours = |text: &str| parse_stretch(text).ok().map(|stretch| stretch.as_secs_f64() / 3_600.0);
        assert_eq!(
            (hours("30m"), hours(" 6h "), hours("1d"), hours("2w")),
            (Some(0.5), Some(6.0), Some(24.0), Some(336.0))
        );
        for wrong in ["", "h", "6", "6 hours", "-1d", "1ä"] {
            assert_eq!(hours(wrong), None, "{wrong}");
        }
    }
}
