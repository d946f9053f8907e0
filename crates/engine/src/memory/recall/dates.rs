//! Parses dates in questions and messages as people write them (`8 May 2023`, `May 8th`, `in June`, `2023-05-08`), and
//! scores how near a message lies to such a date.

use super::told_dates::DaySpan;
use model::UtcDay;

/// A date, as far as it was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PartialDate {
    pub(super) year: Option<i32>,
    /// 1 to 12.
    pub(super) month: u32,
    pub(super) day: Option<u32>,
}

/// The dates in a text, in order.
pub(super) fn find_dates(text: &str) -> Vec<PartialDate> {
    let words = split_tokens(text);
    let mut found = Vec::new();
    for at in 0..words.len() {
        let here = |offset: isize| words.get(at.wrapping_add_signed(offset)).copied();
        found.extend(parse_numeric_date(here).or_else(|| parse_named_date(here)).filter(PartialDate::is_real));
    }
    found
}

/// The first whole date in a text.
pub(super) fn day_of(text: &str) -> Option<UtcDay> {
    find_dates(text).into_iter().find_map(|date| UtcDay::of_date(date.year?, date.month, date.day?))
}

impl PartialDate {
    fn is_real(&self) -> bool {
        let year = self.year.unwrap_or(DEFAULT_LEAP_YEAR);
        UtcDay::of_date(year, self.month, self.day.unwrap_or(1)).is_some()
    }

    /// How near a message lies, from 0 to 1. People tell of things after they happened, seldom before.
    pub(super) fn nearness(self, message: UtcDay) -> f32 {
        // "In June" means the June of the year in which the message was written.
        let Some(DaySpan { first, last }) = self.day_span(message) else { return 0.0 };
        let days = |from: UtcDay| (message.0 - from.0) as f32;
        // Anywhere in a month is equally near; only days after its end count as late.
        let late = days(last);
        if late >= 0.0 {
            (-late / DECAY_DAYS_AFTER).exp()
        } else if self.day.is_some() {
            (late / DECAY_DAYS_BEFORE).exp()
        } else if days(first) < 0.0 {
            0.0
        } else {
            1.0
        }
    }

    /// The days it stands for; where no year was said, in the year of a day.
    pub(super) fn day_span(self, near: UtcDay) -> Option<DaySpan> {
        let year = self.year.unwrap_or_else(|| near.calendar_date().0);
        if let Some(day) = self.day {
            let day = UtcDay::of_date(year, self.month, day)?;
            return Some(DaySpan { first: day, last: day });
        }
        let next = if self.month == 12 { (year + 1, 1) } else { (year, self.month + 1) };
        let next = UtcDay::of_date(next.0, next.1, 1)?;
        Some(DaySpan { first: UtcDay::of_date(year, self.month, 1)?, last: UtcDay(next.0 - 1) })
    }
}

/// Any leap year: where none is said, the 29th of February may be meant.
const DEFAULT_LEAP_YEAR: i32 = 2000;
/// Days after which a date is no longer near.
const DECAY_DAYS_AFTER: f32 = 7.0;
/// Days before a date until which a message is near.
const DECAY_DAYS_BEFORE: f32 = 3.0;

/// A run of letters or of digits, with what stands before it.
#[derive(Clone, Copy)]
struct DateToken<'t> {
    text: &'t str,
    joined_by: Option<char>,
}

impl DateToken<'_> {
    fn parse_number(self, digits: std::ops::RangeInclusive<usize>) -> Option<u32> {
        digits.contains(&self.text.len()).then(|| self.text.parse().ok()).flatten()
    }

    fn parse_day(self) -> Option<u32> {
        self.parse_number(1..=2).filter(|day| (1..=31).contains(day))
    }

    fn parse_year(self) -> Option<i32> {
        self.parse_number(4..=4).filter(|year| (1900..2200).contains(year)).map(|year| year as i32)
    }
}

/// Letters and digits part even where nothing stands between them, so that `8th` is a number first.
fn split_tokens(text: &str) -> Vec<DateToken<'_>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut joined_by = None;
    while let Some(first) = text[start..].chars().next() {
        let same = |c: char| c.is_alphanumeric() && c.is_ascii_digit() == first.is_ascii_digit();
        if !first.is_alphanumeric() {
            joined_by = Some(first);
            start += first.len_utf8();
            continue;
        }
        let end = text[start..].find(|c| !same(c)).map_or(text.len(), |length| start + length);
        found.push(DateToken { text: &text[start..end], joined_by });
        (start, joined_by) = (end, None);
    }
    found
}

