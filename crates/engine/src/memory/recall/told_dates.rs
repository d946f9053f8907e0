//! Finds when the things happened that a message tells of: dates in its text, and words such as `yesterday`, `last
//! Friday` or `two weeks ago`, counted from the day of the message.
//!
//! `What did she do on 7 May?` is answered by a message of 8 May that says `yesterday`; of the other messages of that
//! week, none is nearer by its own date. Read when a message is indexed, because the words are not read again later.

use super::dates::{PartialDate, find_dates};
use model::UtcDay;
use regex::Regex;
use std::sync::LazyLock;

/// The days that a message tells of, at most so many.
pub(super) const MAX_TOLD_SPANS: usize = 2;

/// Days from the first to the last, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DaySpan {
    pub(super) first: UtcDay,
    pub(super) last: UtcDay,
}

/// What a message says about time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ToldDates {
    /// It has words that say when something happens.
    pub(super) says_when: bool,
    pub(super) spans: [Option<DaySpan>; MAX_TOLD_SPANS],
}

/// Whether a text says when, as `yesterday`, `in June`, `three weeks` and `2024` do.
static TIME_WORDS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"yesterday|today|tonight|tomorrow|ago|recently|just|since|(?:last|next|this) (?:\w+day|week|weekend|month|year|night|morning|spring|summer|fall|autumn|winter|past|few)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|[0-9]{1,2}(?:st|nd|rd|th)|(?:19|20)[0-9]{2}|(?:week|month|year)s?",
    )
});

static NEAR_DAYS: LazyLock<Regex> =
    LazyLock::new(|| pattern("(yesterday|last night)|(today|tonight|this morning)|(tomorrow)"));

static WEEKDAYS: LazyLock<Regex> = LazyLock::new(|| {
    pattern("(last|this past|on|next|this) (monday|tuesday|wednesday|thursday|friday|saturday|sunday)")
});

static PERIODS: LazyLock<Regex> = LazyLock::new(|| pattern("(last|this past|next) (weekend|week|month)"));

static AGO: LazyLock<Regex> =
    LazyLock::new(|| pattern("(a|one|two|three|four|five|six|few|couple of|[0-9]{1,2}) (day|week|month)s? ago"));

fn pattern(words: &str) -> Regex {
    Regex::new(&format!(r"(?i)\b(?:{words})\b")).expect("the pattern is a constant")
}

impl ToldDates {
    /// Reads the text of a message that was written on `day`.
    pub(super) fn from_text(text: &str, day: Option<UtcDay>) -> Self {
        if !TIME_WORDS.is_match(text) {
            return Self::default();
        }
        let mut spans = [None; MAX_TOLD_SPANS];
        let found = find_spans(text, day);
        spans.iter_mut().zip(found).for_each(|(place, span)| *place = Some(span));
        Self { says_when: true, spans }
    }

    /// How well it tells of a date, from 0 to 1: a week that holds the day says less than the day.
    pub(super) fn nearness(&self, date: PartialDate) -> f32 {
        let nearness = |span: &DaySpan| {
            let asked = date.day_span(span.first)?;
            let meets = span.first <= asked.last && asked.first <= span.last;
            meets.then_some(if span.last.0 - span.first.0 <= 1 { 1.0 } else { VAGUE_NEARNESS })
        };
        self.spans.iter().flatten().filter_map(nearness).fold(0.0, f32::max)
    }
}

/// The nearness of a stretch of several days.
const VAGUE_NEARNESS: f32 = 0.5;

fn find_spans(text: &str, day: Option<UtcDay>) -> Vec<DaySpan> {
    let mut found = Vec::new();
    if let Some(day) = day {
        // In words first: they are what the message itself is about, where dates are often mentioned beside.
        add_relative_spans(text, day, &mut found);
    }
    for date in find_dates(text) {
        let year = date.year.or_else(|| day.map(|day| day.calendar_date().0));
        let named = year.zip(date.day).and_then(|(year, of_month)| UtcDay::of_date(year, date.month, of_month));
        found.extend(named.map(|day| DaySpan { first: day, last: day }));
    }
    found
}

