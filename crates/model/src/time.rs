//! Time types: `EventTime` (when something happened, as its source says) and `Timestamp` (when we stored it), which
//! are never mixed, and `UtcDay` for daily totals.

use std::fmt;

/// Milliseconds since the Unix epoch, by the clock of the machine that stored the row. Never used for ordering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Timestamp(pub i64);

impl fmt::Display for Timestamp {
    /// RFC 3339, by UTC; beyond the years that have such a form, the number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(at) => at.fmt(f),
            Err(_) => self.0.fmt(f),
        }
    }
}

/// When an event happened, in its source's own words, kept as they were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventTime {
    /// The words, unchanged.
    pub text: String,
    /// The instant, where the words could be read as RFC 3339.
    pub instant: Option<Timestamp>,
}

impl EventTime {
    /// Takes the words of a source.
    pub fn from_text(text: String) -> Self {
        let instant = text.parse::<jiff::Timestamp>().ok().map(|at| Timestamp(at.as_millisecond()));
        Self { text, instant }
    }

    /// The words as people read them: a date, where the source counts milliseconds.
    pub fn display_text(&self) -> String {
        let is_number = !self.text.is_empty() && self.text.bytes().all(|byte| byte.is_ascii_digit());
        match self.instant {
            Some(instant) if is_number => instant.to_string(),
            _ => self.text.clone(),
        }
    }
}

/// A date by UTC, as days since the Unix epoch. What is counted by the day is counted by this one, wherever its
/// machine stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct UtcDay(pub i32);

impl UtcDay {
    /// The date of a moment.
    pub fn from_timestamp(at: Timestamp) -> Self {
        Self(i32::try_from(at.0.div_euclid(24 * 60 * 60 * 1_000)).unwrap_or(i32::MAX))
    }

    /// Its first moment.
    pub fn start_time(self) -> Timestamp {
        Timestamp(i64::from(self.0) * 24 * 60 * 60 * 1_000)
    }

    /// The day of a year, a month and a day of the month, where the calendar has it.
    pub fn of_date(year: i32, month: u32, day: u32) -> Option<Self> {
        if !(1..=12).contains(&month) || !(-9_999..=9_999).contains(&year) {
            return None;
        }
        let shifted = i64::from(year) - i64::from(month <= 2);
        let era = shifted.div_euclid(400);
        let in_era = shifted.rem_euclid(400);
        let in_year = (153 * ((i64::from(month) + 9) % 12) + 2) / 5 + i64::from(day) - 1;
        let days = era * 146_097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - EPOCH_SHIFT_DAYS;
        let found = Self(i32::try_from(days).ok()?);
        // February 30 would come out as a day of March, so the date is computed back and compared.
        (found.calendar_date() == (year, month, day)).then_some(found)
    }

    /// Its year, month and day of the month.
    pub fn calendar_date(self) -> (i32, u32, u32) {
        // Years begin in March here, so that the leap day is the last of its year. An era is the 400 years after which
        // the calendar repeats itself.
        let days = i64::from(self.0) + EPOCH_SHIFT_DAYS;
        let era = days.div_euclid(146_097);
        let day = days.rem_euclid(146_097);
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = era * 400 + year + i64::from(month <= 2);
        (year as i32, month as u32, day as u32)
    }
}

/// Days from the first of March of the year 0 to the Unix epoch.
const EPOCH_SHIFT_DAYS: i64 = 719_468;

impl fmt::Display for UtcDay {
    /// `YYYY-MM-DD`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.calendar_date();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_reads_as_its_date_and_time() {
        assert_eq!(Timestamp(1_767_225_600_001).to_string(), "2026-01-01T00:00:00.001Z");
        assert_eq!(Timestamp(i64::MAX).to_string(), i64::MAX.to_string());
    }

    #[test]
    fn a_time_that_its_source_counts_in_milliseconds_is_shown_as_a_date() {
        let check = |text: &str, instant: Option<i64>, expected: &str| {
            assert_eq!(EventTime { text: text.to_owned(), instant: instant.map(Timestamp) }.display_text(), expected);
        };
        check("1794794698499", Some(1_794_794_698_499), "2026-11-16T02:04:58.499Z");
        check("1794794698499", None, "1794794698499");
        check("2026-11-16 02:04", Some(0), "2026-11-16 02:04");
        check("", Some(0), "");
    }

    #[test]
    fn a_day_reads_as_its_date() {
        let rows = [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (951_782_400_000, "2000-02-29"),
            (951_868_799_999, "2000-02-29"),
            (951_868_800_000, "2000-03-01"),
            (1_767_225_600_000, "2026-01-01"),
            (4_107_542_400_000, "2100-03-01"),
        ];
        for (millis, expected) in rows {
            assert_eq!(UtcDay::from_timestamp(Timestamp(millis)).to_string(), expected, "{millis}");
        }
    }

    #[test]
    fn a_date_reads_back_what_it_wrote() {
        for number in (-800_000..800_000).step_by(97) {
            let (year, month, day) = UtcDay(number).calendar_date();
            assert_eq!(UtcDay::of_date(year, month, day), Some(UtcDay(number)));
        }
        for (year, month, day) in [(2023, 2, 29), (2023, 13, 1), (2023, 0, 1), (2023, 4, 31), (2023, 1, 0)] {
            assert_eq!(UtcDay::of_date(year, month, day), None, "{year}-{month}-{day}");
        }
    }
}
