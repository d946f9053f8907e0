//! A conversation in the replies of `history` and `session` (`ConversationLine`): its name, title, times and state.

use crate::ops::render_count;
use engine::ConversationListing;
use model::{ConversationState, show_name};
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
    /// Two lines: its name with what there is of it, and its title.
    pub(crate) fn to_text(&self) -> String {
        let summaries = match self.summaries {
            0 => String::new(),
            number => format!(", {}", number_of_summaries(number)),
        };
        let is_active = self.state == ConversationState::Active.as_str();
        let state = if is_active { String::new() } else { format!(", {}", self.state) };
        let times =
            if self.first_at == self.at { self.at.clone() } else { format!("{} to {}", self.first_at, self.at) };
        let messages = render_count(self.messages, "message");
        let title = self.title.as_deref().unwrap_or("(no prompt)");
        format!("{}: {messages}{summaries}{state}, {times}\n  {}\n", show_name(&self.name), show_name(title))
    }
}

fn number_of_summaries(number: u64) -> String {
    if number == 1 { "1 summary".to_owned() } else { format!("{number} summaries") }
}
