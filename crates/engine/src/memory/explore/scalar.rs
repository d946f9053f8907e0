//! Collects statistics of the values of one JSON key or table column (type, minimum and maximum, distinct texts) and
//! describes them in words, for the summaries of JSON and tables.

/// How many different texts are named.
const MAX_NAMED_TEXTS: usize = 5;
/// How many different texts are counted.
const TOLD_APART: usize = 20;
/// A longer text is no name for anything.
const MAX_NAME_CHARS: usize = 32;

/// Values of one place: a column, or a key.
#[derive(Clone, Debug, Default)]
pub(super) struct ScalarStats {
    numbers: u64,
    least: f64,
    most: f64,
    dates: u64,
    first: String,
    last: String,
    texts: u64,
    longest: usize,
    /// The first different texts, in order; one more than `TOLD_APART` means "many".
    different: Vec<String>,
}

impl ScalarStats {
    pub(super) fn add_number(&mut self, value: f64) {
        (self.least, self.most) =
            if self.numbers == 0 { (value, value) } else { (self.least.min(value), self.most.max(value)) };
        self.numbers += 1;
    }

    pub(super) fn add_text(&mut self, value: &str) {
        if is_date(value) {
            // ISO dates compare as text, so the bounds need no calendar.
            if self.dates == 0 || value < self.first.as_str() {
                value.clone_into(&mut self.first);
            }
            if self.dates == 0 || value > self.last.as_str() {
                value.clone_into(&mut self.last);
            }
            self.dates += 1;
            return;
        }
        self.texts += 1;
        self.longest = self.longest.max(value.chars().count());
        // Bounded: a column of a million ids must not be kept to say that they differ.
        if self.different.len() <= TOLD_APART && !self.different.iter().any(|known| known == value) {
            self.different.push(value.chars().take(MAX_NAME_CHARS + 1).collect());
        }
    }

    /// A description of the values; empty where there are no values.
    pub(super) fn describe_values(&self) -> Vec<String> {
        let mut words = Vec::new();
        if self.numbers > 0 {
            words.push(format!("number {}", render_bounds(&render_number(self.least), &render_number(self.most))));
        }
        if self.dates > 0 {
            words.push(format!("date {}", render_bounds(&self.first, &self.last)));
        }
        if self.texts > 0 {
            words.push(self.describe_texts());
        }
        words
    }

    fn describe_texts(&self) -> String {
        let short: Vec<&str> = self.different.iter().map(String::as_str).filter(|text| is_short(text)).collect();
        let named = short.iter().take(MAX_NAMED_TEXTS).map(|text| format!("`{text}`")).collect::<Vec<_>>().join(", ");
        let is_few = self.different.len() <= TOLD_APART && short.len() == self.different.len();
        // Values that repeat are categories and are listed; values that never repeat are examples.
        match (is_few && self.texts > self.different.len() as u64, named.is_empty()) {
            (_, true) => format!("text of up to {}", render_count(self.longest, "character")),
            (true, false) if short.len() <= MAX_NAMED_TEXTS => format!("text: {named}"),
            (true, false) => format!("text, {} different: {named}, …", short.len()),
            (false, false) => format!("text such as {named}"),
        }
    }
}

fn is_short(text: &str) -> bool {
    !text.is_empty() && text.chars().count() <= MAX_NAME_CHARS
}

/// `2026-01-31`, with or without a time.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits = |range: std::ops::Range<usize>| bytes[range].iter().all(u8::is_ascii_digit);
    (10..=35).contains(&bytes.len())
        && digits(0..4)
        && bytes[4] == b'-'
        && digits(5..7)
        && bytes[7] == b'-'
        && digits(8..10)
        && bytes.get(10).is_none_or(|byte| matches!(byte, b'T' | b' '))
}

fn render_bounds(least: &str, most: &str) -> String {
    if least == most { least.to_owned() } else { format!("{least} to {most}") }
}

fn render_number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 { format!("{value:.0}") } else { format!("{value}") }
}

/// `1 line`, `2 lines`, `12,345 bytes`.
pub(super) fn render_count(count: usize, what: &str) -> String {
    let digits = count.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let plural = match what {
        _ if count == 1 => "",
        "entry" => return format!("{grouped} entries"),
        _ => "s",
    };
    format!("{grouped} {what}{plural}")
}