fn add_relative_spans(text: &str, day: UtcDay, found: &mut Vec<DaySpan>) {
    let mut add = |first: i32, last: i32| {
        let at = |step: i32| UtcDay(day.0.saturating_add(step));
        found.push(DaySpan { first: at(first), last: at(last) });
    };
    for words in NEAR_DAYS.captures_iter(text) {
        let step = if words.get(1).is_some() { -1 } else { i32::from(words.get(3).is_some()) };
        add(step, step);
    }
    // 1970-01-01 was a Thursday.
    let weekday = (day.0.rem_euclid(7) + 3) % 7;
    for words in WEEKDAYS.captures_iter(text) {
        let Some(named) = WEEKDAY_NAMES.iter().position(|name| words[2].eq_ignore_ascii_case(name)) else { continue };
        let named = named as i32;
        let (back, on) = ((weekday - named).rem_euclid(7), (named - weekday).rem_euclid(7));
        // The same weekday means a week from now, because "today" is shorter.
        let or_week = |days: i32| if days == 0 { 7 } else { days };
        let step = if points_ahead(&words[1]) { or_week(on) } else { -or_week(back) };
        add(step, step);
    }
    for words in PERIODS.captures_iter(text) {
        let is_ahead = points_ahead(&words[1]);
        let sign = if is_ahead { 1 } else { -1 };
        match words[2].to_ascii_lowercase().as_str() {
            "weekend" => {
                let saturday = if is_ahead { 5 - weekday } else { -weekday - 2 };
                add(saturday, saturday + 1);
            }
            "week" => add(sign * DAYS_A_WEEK - DAYS_A_WEEK / 2, sign * DAYS_A_WEEK + DAYS_A_WEEK / 2),
            _ => add(sign * DAYS_A_MONTH - DAYS_A_MONTH / 2, sign * DAYS_A_MONTH + DAYS_A_MONTH / 2),
        }
    }
    for words in AGO.captures_iter(text) {
        let count = match words[1].to_ascii_lowercase().as_str() {
            "a" | "one" => 1,
            "two" | "couple of" => 2,
            "three" | "few" => 3,
            "four" => 4,
            "five" => 5,
            "six" => 6,
            digits => digits.parse().unwrap_or(1),
        };
        match words[2].to_ascii_lowercase().as_str() {
            "day" => add(-count, -count),
            "week" => add(-count * DAYS_A_WEEK - DAYS_A_WEEK / 2, -count * DAYS_A_WEEK + DAYS_A_WEEK / 2),
            _ => add(-count * DAYS_A_MONTH - DAYS_A_MONTH / 2, -count * DAYS_A_MONTH + DAYS_A_MONTH / 2),
        }
    }
}

fn points_ahead(words: &str) -> bool {
    words.eq_ignore_ascii_case("next") || words.eq_ignore_ascii_case("this")
}

const DAYS_A_WEEK: i32 = 7;
const DAYS_A_MONTH: i32 = 30;

const WEEKDAY_NAMES: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        // A Wednesday.
        let day = UtcDay::of_date(2025, 3, 12);
        let told = ToldDates::from_text(text, day);
        let spans: Vec<String> = told
            .spans
            .iter()
            .flatten()
            .map(|DaySpan { first, last }| if first == last { first.to_string() } else { format!("{first}/{last}") })
            .collect();
        assert_eq!(spans, expected, "{text}");
    }

    #[test]
    fn words_of_time_are_counted_from_the_day_of_the_message() {
        check("Yesterday I ran, and tomorrow I rest.", &["2025-03-11", "2025-03-13"]);
        check("last Friday, and on Wednesday", &["2025-03-07", "2025-03-05"]);
        check("next Friday or this Wednesday", &["2025-03-14", "2025-03-19"]);
        check("We hiked last weekend", &["2025-03-08/2025-03-09"]);
        check("two weeks ago, or 3 days ago", &["2025-02-23/2025-03-01", "2025-03-09"]);
        check("on 8 May 2023 it broke", &["2023-05-08"]);
        check("It broke on June 3", &["2025-06-03"]);
        check("nothing of the kind", &[]);
    }

    #[test]
    fn a_day_says_more_than_a_week() {
        let day = UtcDay::of_date(2025, 3, 12);
        let check = |asked: &str, text: &str, percent: u32| {
            let near = ToldDates::from_text(text, day).nearness(find_dates(asked)[0]);
            assert_eq!((near * 100.0) as u32, percent, "{asked} / {text}");
        };
        check("11 March 2025", "yesterday", 100);
        check("11 March 2025", "today", 0);
        check("5 March", "last week", 50);
        check("March 2025", "yesterday", 100);
    }

    #[test]
    fn time_is_told_without_a_date_as_well() {
        assert!(ToldDates::from_text("It took three weeks.", None).says_when);
        assert!(!ToldDates::from_text("It took long.", None).says_when);
        // The ends of the calendar are no reason to panic.
        assert!(ToldDates::from_text("yesterday", Some(UtcDay(i32::MIN))).says_when);
    }
}
