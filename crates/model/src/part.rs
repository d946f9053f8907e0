//! `MessagePart`, the enum of the twelve kinds of parts a message is made of: text, reasoning, tool call, patch, file
//! and others.

use crate::DigestBuilder;

/// One part of a message. The fields are those agents really write; text is kept verbatim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessagePart {
    /// The text.
    Text {
        /// The words.
        text: String,
    },
    /// The model's reasoning before its answer.
    Reasoning {
        /// The words.
        text: String,
    },
    /// A tool call, its result, or both.
    Tool {
        /// Pairs a call with its result.
        call_id: Option<String>,
        /// The tool.
        name: Option<String>,
        /// Its state in the agent's words (`pending`, `completed`, `error`, …).
        status: Option<String>,
        /// Arguments, as the JSON text that was sent.
        input: Option<String>,
        /// The output.
        output: Option<String>,
        /// The error.
        error: Option<String>,
        /// A line for people.
        title: Option<String>,
    },
    /// A change to files.
    Patch {
        /// Hash of the change, as the agent gives it.
        hash: Option<String>,
        /// The files it touches.
        files: Vec<String>,
    },
    /// An attached file.
    File {
        /// Media type.
        mime: Option<String>,
        /// Name.
        name: Option<String>,
        /// Where it is; or, as `data:` with its media type and base64, the file itself.
        url: Option<String>,
    },
    /// Work handed to another agent.
    Subtask {
        /// The prompt.
        prompt: Option<String>,
        /// A line for people.
        description: Option<String>,
        /// Which agent.
        agent: Option<String>,
    },
    /// The context was folded here.
    Compaction {
        /// By threshold, not by hand.
        auto: bool,
    },
    /// A step of the model begins.
    StepStart,
    /// A step of the model ends.
    StepFinish {
        /// Why it ended.
        reason: Option<String>,
        /// Its cost, in millionths of a dollar.
        cost_micros: Option<i64>,
        /// Tokens read.
        tokens_in: Option<u32>,
        /// Tokens written.
        tokens_out: Option<u32>,
    },
    /// A state of the work tree.
    Snapshot {
        /// Its hash, as the agent gives it.
        hash: Option<String>,
    },
    /// The conversation went to another agent.
    Agent {
        /// Which one.
        name: Option<String>,
    },
    /// The agent tried again.
    Retry {
        /// What made it.
        error: Option<String>,
    },
}

/// The kind of a part, without its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PartKind {
    /// See [`MessagePart::Text`].
    Text,
    /// See [`MessagePart::Reasoning`].
    Reasoning,
    /// See [`MessagePart::Tool`].
    Tool,
    /// See [`MessagePart::Patch`].
    Patch,
    /// See [`MessagePart::File`].
    File,
    /// See [`MessagePart::Subtask`].
    Subtask,
    /// See [`MessagePart::Compaction`].
    Compaction,
    /// See [`MessagePart::StepStart`].
    StepStart,
    /// See [`MessagePart::StepFinish`].
    StepFinish,
    /// See [`MessagePart::Snapshot`].
    Snapshot,
    /// See [`MessagePart::Agent`].
    Agent,
    /// See [`MessagePart::Retry`].
    Retry,
}

crate::enum_words! {
    pub PartKind {
        Text = "text",
        Reasoning = "reasoning",
        Tool = "tool",
        Patch = "patch",
        File = "file",
        Subtask = "subtask",
        Compaction = "compaction",
        StepStart = "step_start",
        StepFinish = "step_finish",
        Snapshot = "snapshot",
        Agent = "agent",
        Retry = "retry",
    }
}

impl MessagePart {
    /// Its kind.
    pub fn kind(&self) -> PartKind {
        match self {
            Self::Text { .. } => PartKind::Text,
            Self::Reasoning { .. } => PartKind::Reasoning,
            Self::Tool { .. } => PartKind::Tool,
            Self::Patch { .. } => PartKind::Patch,
            Self::File { .. } => PartKind::File,
            Self::Subtask { .. } => PartKind::Subtask,
            Self::Compaction { .. } => PartKind::Compaction,
            Self::StepStart => PartKind::StepStart,
            Self::StepFinish { .. } => PartKind::StepFinish,
            Self::Snapshot { .. } => PartKind::Snapshot,
            Self::Agent { .. } => PartKind::Agent,
            Self::Retry { .. } => PartKind::Retry,
        }
    }

