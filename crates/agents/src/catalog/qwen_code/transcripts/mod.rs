//! Reads Qwen Code's transcripts into messages: JSON lines that form a tree by uuid, as Claude Code's, with content as
//! in Gemini's API. A line is a message; its parent is the nearest message up the tree. What the host put around a
//! prompt (reminders, named files, text of hooks) is a message of its own, by the program. Of the message list that a
//! compaction leaves only the summary is read: the others have lines of their own. Sub-agents have files of their own.

mod author;
#[cfg(test)]
mod tests;

use std::path::Path;

use model::{
    AgentName, EventTime, LineKind, MessagePart, MessageRole, ProjectedMessage, Projection, TranscriptDescent,
    TranscriptHead,
};

use crate::transcript::author::Author;
use crate::transcript::json::{JsonObject, RawJson};
use crate::transcript::json_lines::{JsonLineProjection, RecordReader};
use crate::transcript::prompt::PromptParts;
use crate::transcript::transcript_builder::{MessageContent, ParentRef, RecordPosition, TranscriptBuilder};
use crate::transcript::{blocks, contents};

pub(crate) fn build_projection(path: &Path) -> Box<dyn Projection> {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    // A subagent's file is `subagents/<session>/agent-<id>.jsonl`.
    let session = path.parent().filter(|folder| folder.parent().and_then(name).as_deref() == Some("subagents"));
    let session = session.and_then(name);
    let head = TranscriptHead {
        agent: AgentName("qwen-code".into()),
        conversation: session.as_ref().map_or_else(|| stem.clone(), |session| format!("{session}/{stem}")),
        title: None,
        project_dir: None,
        descent: session.clone().map(|of| TranscriptDescent::Subagent { of }),
    };
    let is_subagent = session.is_some();
    let builder = TranscriptBuilder::default();
    Box::new(JsonLineProjection::new(QwenCodeProjection {
        head,
        is_subagent,
        is_named: is_subagent,
        builder,
        typed: None,
    }))
}

/// Whether a line is one of this format. Claude Code's lines have the same fields around another message.
pub(crate) fn matches_format(record: &JsonObject<'_>) -> bool {
    let has_parts = record.object("message").is_some_and(|message| message.array("parts").is_some());
    let is_kind = record.text("type").is_some_and(|kind| kind == "tool_result");
    ["uuid", "sessionId", "type"].iter().all(|name| record.field(name).is_some())
        // Claude Code's lines have the same fields; the parts of Gemini's API, or fields of Qwen's own, tell them
        // apart.
        && (has_parts || is_kind || ["systemPayload", "provenance"].iter().any(|name| record.field(name).is_some()))
}

/// What the host puts around the words of a person, in the same text.
const FENCES: [&str; 2] = ["system-reminder", "qwen:user-prompt-submit-context"];

struct QwenCodeProjection {
    head: TranscriptHead,
    is_subagent: bool,
    /// Whether a line said which conversation this is.
    is_named: bool,
    builder: TranscriptBuilder,
    /// What a person typed, where the next prompt has files written out in it.
    typed: Option<String>,
}

impl QwenCodeProjection {
    fn update_head(&mut self, record: &JsonObject<'_>) {
        // Only the first session id counts: lines that a fork copied keep theirs.
        if let (Some(session), false) = (record.string("sessionId"), self.is_named) {
            self.is_named = true;
            self.head.conversation = session;
        }
        self.head.project_dir = self.head.project_dir.take().or_else(|| record.string("cwd"));
        let fork = record.object("forkedFrom").and_then(|from| from.string("sessionId"));
        let payload = record.object("systemPayload");
        let of = |name: &str| payload.as_ref().and_then(|payload| payload.string(name));
        let descent = fork.map(|of| TranscriptDescent::Fork { of });
        let descent = descent.or_else(|| of("parentSessionId").map(|of| TranscriptDescent::Subagent { of }));
        self.head.descent = self.head.descent.take().or(descent);
        self.head.title = of("customTitle").or(self.head.title.take());
        self.typed = of("userText").or(self.typed.take());
    }

