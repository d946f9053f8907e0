//! Two times that are never mixed: when something happened, as its source says, and when we stored it.

/// Milliseconds since the Unix epoch, by the clock of the machine that stored the row. Never used for ordering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Timestamp(pub i64);

/// When an event happened, in its source's own words, kept as they were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventTime {
    /// The words, unchanged.
    pub text: String,
    /// The instant, where the words could be read as RFC 3339.
    pub instant: Option<Timestamp>,
}
