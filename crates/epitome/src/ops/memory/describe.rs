//! The `describe` operation (command, MCP tool, HTTP route): its parameters and its reply. It shows one summary,
//! message, fact, memory, artifact or conversation by its id, whole, with where it comes from; a long artifact in pages of
//! bytes.

mod lines;

use super::memory_line::MemoryLine;
use crate::ops::{CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use clap::Args;
use engine::{ArtifactPage, DescribedFact, DescribedItem};
use lines::{ArtifactLine, FactLine, FoldLine, PartLine, SummaryLine};
use model::{Message, Summary, show_quoted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) struct DescribeOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct DescribeParams {
    /// A summary, message, fact, memory or artifact by id, a message by its place (`conversation#8`), or a conversation by
    /// name or id; `art_…:1000-2000` for bytes of an artifact
    id: String,
}

/// What it is says which of the other fields are there.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct DescribeReply {
    /// `summary`, `message`, `fact`, `memory`, `artifact` or `conversation`
    #[serde(rename = "type")]
    kind: &'static str,
    id: String,
    /// Whose it is; an artifact may belong to several
    #[serde(skip_serializing_if = "String::is_empty", default)]
    conversation_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// What lists call a conversation
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    /// When a summary was made
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
    /// Text of a summary or message, or of the bytes of an artifact
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    /// Which bytes of an artifact these are, and how many it has
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<ArtifactBytes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<SummaryLine>,
    /// Whether a summary is part of the active context
    #[serde(skip_serializing_if = "Option::is_none")]
    active: Option<bool>,
    /// The summary that was made anew for it
    #[serde(skip_serializing_if = "Option::is_none")]
    redone: Option<String>,
    /// Summaries below it, in order
    #[serde(skip_serializing_if = "Vec::is_empty")]
    covers: Vec<SummaryLine>,
    /// How many summaries stand below it, over all levels
    #[serde(skip_serializing_if = "Option::is_none")]
    descendants: Option<u64>,
    /// Messages that a leaf was made from
    #[serde(skip_serializing_if = "Vec::is_empty")]
    message_ids: Vec<String>,
    /// Artifacts that its messages mention
    #[serde(skip_serializing_if = "Vec::is_empty")]
    artifacts: Vec<ArtifactLine>,
    /// Summaries above it, the lowest first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    covered_by: Vec<String>,
    /// Parts of a message, in order, and where the context was folded behind it
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<PartLine>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    facts: Vec<FactLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fact: Option<FactLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<MemoryLine>,
    /// Messages of a conversation
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<u64>,
    /// Messages that stand for themselves in its context
    #[serde(skip_serializing_if = "Option::is_none")]
    active_messages: Option<u64>,
    /// Tokens of its context
    #[serde(skip_serializing_if = "Option::is_none")]
    context_tokens: Option<u64>,
    /// Summaries in its context, in order
    #[serde(skip_serializing_if = "Vec::is_empty")]
    summaries: Vec<String>,
    /// What each of them stands for
    #[serde(skip_serializing_if = "Vec::is_empty")]
    folds: Vec<FoldLine>,
}

/// Bytes of an artifact.
#[derive(Serialize, JsonSchema)]
struct ArtifactBytes {
    start: u64,
    /// One past the last
    end: u64,
    /// How many the artifact has
    of: u64,
    media_type: String,
    /// Blake3 hash of the whole
    hash: String,
    /// What is in it, in brief
    about: String,
    /// Messages that mention it
    mentioned_by: Vec<String>,
    /// Where they are kept, compressed
    stored_at: String,
    /// The bytes, where they are no text
    #[serde(skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
    /// What to describe next to read on
    #[serde(skip_serializing_if = "Option::is_none")]
    continue_with: Option<String>,
}