/// `2023-05-08`, also with slashes.
fn parse_numeric_date<'t>(here: impl Fn(isize) -> Option<DateToken<'t>>) -> Option<PartialDate> {
    let joined = |word: &DateToken<'_>| matches!(word.joined_by, Some('-' | '/'));
    let year = here(0)?.parse_year()?;
    let month = here(1).filter(joined)?.parse_number(1..=2)?;
    let day = here(2).filter(joined)?.parse_number(1..=2)?;
    Some(PartialDate { year: Some(year), month, day: Some(day) })
}

/// `8 May 2023`, `8th of May`, `May 8, 2023`, `June 2023`, `June`.
fn parse_named_date<'t>(here: impl Fn(isize) -> Option<DateToken<'t>>) -> Option<PartialDate> {
    let name = here(0)?.text;
    let (month, sure) = parse_month(name)?;
    let is_filler = |word: &DateToken<'_>| ["st", "nd", "rd", "th", "of"].contains(&word.text);
    // Up to two words between day and month: `8th of May`.
    let skipped = (1..3isize).take_while(|back| here(-*back).is_some_and(|word| is_filler(&word))).count() as isize;
    let before = here(-1 - skipped).and_then(DateToken::parse_day);
    // `8 May 10` has a day before the month; the number behind it is something else.
    let after = if before.is_none() { here(1).and_then(DateToken::parse_day) } else { None };
    let rest = match after {
        Some(_) if here(2).is_some_and(|word| is_filler(&word)) => 3,
        Some(_) => 2,
        None => 1,
    };
    let year = here(rest).and_then(DateToken::parse_year);
    let day = before.or(after);
    // "may" and "march" are verbs; with a day or a year beside them they are months.
    (sure || day.is_some() || year.is_some()).then_some(PartialDate { year, month, day })
}

/// The month of a name, and whether the name alone says so: some are words of other meanings, or cut short.
fn parse_month(name: &str) -> Option<(u32, bool)> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let lower = name.to_ascii_lowercase();
    let number = |at: usize| at as u32 + 1;
    if let Some(at) = MONTHS.iter().position(|month| *month == lower) {
        let sure = match MONTHS[at] {
            "may" => false,
            "march" => name.starts_with('M'),
            _ => true,
        };
        return Some((number(at), sure));
    }
    let is_short = |month: &&str| lower == month[..3] || (lower == "sept" && month.starts_with("sept"));
    (lower.len() == 3 || lower == "sept")
        .then(|| MONTHS.iter().position(is_short))
        .flatten()
        .map(|at| (number(at), false))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, wanted: &[(i32, u32, u32)]) {
        let found: Vec<_> =
            find_dates(text).iter().map(|date| (date.year.unwrap_or(0), date.month, date.day.unwrap_or(0))).collect();
        assert_eq!(found, wanted, "{text}");
    }

    #[test]
    fn dates_are_read_as_people_write_them() {
        check("1:56 pm on 8 May, 2023", &[(2023, 5, 8)]);
        check("on May 8th, 2023 and on the 3rd of June", &[(2023, 5, 8), (0, 6, 3)]);
        check("in January 2022, or December", &[(2022, 1, 0), (0, 12, 0)]);
        check("2023-05-08T13:00:00Z and 2023/12/31", &[(2023, 5, 8), (2023, 12, 31)]);
        check("March-15-2024", &[(2024, 3, 15)]);
        check("Sep 5 2021 and 5 sept", &[(2021, 9, 5), (0, 9, 5)]);
        check("may I march on? it may dec", &[]);
        check("2023-13-08, 31 February", &[]);
        check("29 February", &[(0, 2, 29)]);
    }

    #[test]
    fn a_message_is_near_a_date_for_a_week_after() {
        let day = |text: &str| day_of(text).expect("a whole date");
        let near = |question: &str, message: &str| {
            let date = find_dates(question)[0];
            (date.nearness(day(message)) * 100.0).round() as u32
        };
        assert_eq!(near("8 May 2023", "2023-05-08"), 100);
        assert_eq!(near("8 May", "2023-05-15"), 37);
        assert_eq!(near("8 May", "2023-05-05"), 37);
        assert_eq!(near("May 2023", "2023-05-31"), 100);
        assert_eq!(near("May 2023", "2023-06-07"), 37);
        assert_eq!(near("December 2022", "2022-11-30"), 0);
    }
}