    fn parse_content(&mut self, record: &JsonObject<'_>) -> Option<MessageContent> {
        if record.text("subtype").as_deref() == Some(author::COMPRESSION) {
            return parse_compaction(record);
        }
        let parts = record.object("message")?.field("parts").map(contents::parse_parts).unwrap_or_default();
        let author = author::find_author(record);
        let author = if self.is_subagent { author.below_agent() } else { author };
        let said = match author {
            Author::Person => {
                let payload = record.object("systemPayload");
                // The typed text comes in a record before the prompt, without the files that the host wrote out in it.
                let shown = payload.and_then(|payload| payload.string("displayText")).or_else(|| self.typed.take());
                let PromptParts { own, added } = match shown {
                    Some(shown) => PromptParts::from_displayed(parts, &shown, &FENCES),
                    None => PromptParts::from_parts(parts, &FENCES),
                };
                MessageContent { author, parts: own, added }
            }
            Author::Model => MessageContent::new(author, with_usage(parts, record)),
            Author::Tool => MessageContent::new(author, with_status(parts, record)),
            Author::Host(_) | Author::Summary(_) => MessageContent::new(author, blocks::remove_own(parts)),
        };
        (!said.is_empty()).then_some(said)
    }
}

impl RecordReader for QwenCodeProjection {
    fn read_record(&mut self, number: u64, record: &JsonObject<'_>, out: &mut Vec<ProjectedMessage>) -> LineKind {
        self.update_head(record);
        let kind = record.text("type").unwrap_or_default();
        let subtype = record.text("subtype");
        let is_known = author::is_known(&kind, subtype.as_deref());
        let name = subtype.map_or_else(|| kind.to_string(), |subtype| format!("{kind} {subtype}"));
        let (id, parent) = (record.text("uuid").filter(|id| !id.is_empty()), record.text("parentUuid"));
        let Some(said) = self.parse_content(record) else {
            self.builder.add_event(id.as_deref(), parent.as_deref());
            return if is_known { LineKind::Event(name.into()) } else { LineKind::Unknown(name) };
        };
        let verbatim = record.field("message").or_else(|| record.field("systemPayload"));
        let place = RecordPosition {
            number,
            id: id.as_deref(),
            parent: ParentRef::Record(parent.as_deref()),
            at: record.string("timestamp").map(EventTime::from_text),
            thread: None,
            verbatim: verbatim.map_or("", RawJson::as_written),
        };
        let told = self.builder.add_message(&place, said, out);
        if is_known { told } else { LineKind::Unknown(name) }
    }

    fn head(&self) -> &TranscriptHead {
        &self.head
    }
}

/// The summary that a compaction put in the place of what was said.
fn parse_compaction(record: &JsonObject<'_>) -> Option<MessageContent> {
    let payload = record.object("systemPayload")?;
    let reason = payload.object("info").and_then(|info| info.string("triggerReason"));
    let first =
        payload.array("compressedHistory").and_then(|history| history.into_iter().next()).and_then(RawJson::object);
    let texts = first.and_then(|first| first.field("parts").map(contents::parse_parts)).unwrap_or_default();
    // Older versions do not write down who asked for the compaction.
    let fold = MessagePart::Compaction { auto: reason.as_deref() != Some("manual") };
    let parts = [fold].into_iter().chain(blocks::remove_own(texts)).collect();
    Some(MessageContent::new(Author::Summary(MessageRole::System), parts))
}

fn with_usage(mut parts: Vec<MessagePart>, record: &JsonObject<'_>) -> Vec<MessagePart> {
    if let (Some(usage), false) = (record.object("usageMetadata"), parts.is_empty()) {
        let (tokens_in, tokens_out) = (usage.count("promptTokenCount"), usage.count("candidatesTokenCount"));
        parts.push(MessagePart::StepFinish { reason: None, cost_micros: None, tokens_in, tokens_out });
    }
    parts
}

/// How a call ended is written beside its result.
fn with_status(mut parts: Vec<MessagePart>, record: &JsonObject<'_>) -> Vec<MessagePart> {
    let ended = record.object("toolCallResult").and_then(|result| result.string("status"));
    for part in &mut parts {
        if let MessagePart::Tool { status, .. } = part {
            *status = status.take().or_else(|| ended.clone());
        }
    }
    parts
}