impl From<ArtifactPage> for DescribeReply {
    fn from(page: ArtifactPage) -> Self {
        let ArtifactPage { artifact, messages, range, bytes, continue_with, place } = page;
        // Bytes that are no text are given in base64, so that none of them is changed.
        let (content, base64) = match String::from_utf8(bytes) {
            Ok(text) => (Some(text), None),
            Err(error) => (None, Some(BASE64_STANDARD.encode(error.as_bytes()))),
        };
        Self {
            kind: "artifact",
            id: artifact.id.to_string(),
            name: artifact.name,
            tokens: artifact.tokens.map(|tokens| tokens.0.into()),
            content,
            bytes: Some(ArtifactBytes {
                start: range.start,
                end: range.end,
                of: artifact.bytes,
                media_type: artifact.media_type,
                hash: artifact.hash.to_string(),
                about: artifact.summary,
                mentioned_by: messages.iter().map(ToString::to_string).collect(),
                stored_at: place,
                base64,
                continue_with,
            }),
            ..Self::default()
        }
    }
}

impl Operation for DescribeOperation {
    const NAME: &'static str = "describe";
    const SUMMARY: &'static str =
        "Describe a summary, message, fact, memory, artifact or conversation with where it comes from";
    const KIND: OperationKind = OperationKind::Read;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::Ask;
    const HELP: &'static str = "\
A summary is shown with what it covers, a message with its conversation, a fact with the message that states it, a \
conversation with its summaries, facts and artifacts.

Examples:
  epitome describe latest
  epitome describe msg_51432ca8c094e7e8";
    type Params = DescribeParams;
    type Reply = DescribeReply;

    async fn run(call: &OperationCall<'_>, params: DescribeParams) -> Result<DescribeReply, engine::Error> {
        Ok(call.engine.describe_item(&call.conversation_name(&params.id)).await?.into())
    }
}

impl DescribeReply {
    fn from_message(message: &Message, covered_by: &[Summary], facts: &[DescribedFact]) -> Self {
        // A fold is shown at the last message that it covers, where an agent would have compacted.
        let folds = covered_by.iter().filter(|summary| summary.range.last == message.seq);
        let marks = &message.body.part_marks;
        let parts = message.body.parts.iter().enumerate().map(|(place, part)| PartLine::new(part, marks.get(place)));
        let parts = parts.chain(folds.map(PartLine::from_fold));
        Self {
            kind: "message",
            id: message.id.to_string(),
            conversation_id: message.conversation.to_string(),
            seq: Some(message.seq),
            role: Some(message.body.role.as_str()),
            at: message.body.at.as_ref().map(model::EventTime::display_text),
            tokens: Some(message.tokens.0.into()),
            content: Some(message.body.content()),
            parts: parts.collect(),
            covered_by: covered_by.iter().map(|summary| summary.id.to_string()).collect(),
            facts: facts.iter().map(FactLine::from).collect(),
            ..Self::default()
        }
    }
}

impl From<DescribedItem> for DescribeReply {
    fn from(described: DescribedItem) -> Self {
        match described {
            DescribedItem::Summary {
                summary,
                covers,
                covered_by,
                active,
                redone,
                descendants,
                messages,
                artifacts,
            } => Self {
                kind: "summary",
                created: Some(summary.created.to_string()),
                descendants: Some(descendants),
                message_ids: messages.iter().map(ToString::to_string).collect(),
                artifacts: artifacts.into_iter().map(ArtifactLine::from).collect(),
                id: summary.id.to_string(),
                conversation_id: summary.conversation.to_string(),
                at: summary.from.clone(),
                tokens: Some(summary.tokens.0.into()),
                content: Some(summary.content.clone()),
                summary: Some(SummaryLine::from(&*summary)),
                active: Some(active),
                redone: redone.map(|id| id.to_string()),
                covers: covers.iter().map(SummaryLine::from).collect(),
                covered_by: covered_by.iter().map(ToString::to_string).collect(),
                ..Self::default()
            },
            DescribedItem::Message { message, covered_by, facts } => Self::from_message(&message, &covered_by, &facts),
            DescribedItem::Artifact(page) => (*page).into(),
            DescribedItem::Fact(described) => Self {
                kind: "fact",
                id: described.fact.id.to_string(),
                conversation_id: described.fact.conversation.to_string(),
                fact: Some(FactLine::from(&*described)),
                ..Self::default()
            },
            DescribedItem::Memory(memory, confidence) => Self {
                kind: "memory",
                id: memory.id.to_string(),
                conversation_id: memory.body.conversation.as_ref().map(ToString::to_string).unwrap_or_default(),
                content: Some(memory.body.content.clone()),
                memory: Some(MemoryLine::new(&memory, Some(confidence))),
                ..Self::default()
            },
            DescribedItem::Conversation {
                conversation,
                title,
                context_tokens,
                summaries,
                active_messages,
                facts,
                artifacts,
            } => Self {
                kind: "conversation",
                artifacts: artifacts.into_iter().map(ArtifactLine::from).collect(),
                id: conversation.id.to_string(),
                conversation_id: conversation.id.to_string(),
                name: Some(conversation.name),
                title,
                tokens: Some(conversation.tokens.0.into()),
                messages: Some(conversation.messages),
                active_messages: Some(active_messages),
                context_tokens: Some(context_tokens),
                summaries: summaries.iter().map(|summary| summary.id.to_string()).collect(),
                folds: summaries.iter().map(FoldLine::from).collect(),
                facts: facts.iter().map(FactLine::from).collect(),
                ..Self::default()
            },
        }
    }
}