    /// The words in it that a person or a search would look for, in reading order.
    pub fn searchable_texts(&self) -> Vec<&str> {
        let fields: Vec<Option<&String>> = match self {
            Self::Text { text } | Self::Reasoning { text } => vec![Some(text)],
            Self::Tool { name, input, output, error, title, .. } => {
                vec![title.as_ref(), name.as_ref(), input.as_ref(), output.as_ref(), error.as_ref()]
            }
            Self::Patch { files, .. } => files.iter().map(Some).collect(),
            // An address that is the file itself (`data:`) holds no words.
            Self::File { name, url, .. } => {
                vec![name.as_ref(), url.as_ref().filter(|url| !url.starts_with("data:"))]
            }
            Self::Subtask { prompt, description, agent } => vec![agent.as_ref(), description.as_ref(), prompt.as_ref()],
            Self::Agent { name } => vec![name.as_ref()],
            Self::Retry { error } => vec![error.as_ref()],
            // Why a model stopped is not something that anyone said.
            Self::Compaction { .. } | Self::StepStart | Self::StepFinish { .. } | Self::Snapshot { .. } => vec![],
        };
        fields.into_iter().flatten().map(String::as_str).filter(|text| !text.is_empty()).collect()
    }

    /// Every text in it, to be changed before it is kept.
    pub fn texts_mut(&mut self) -> Vec<&mut String> {
        match self {
            Self::Text { text } | Self::Reasoning { text } => vec![text],
            // Every field is scrubbed, ids and states too: a source may put anything there.
            Self::Tool { call_id, name, status, input, output, error, title } => {
                [call_id, name, status, input, output, error, title].into_iter().flatten().collect()
            }
            Self::Patch { hash, files } => hash.iter_mut().chain(files).collect(),
            Self::File { mime, name, url } => [mime, name, url].into_iter().flatten().collect(),
            Self::Subtask { prompt, description, agent } => {
                [prompt, description, agent].into_iter().flatten().collect()
            }
            Self::StepFinish { reason: text, .. }
            | Self::Snapshot { hash: text }
            | Self::Agent { name: text }
            | Self::Retry { error: text } => text.iter_mut().collect(),
            Self::Compaction { .. } | Self::StepStart => vec![],
        }
    }

    /// Adds every field to a digest: two parts with equal digests are equal.
    pub(crate) fn update_digest(&self, digest: DigestBuilder) -> DigestBuilder {
        let digest = digest.add_field(self.kind().as_str().as_bytes());
        let text =
            |digest: DigestBuilder, field: &Option<String>| digest.add_optional(field.as_ref().map(String::as_bytes));
        match self {
            Self::Text { text } | Self::Reasoning { text } => digest.add_field(text.as_bytes()),
            Self::Tool { call_id, name, status, input, output, error, title } => {
                [call_id, name, status, input, output, error, title].into_iter().fold(digest, text)
            }
            Self::Patch { hash, files } => {
                // The number comes first, so that a file never reads like the part after it.
                let digest = text(digest, hash).add_field(&(files.len() as u64).to_le_bytes());
                files.iter().fold(digest, |digest, file| digest.add_field(file.as_bytes()))
            }
            Self::File { mime, name, url } => [mime, name, url].into_iter().fold(digest, text),
            Self::Subtask { prompt, description, agent } => [prompt, description, agent].into_iter().fold(digest, text),
            Self::Compaction { auto } => digest.add_field(&[u8::from(*auto)]),
            Self::StepStart => digest,
            Self::StepFinish { reason, cost_micros, tokens_in, tokens_out } => text(digest, reason)
                .add_optional(cost_micros.map(i64::to_le_bytes).as_ref().map(|b| &b[..]))
                .add_optional(tokens_in.map(u32::to_le_bytes).as_ref().map(|b| &b[..]))
                .add_optional(tokens_out.map(u32::to_le_bytes).as_ref().map(|b| &b[..])),
            Self::Snapshot { hash: field } | Self::Agent { name: field } | Self::Retry { error: field } => {
                text(digest, field)
            }
        }
    }
}
