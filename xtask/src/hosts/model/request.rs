//! A model request in one form for all vendors' APIs (`ModelRequest`): the messages in order with their authors, and
//! the offered tools.

use serde_json::Value;

use super::super::texts::{without_ours, words_of};
use super::tool_choice::OfferedTool;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ChatMessage {
    User(String),
    Model(String),
    System(String),
    Result {
        text: String,
        /// It only brought tools into the request.
        is_loading: bool,
    },
}

impl ChatMessage {
    /// Whether it holds a prompt of the script in the user's own words: what we tell agents quotes earlier ones.
    pub(super) fn asks_prompt(&self, prompt: &str) -> bool {
        matches!(self, Self::User(text) if without_ours(text).contains(prompt))
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct ModelRequest {
    /// Instructions that stand outside of the conversation.
    pub(super) instructions: String,
    pub(super) spoken: Vec<ChatMessage>,
    pub(super) tools: Vec<OfferedTool>,
}

/// The heading of a summary in Gemini CLI and Qwen Code.
const SNAPSHOT: &str = "state_snapshot";

/// How the agents ask for a summary of the conversation.
const SUMMARIES: &[&str] = &[
    "create a detailed summary",
    "detailed summary of the conversation",
    "context checkpoint compaction",
    SNAPSHOT,
    "summary of the conversation",
    "summary for continuing",
    "prompt for continuing",
    "anchored summary",
    "summarize the conversation",
    "summarize this conversation",
];

impl ModelRequest {
    /// Whether the agent wants to compact the conversation.
    pub(super) fn wants_summary(&self) -> bool {
        let asks = |text: &str| {
            // Our own texts quote conversations, and must not look like a wish for a summary.
            let text = without_ours(text).to_lowercase();
            SUMMARIES.iter().any(|words| text.contains(words))
        };
        // Claude Code puts what it says of itself behind the question.
        match self.spoken.iter().rev().find(|said| !matches!(said, ChatMessage::System(_))) {
            Some(ChatMessage::User(text)) => asks(text) || (self.tools.is_empty() && asks(&self.instructions)),
            _ => false,
        }
    }

    /// Whether the summary has to be a snapshot.
    pub(super) fn names_snapshot(&self) -> bool {
        let last =
            self.spoken.last().is_some_and(|said| matches!(said, ChatMessage::User(text) if text.contains(SNAPSHOT)));
        last || self.instructions.contains(SNAPSHOT)
    }

    /// The conversation as one text.
    pub(super) fn conversation_text(&self) -> String {
        let texts = self.spoken.iter().map(|said| match said {
            ChatMessage::User(text)
            | ChatMessage::Model(text)
            | ChatMessage::System(text)
            | ChatMessage::Result { text, .. } => text.as_str(),
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Everything that tools gave back, oldest first.
    pub(super) fn tool_results(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.spoken.iter().filter_map(|said| match said {
            ChatMessage::Result { text, .. } => Some(text.as_str()),
            ChatMessage::User(_) | ChatMessage::Model(_) | ChatMessage::System(_) => None,
        })
    }
}

/// The text of a content, whether it is a string, a list of blocks or one block.
pub(super) fn content_text(content: &Value) -> String {
    words_of(content)
}

pub(super) fn by_role(role: &str, text: String) -> ChatMessage {
    match role {
        "user" => ChatMessage::User(text),
        "assistant" | "model" => ChatMessage::Model(text),
        _ => ChatMessage::System(text),
    }
}
