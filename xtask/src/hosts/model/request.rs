//! A request in one form for all protocols: who said what, in order, and which tools are offered.

use serde_json::Value;

use super::super::texts::{without_ours, words_of};
use super::offered::Offered;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Spoken {
    User(String),
    Model(String),
    System(String),
    Result {
        text: String,
        /// It only brought tools into the request.
        is_loading: bool,
    },
}

impl Spoken {
    /// Whether it holds a prompt of the script in the user's own words: what we tell agents quotes earlier ones.
    pub(super) fn asks(&self, prompt: &str) -> bool {
        matches!(self, Self::User(text) if without_ours(text).contains(prompt))
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Request {
    /// Instructions that stand outside of the conversation.
    pub(super) instructions: String,
    pub(super) spoken: Vec<Spoken>,
    pub(super) tools: Vec<Offered>,
}

/// What Gemini CLI and Qwen Code call a summary.
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

impl Request {
    /// Whether the agent wants to compact the conversation.
    pub(super) fn wants_summary(&self) -> bool {
        let asks = |text: &str| {
            let text = without_ours(text).to_lowercase();
            SUMMARIES.iter().any(|words| text.contains(words))
        };
        // Claude Code puts what it says of itself behind the question.
        match self.spoken.iter().rev().find(|said| !matches!(said, Spoken::System(_))) {
            Some(Spoken::User(text)) => asks(text) || (self.tools.is_empty() && asks(&self.instructions)),
            _ => false,
        }
    }

    /// Whether the summary has to be a snapshot.
    pub(super) fn names_snapshot(&self) -> bool {
        let last = self.spoken.last().is_some_and(|said| matches!(said, Spoken::User(text) if text.contains(SNAPSHOT)));
        last || self.instructions.contains(SNAPSHOT)
    }

    /// The conversation as one text.
    pub(super) fn words(&self) -> String {
        let texts = self.spoken.iter().map(|said| match said {
            Spoken::User(text) | Spoken::Model(text) | Spoken::System(text) | Spoken::Result { text, .. } => {
                text.as_str()
            }
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Everything that tools gave back, oldest first.
    pub(super) fn results(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.spoken.iter().filter_map(|said| match said {
            Spoken::Result { text, .. } => Some(text.as_str()),
            Spoken::User(_) | Spoken::Model(_) | Spoken::System(_) => None,
        })
    }
}

/// What a content says, whether it is a text, a list of blocks or one block.
pub(super) fn said(content: &Value) -> String {
    words_of(content)
}

pub(super) fn by_role(role: &str, text: String) -> Spoken {
    match role {
        "user" => Spoken::User(text),
        "assistant" | "model" => Spoken::Model(text),
        _ => Spoken::System(text),
    }
}
