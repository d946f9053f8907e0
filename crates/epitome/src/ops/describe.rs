//! `describe`: one thing of a conversation by its id.

mod lines;

use super::{Call, Kind, Operation, Reply};
use clap::Args;
use engine::Described;
use lines::{FactLine, PartLine, SummaryLine};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) struct Describe;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// A summary, message or fact by id, or a conversation by name or id
    id: String,
}

/// What it is says which of the other fields are there.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct DescribeReply {
    /// `summary`, `message`, `fact` or `conversation`
    #[serde(rename = "type")]
    kind: &'static str,
    id: String,
    conversation_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
    /// Text of a summary or message
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
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
}

impl Operation for Describe {
    const NAME: &'static str = "describe";
    const SUMMARY: &'static str = "Describe a summary, message, fact or conversation with where it comes from";
    const KIND: Kind = Kind::Read;
    type Params = Params;
    type Reply = DescribeReply;

    async fn run(call: &Call<'_>, params: Params) -> Result<DescribeReply, engine::Error> {
        Ok(call.engine.describe(&params.id).await?.into())
    }
}

impl From<Described> for DescribeReply {
    fn from(described: Described) -> Self {
        match described {
            Described::Summary { summary, covers, covered_by, active, redone } => Self {
                kind: "summary",
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
            Described::Message { message, covered_by, facts } => {
                let folds = covered_by.iter().filter(|summary| summary.range.last == message.seq);
                let parts = message.body.parts.iter().map(PartLine::from).chain(folds.map(PartLine::compaction));
                Self {
                    kind: "message",
                    id: message.id.to_string(),
                    conversation_id: message.conversation.to_string(),
                    seq: Some(message.seq),
                    role: Some(message.body.role.as_str()),
                    at: message.body.at.as_ref().map(|at| at.text.clone()),
                    tokens: Some(message.tokens.0.into()),
                    content: Some(message.body.content()),
                    parts: parts.collect(),
                    covered_by: covered_by.iter().map(|summary| summary.id.to_string()).collect(),
                    facts: facts.iter().map(FactLine::from).collect(),
                    ..Self::default()
                }
            }
            Described::Fact(fact) => Self {
                kind: "fact",
                id: fact.id.to_string(),
                conversation_id: fact.conversation.to_string(),
                fact: Some(FactLine::from(&*fact)),
                ..Self::default()
            },
            Described::Conversation { conversation, context_tokens, summaries, active_messages, facts } => Self {
                kind: "conversation",
                id: conversation.id.to_string(),
                conversation_id: conversation.id.to_string(),
                name: Some(conversation.name),
                tokens: Some(conversation.tokens.0.into()),
                messages: Some(conversation.messages),
                active_messages: Some(active_messages),
                context_tokens: Some(context_tokens),
                summaries: summaries.iter().map(ToString::to_string).collect(),
                facts: facts.iter().map(FactLine::from).collect(),
                ..Self::default()
            },
        }
    }
}

impl Reply for DescribeReply {
    fn text(&self) -> String {
        let mut text = format!("{} {} of {}\n", self.kind, self.id, self.conversation_id);
        let mut field = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                let _ = writeln!(text, "{name:<15} {value}");
            }
        };
        field("name", self.name.clone());
        field("place", self.seq.map(|seq| seq.to_string()));
        field("role", self.role.map(str::to_owned));
        field("at", self.at.clone());
        field("tokens", self.tokens.map(|tokens| tokens.to_string()));
        field("messages", self.messages.map(|messages| messages.to_string()));
        field("context tokens", self.context_tokens.map(|tokens| tokens.to_string()));
        field("in the context", self.active_messages.map(|messages| format!("{messages} messages as they are")));
        field("summary", self.summary.as_ref().map(SummaryLine::text));
        field("active", self.active.map(|active| if active { "yes" } else { "no" }.to_owned()));
        field("made anew as", self.redone.clone());
        for summary in &self.covers {
            field("covers", Some(format!("{} {}", summary.summary_id, summary.text())));
        }
        for id in self.covered_by.iter().chain(&self.summaries) {
            field(if self.kind == "conversation" { "summary" } else { "covered by" }, Some(id.clone()));
        }
        for part in &self.parts {
            field("part", Some(part.text()));
        }
        for fact in self.facts.iter().chain(&self.fact) {
            field("fact", Some(fact.text()));
        }
        if let Some(content) = &self.content {
            let _ = write!(text, "\n{content}\n");
        }
        text
    }
}
