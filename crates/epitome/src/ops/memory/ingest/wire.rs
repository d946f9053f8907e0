//! The JSON form of a message that the `ingest` operation takes (`WireMessage`), and its conversion into a message of
//! the store.

use model::{EventTime, MessagePart, MessageRole, NewMessage};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// One message; either `content` or `parts`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireMessage {
    role: WireRole,
    /// The speaker's name, where there are several
    speaker: Option<String>,
    /// The sitting it belongs to
    session: Option<String>,
    /// Plain text
    content: Option<String>,
    /// Typed parts, where it is more than plain text
    #[serde(default)]
    parts: Vec<WirePart>,
    /// When it happened; RFC 3339 is understood, other forms are kept as they are
    at: Option<String>,
    /// Your own id; sending the same message again is then harmless
    id: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum WireRole {
    System,
    User,
    Assistant,
    Tool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum WirePart {
    Text {
        text: String,
    },
    Reasoning {
        text: String,
    },
    Tool {
        call_id: Option<String>,
        name: Option<String>,
        status: Option<String>,
        input: Option<Value>,
        output: Option<String>,
        error: Option<String>,
        title: Option<String>,
    },
    Patch {
        hash: Option<String>,
        #[serde(default)]
        files: Vec<String>,
    },
    File {
        mime: Option<String>,
        name: Option<String>,
        url: Option<String>,
    },
    Subtask {
        prompt: Option<String>,
        description: Option<String>,
        agent: Option<String>,
    },
    Compaction {
        #[serde(default)]
        auto: bool,
    },
    StepStart {},
    StepFinish {
        reason: Option<String>,
        /// In millionths of a dollar
        cost_micros: Option<i64>,
        tokens_in: Option<u32>,
        tokens_out: Option<u32>,
    },
    Snapshot {
        hash: Option<String>,
    },
    Agent {
        name: Option<String>,
    },
    Retry {
        error: Option<String>,
    },
}

impl WireMessage {
    /// Text first, then the parts. A message without either is refused by the engine.
    pub(crate) fn into_message(self) -> NewMessage {
        let content = self.content.map(|text| MessagePart::Text { text });
        NewMessage {
            external_id: self.id,
            role: match self.role {
                WireRole::System => MessageRole::System,
                WireRole::User => MessageRole::User,
                WireRole::Assistant => MessageRole::Assistant,
                WireRole::Tool => MessageRole::Tool,
            },
            speaker: self.speaker,
            session: self.session,
            at: self.at.map(EventTime::from_text),
            parts: content.into_iter().chain(self.parts.into_iter().map(WirePart::into_part)).collect(),
        }
    }
}

impl WirePart {
    fn into_part(self) -> MessagePart {
        match self {
            Self::Text { text } => MessagePart::Text { text },
            Self::Reasoning { text } => MessagePart::Reasoning { text },
            Self::Tool { call_id, name, status, input, output, error, title } => MessagePart::Tool {
                call_id,
                name,
                status,
                // As one string of JSON: the input of a tool has no fixed shape, and it is searched as text.
                input: input.map(|json| json.to_string()),
                output,
                error,
                title,
            },
            Self::Patch { hash, files } => MessagePart::Patch { hash, files },
            Self::File { mime, name, url } => MessagePart::File { mime, name, url },
            Self::Subtask { prompt, description, agent } => MessagePart::Subtask { prompt, description, agent },
            Self::Compaction { auto } => MessagePart::Compaction { auto },
            Self::StepStart {} => MessagePart::StepStart,
            Self::StepFinish { reason, cost_micros, tokens_in, tokens_out } => {
                MessagePart::StepFinish { reason, cost_micros, tokens_in, tokens_out }
            }
            Self::Snapshot { hash } => MessagePart::Snapshot { hash },
            Self::Agent { name } => MessagePart::Agent { name },
            Self::Retry { error } => MessagePart::Retry { error },
        }
    }
}