impl OperationReply for DescribeReply {
    fn to_text(&self) -> String {
        let is_conversation = self.conversation_id.is_empty() || self.conversation_id == self.id;
        let of = if is_conversation { String::new() } else { format!(" of {}", self.conversation_id) };
        let mut text = format!("{} {}{of}\n", self.kind, self.id);
        let mut field = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                // What a value says on further lines stands below it, so that none of them looks like a field.
                let _ = writeln!(text, "{name:<15} {}", value.replace('\n', "\n                "));
            }
        };
        field("name", self.name.clone());
        field("place", self.seq.map(|seq| seq.to_string()));
        field("role", self.role.map(str::to_owned));
        field("at", self.at.clone());
        field("made", self.created.clone());
        field("tokens", self.tokens.map(|tokens| tokens.to_string()));
        field("messages", self.messages.map(|messages| messages.to_string()));
        field("context tokens", self.context_tokens.map(|tokens| tokens.to_string()));
        field(
            "in the context",
            self.active_messages.map(|messages| format!("{} as they are", render_count(messages, "message"))),
        );
        if let Some(bytes) = &self.bytes {
            field("is", Some(bytes.media_type.clone()));
            field("holds", Some(bytes.about.clone()));
            field("bytes", Some(format!("{}-{} of {}", bytes.start, bytes.end, bytes.of)));
            field("mentioned by", Some(bytes.mentioned_by.join(" ")));
            field("goes on at", bytes.continue_with.clone());
            field("base64", bytes.base64.clone());
        }
        field("summary", self.summary.as_ref().map(SummaryLine::to_text));
        field("active", self.active.map(|active| if active { "yes" } else { "no" }.to_owned()));
        field("made anew as", self.redone.clone());
        field(
            "below it",
            self.descendants
                .filter(|many| *many > 0)
                .map(|many| if many == 1 { "1 summary".to_owned() } else { format!("{many} summaries") }),
        );
        field("made from", (!self.message_ids.is_empty()).then(|| self.message_ids.join(" ")));
        for artifact in &self.artifacts {
            field("artifact", Some(artifact.to_text()));
        }
        for summary in &self.covers {
            field("covers", Some(format!("{} {}", summary.summary_id, summary.to_text())));
        }
        for id in self.covered_by.iter().chain(&self.summaries) {
            field(if self.kind == "conversation" { "summary" } else { "covered by" }, Some(id.clone()));
        }
        for (name, value) in self.memory.iter().flat_map(MemoryLine::fields) {
            field(name, Some(value));
        }
        for part in &self.parts {
            field("part", Some(part.to_text()));
        }
        for fact in self.facts.iter().chain(&self.fact) {
            field("fact", Some(fact.to_text()));
        }
        if let Some(content) = &self.content {
            let _ = write!(text, "\n{}\n", show_quoted(content));
        }
        text
    }
}
