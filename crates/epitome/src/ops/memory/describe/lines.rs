//! Renders summaries, message parts and facts as one line each, for the reply of the `describe` operation.

use engine::DescribedFact;
use model::{FoldTrigger, MessagePart, PartKind, PartMark, Summary, SummaryMethod};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

#[derive(Serialize, JsonSchema)]
pub(super) struct SummaryLine {
    pub(super) summary_id: String,
    /// `leaf` or `condensed`
    kind: &'static str,
    depth: u32,
    first_seq: u64,
    last_seq: u64,
    tokens: u32,
    /// Tokens of the messages it stands for
    source_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
    /// `extractive`, `fallback` (a model gave nothing usable; can be redone) or `model`
    method: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
    /// Why the context was folded
    trigger: &'static str,
    facts_kept: u32,
    facts: u32,
}

impl From<&Summary> for SummaryLine {
    fn from(summary: &Summary) -> Self {
        let (model, prompt) = match &summary.method {
            SummaryMethod::Model { model, prompt } => (Some(model.clone()), Some(prompt.clone())),
            SummaryMethod::Extractive | SummaryMethod::Fallback => (None, None),
        };
        Self {
            summary_id: summary.id.to_string(),
            kind: summary.kind().as_str(),
            depth: summary.depth,
            first_seq: summary.range.first,
            last_seq: summary.range.last,
            tokens: summary.tokens.0,
            source_tokens: summary.source_tokens.0,
            from: summary.from.clone(),
            until: summary.until.clone(),
            method: summary.method.as_str(),
            model,
            prompt,
            trigger: summary.trigger.as_str(),
            facts_kept: summary.kept.kept,
            facts: summary.kept.of,
        }
    }
}

impl SummaryLine {
    pub(super) fn to_text(&self) -> String {
        let by = self.model.as_ref().map(|model| format!(" by {model}")).unwrap_or_default();
        format!(
            "{}, depth {}, messages {}-{}, {} of {} tokens, {}{by}, {} of {} facts kept",
            self.kind,
            self.depth,
            self.first_seq,
            self.last_seq,
            self.tokens,
            self.source_tokens,
            self.method,
            self.facts_kept,
            self.facts
        )
    }
}

/// A summary in the context of a conversation.
#[derive(Serialize, JsonSchema)]
pub(super) struct FoldLine {
    summary_id: String,
    depth: u32,
    first_seq: u64,
    last_seq: u64,
    tokens: u32,
    /// Tokens of the messages it stands for
    source_tokens: u32,
}

impl From<&store::ActiveSummary> for FoldLine {
    fn from(summary: &store::ActiveSummary) -> Self {
        Self {
            summary_id: summary.id.to_string(),
            depth: summary.depth,
            first_seq: summary.range.first,
            last_seq: summary.range.last,
            tokens: summary.tokens.0,
            source_tokens: summary.source_tokens.0,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ArtifactLine {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    media_type: String,
    bytes: u64,
}

impl From<store::Artifact> for ArtifactLine {
    fn from(artifact: store::Artifact) -> Self {
        let store::Artifact { id, name, media_type, bytes, .. } = artifact;
        Self { id: id.to_string(), name, media_type, bytes }
    }
}

impl ArtifactLine {
    pub(super) fn to_text(&self) -> String {
        let name = self.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
        format!("{}{name}, {}, {} bytes", self.id, self.media_type, self.bytes)
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct PartLine {
    /// `text`, `reasoning`, `tool`, …, `compaction`
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call_id: Option<String>,
    bytes: usize,
    /// The summary that took the place of this message and those before it
    #[serde(skip_serializing_if = "Option::is_none")]
    summary_id: Option<String>,
    /// Whether the context was folded by itself
    #[serde(skip_serializing_if = "Option::is_none")]
    auto: Option<bool>,
    /// Whether its source kept it from the model
    #[serde(skip_serializing_if = "Option::is_none")]
    is_ignored: Option<bool>,
    /// Whether a program wrote it in the place of a person or a model
    #[serde(skip_serializing_if = "Option::is_none")]
    is_synthetic: Option<bool>,
    /// What else its source said about it
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Value>,
}

impl PartLine {
    pub(super) fn new(part: &MessagePart, mark: Option<&PartMark>) -> Self {
        let (tool, call_id) = if let MessagePart::Tool { name, call_id, .. } = part {
            (name.clone(), call_id.clone())
        } else {
            (None, None)
        };
        let bytes = part.searchable_texts().iter().map(|words| words.len()).sum();
        let PartMark { is_ignored, is_synthetic, metadata } = mark.cloned().unwrap_or_default();
        // It was written from a JSON object; one that cannot be read is shown as the text that is kept.
        let metadata = metadata.map(|text| serde_json::from_str(&text).unwrap_or(Value::String(text)));
        let kind = part.kind().as_str();
        Self { kind, tool, call_id, bytes, summary_id: None, auto: None, is_ignored, is_synthetic, metadata }
    }

    /// A fold that ends here. It is no part of the message's own, which never changes: the summary is its record.
    pub(super) fn from_fold(summary: &Summary) -> Self {
        Self {
            kind: PartKind::Compaction.as_str(),
            tool: None,
            call_id: None,
            bytes: 0,
            summary_id: Some(summary.id.to_string()),
            auto: Some(summary.trigger != FoldTrigger::Manual),
            is_ignored: None,
            is_synthetic: None,
            metadata: None,
        }
    }

    pub(super) fn to_text(&self) -> String {
        let named = [&self.tool, &self.call_id, &self.summary_id].into_iter().flatten();
        let named: String = named.map(|name| format!(" {name}")).collect();
        let ignored = if self.is_ignored == Some(true) { ", ignored" } else { "" };
        let synthetic = if self.is_synthetic == Some(true) { ", synthetic" } else { "" };
        let metadata = self.metadata.as_ref().map(|metadata| format!(", {metadata}")).unwrap_or_default();
        format!("{}{named}, {} bytes{ignored}{synthetic}{metadata}", self.kind, self.bytes)
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct FactLine {
    fact_id: String,
    /// `rule`, `task`, `correction`, `decision`, `file`, `command`, `failure`, `test` or `todo`
    kind: &'static str,
    subject: String,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    /// What a failure or test was seen with
    #[serde(skip_serializing_if = "Option::is_none")]
    seen_with: Option<String>,
    /// Files changed and commands run before it ended, or the fact that replaced it
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_by: Option<String>,
    /// Whether agents are told it
    told: bool,
    times: u32,
    first_seq: u64,
    last_seq: u64,
    /// Messages it is taken from: the first and the newest
    sources: Vec<String>,
}

impl From<&DescribedFact> for FactLine {
    fn from(DescribedFact { fact, is_told }: &DescribedFact) -> Self {
        Self {
            fact_id: fact.id.to_string(),
            kind: fact.kind.as_str(),
            subject: fact.subject.clone(),
            state: fact.state.as_str(),
            exit_code: fact.exit_code,
            seen_with: fact.seen_with.clone(),
            ended_by: fact.ended_by.clone(),
            told: *is_told,
            times: fact.times,
            first_seq: fact.first_seq,
            last_seq: fact.last_seq,
            sources: fact.sources.iter().map(ToString::to_string).collect(),
        }
    }
}

impl FactLine {
    pub(super) fn to_text(&self) -> String {
        let code = self.exit_code.map(|code| format!(" {code}")).unwrap_or_default();
        let by = self.ended_by.as_ref().map(|files| format!(" by {files}")).unwrap_or_default();
        format!("{} {} {}{code}{by}: {}", self.fact_id, self.kind, self.state, self.subject)
    }
}
