//! A conversation in the replies of `history` and `session` (`ConversationLine`): its name, title, times and state.

use crate::ops::{group_digits, render_count};
use engine::ConversationListing;
use model::{ConversationId, ConversationState, show_name};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
pub(crate) struct ConversationLine {
    conversation_id: String,
    /// Its number in this store; `#12` names it wherever a conversation is named
    number: i64,
    name: String,
    /// What its source calls it, or the first sentence of a person in it
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// `active`, `summarized` or `archived`
    state: &'static str,
    messages: u64,
    tokens: u64,
    /// Summaries that stand for stretches of it
    summaries: u64,
    /// When its first message happened
    first_at: String,
    /// When its newest message happened
    at: String,
    /// The first words of a person in it
    #[serde(skip_serializing_if = "Option::is_none")]
    opening: Option<String>,
}

impl From<ConversationListing> for ConversationLine {
    fn from(listed: ConversationListing) -> Self {
        Self {
            conversation_id: listed.conversation.id.to_string(),
            number: listed.conversation.number,
            name: listed.conversation.name,
            title: listed.title,
            state: listed.conversation.state.as_str(),
            messages: listed.conversation.messages,
            tokens: u64::from(listed.conversation.tokens.0),
            summaries: listed.summaries,
            first_at: listed.conversation.created.to_string(),
            at: listed.conversation.updated.to_string(),
            opening: listed.opening,
        }
    }
}

impl ConversationLine {
    /// Two lines: which one it is, and what there is of it.
    pub(crate) fn to_text(&self) -> String {
        let label = label_conversation(&self.conversation_id, self.title.as_deref().unwrap_or("(no prompt)"));
        let mut parts = vec![show_name(&self.name).into_owned(), render_count(self.messages, "message")];
        if self.summaries > 0 {
            parts.push(count_summaries(self.summaries));
        }
        if self.state != ConversationState::Active.as_str() {
            parts.push(self.state.to_owned());
        }
        parts.push(render_times(&self.first_at, &self.at));
        format!("{label}\n{LABEL_INDENT}{}\n", parts.join(", "))
    }
}

/// Digits of a conversation's id that replies show: enough to name it, and every command takes them.
const SHORT_ID_DIGITS: usize = 8;
/// What stands below a label begins below its title.
pub(crate) const LABEL_INDENT: &str = "          ";

/// How every reply names a conversation to people: the beginning of its id, and its title or name.
pub(crate) fn label_conversation(id: &str, title: &str) -> String {
    format!("{}  {}", short_id(id), show_name(title))
}

/// The beginning of a conversation's id, as every reply shows it.
pub(crate) fn short_id(id: &str) -> &str {
    let digits = id.strip_prefix(ConversationId::PREFIX).unwrap_or(id);
    digits.get(..SHORT_ID_DIGITS).unwrap_or(digits)
}

/// A number of summaries in words.
pub(crate) fn count_summaries(number: u64) -> String {
    if number == 1 { "1 summary".to_owned() } else { format!("{} summaries", group_digits(number)) }
}

/// From when to when, to the minute, a day named once: `2026-08-01 10:00 to 11:42 UTC`. Times as [`Timestamp`] writes them.
fn render_times(first: &str, last: &str) -> String {
    let minute = |at: &str| Some(format!("{} {}", at.get(..10)?, at.get(11..16)?));
    let (Some(from), Some(until)) = (minute(first), minute(last)) else { return format!("{first} to {last}") };
    match (from == until, from[..10] == until[..10]) {
        (true, _) => format!("{from} UTC"),
        (_, true) => format!("{from} to {} UTC", &until[11..]),
        (_, false) => format!("{from} to {until} UTC"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_named_once() {
        let check = |first, last, expected: &str| assert_eq!(render_times(first, last), expected);
        check("2026-08-01T10:00:00Z", "2026-08-01T10:00:59Z", "2026-08-01 10:00 UTC");
        check("2026-08-01T10:00:00Z", "2026-08-01T11:42:00Z", "2026-08-01 10:00 to 11:42 UTC");
        check("2026-08-01T10:00:00Z", "2026-08-02T09:05:00Z", "2026-08-01 10:00 to 2026-08-02 09:05 UTC");
        check("-1", "2026-08-02T09:05:00Z", "-1 to 2026-08-02T09:05:00Z");
    }

    #[test]
    fn a_label_cannot_be_forged_by_its_title() {
        assert_eq!(label_conversation("conv_a6a3f1b2c3d4e5f6", "a\nb\u{1b}[31m"), "a6a3f1b2  a\\nb\\u{1b}[31m");
    }
}
