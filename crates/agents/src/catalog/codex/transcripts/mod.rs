//! Reads Codex's transcripts (rollouts), JSON lines with one API item each and events between them, into messages. An
//! item is a message; an event that only repeats items for the screen stays an event. Token counts of an answer come in
//! an event after its items and are appended to the last one, which is held back for that. Items have ids only since
//! some version; those without are named by their call, their place or their words.

mod author;
mod command_output;
mod item;
#[cfg(test)]
mod tests;

use std::path::Path;

use model::{
    AgentName, EventTime, LineKind, MessagePart, MessageRole, NewMessage, ProjectedMessage, Projection,
    TranscriptDescent, TranscriptHead,
};

use self::command_output::Executed;
use self::item::CodexItem;
use crate::transcript::external_ids::{ExternalIds, IdAssignment};
use crate::transcript::json::{JsonObject, RawJson};
use crate::transcript::json_lines::{JsonLineProjection, RecordReader};
use crate::transcript::parent_tracker::ParentTracker;

pub(crate) fn build_projection(path: &Path) -> Box<dyn Projection> {
    let stem = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = stem.split(".jsonl").next().unwrap_or_default();
    // A file is called `rollout-2026-08-01T10-00-00-<uuid>.jsonl`; a uuid has 36 characters.
    let id = stem.len().checked_sub(36).filter(|_| stem.starts_with("rollout-")).and_then(|at| stem.get(at..));
    let head = TranscriptHead {
        agent: AgentName("codex".into()),
        conversation: id.unwrap_or(stem).to_owned(),
        title: None,
        project_dir: None,
        descent: None,
    };
    Box::new(JsonLineProjection::new(CodexProjection {
        head,
        has_meta: false,
        names: ExternalIds::default(),
        trail: ParentTracker::default(),
        held: None,
        is_answer_last: false,
        counted: 0,
        executed: Executed::default(),
    }))
}

/// Whether a line looks like one of this format, or of its first versions, which wrote bare items.
pub(crate) fn matches_format(record: &JsonObject<'_>) -> bool {
    const KINDS: [&str; 5] = ["session_meta", "response_item", "turn_context", "event_msg", "compacted"];
    let kind = record.text("type").unwrap_or_default();
    let is_line = record.field("payload").is_some() && KINDS.contains(&&*kind);
    // The first versions began a file with a line that has no type, but names the state of git.
    let is_first = record.field("id").is_some() && record.field("timestamp").is_some() && record.field("git").is_some();
    is_line || is_first
}

struct CodexProjection {
    head: TranscriptHead,
    has_meta: bool,
    names: ExternalIds,
    trail: ParentTracker,
    /// The last item of an answer, for the tokens that may follow.
    held: Option<ProjectedMessage>,
    is_answer_last: bool,
    /// All tokens of the session by the last event: Codex sends the event again even without a new answer.
    counted: u32,
    executed: Executed,
}

impl CodexProjection {
    fn read_meta(&mut self, meta: &JsonObject<'_>) {
        // A fork begins with the lines it took over, and those begin with the meta line of the other session: only the
        // first one is about this file.
        if self.has_meta {
            return;
        }
        self.has_meta = true;
        if let Some(id) = meta.string("id").or_else(|| meta.string("session_id")) {
            self.head.conversation = id;
        }
        self.head.project_dir = meta.string("cwd");
        let spawn = meta.object("source").and_then(|source| source.object("subagent"));
        let spawn = spawn.and_then(|subagent| subagent.object("thread_spawn"));
        let parent = spawn.and_then(|spawn| spawn.string("parent_thread_id"));
        self.head.descent = match (meta.string("parent_thread_id").or(parent), meta.string("forked_from_id")) {
            (Some(of), _) => Some(TranscriptDescent::Subagent { of }),
            (None, Some(of)) => Some(TranscriptDescent::Fork { of }),
            (None, None) => None,
        };
    }

    fn add_message(
        &mut self,
        line: &CodexLine<'_>,
        mut item: CodexItem,
        verbatim: &str,
        out: &mut Vec<ProjectedMessage>,
    ) -> LineKind {
        let with = self.executed.complete(&mut item.parts);
        let name = match self.names.assign_id(item.id.as_deref(), line.number, verbatim) {
            IdAssignment::New(name) => name,
            IdAssignment::Copy(of) => return LineKind::Repeat { of },
        };
        // The answer before is complete: its tokens come before the next item, if at all.
        out.extend(self.held.take());
        let is_turn = item.author.begins_turn();
        // In a subagent's file the prompts are those of the agent above it.
        let is_subagent = matches!(self.head.descent, Some(TranscriptDescent::Subagent { .. }));
        let author = if is_subagent { item.author.below_agent() } else { item.author };
        let is_answer = author.role() == MessageRole::Assistant;
        let message = ProjectedMessage {
            parent: self.trail.advance_to(&name, is_turn),
            message: NewMessage {
                external_id: Some(name),
                role: author.role(),
                speaker: author.speaker(),
                session: None,
                at: line.at.clone(),
                metadata: None,
                parts: item.parts,
                part_marks: model::PartMarks::default(),
            },
            // The event with the longer output is a source of this message as well, so a rebuild needs its line.
            lines: with.into_iter().chain([line.number]).collect(),
            thread: None,
            continues: None,
        };
        self.is_answer_last = is_answer;
        // The tokens of an answer come in an event after it, and are put at its end.
        if is_answer {
            self.held = Some(message);
        } else {
            out.push(message);
        }
        item.unknown.map_or(LineKind::Message, |kind| LineKind::Unknown(format!("response_item {kind}")))
    }

    fn handle_event(
        &mut self,
        line: &CodexLine<'_>,
        event: &JsonObject<'_>,
        out: &mut Vec<ProjectedMessage>,
    ) -> LineKind {
        let kind = event.text("type").unwrap_or_default();
        match kind.as_ref() {
            "token_count" => {
                if let Some(end) = event.object("info").and_then(|info| self.finish_part(&info)) {
                    return self.end_answer(line, end, event.as_written(), out);
                }
            }
            "item_completed" => {
                if let Some(item) = event.object("item") {
                    self.executed.note(line.number, &item);
                }
            }
            // The user went back: what comes next follows the message before those turns.
            "thread_rolled_back" => self.trail.back_turns(event.count("num_turns").unwrap_or(0)),
            "thread_name_updated" => self.head.title = event.string("thread_name").or(self.head.title.take()),
            _ => {}
        }
        LineKind::Event(format!("event_msg {kind}").into())
    }

    /// The end of an answer, when the tokens were not counted yet.
    fn finish_part(&mut self, info: &JsonObject<'_>) -> Option<MessagePart> {
        let total = info.object("total_token_usage").and_then(|total| total.count("total_tokens"))?;
        // Codex repeats the event for the screen without anything new having been counted.
        if total == self.counted {
            return None;
        }
        self.counted = total;
        let last = info.object("last_token_usage")?;
        Some(MessagePart::StepFinish {
            reason: None,
            cost_micros: None,
            tokens_in: last.count("input_tokens"),
            tokens_out: last.count("output_tokens"),
        })
    }

    fn end_answer(
        &mut self,
        line: &CodexLine<'_>,
        end: MessagePart,
        verbatim: &str,
        out: &mut Vec<ProjectedMessage>,
    ) -> LineKind {
        // Tokens that find no held answer come after a pause of the import, as the last event of a running session
        // does.
        if let Some(mut held) = self.held.take() {
            held.message.parts.push(end);
            held.lines.push(line.number);
            out.push(held);
            return LineKind::Message;
        }
        let name = match self.names.assign_id(None, line.number, verbatim) {
            IdAssignment::New(name) | IdAssignment::Copy(name) => name,
        };
        // The tokens continue an answer that was given out before, and the next message follows that answer, too.
        let parent = self.trail.last_message();
        out.push(ProjectedMessage {
            message: NewMessage {
                external_id: Some(name),
                role: MessageRole::Assistant,
                speaker: None,
                session: None,
                at: line.at.clone(),
                metadata: None,
                parts: vec![end],
                part_marks: model::PartMarks::default(),
            },
            lines: vec![line.number],
            continues: parent.clone().filter(|_| self.is_answer_last),
            parent,
            thread: None,
        });
        LineKind::Message
    }
}

/// A line without its payload.
struct CodexLine<'a> {
    number: u64,
    at: Option<EventTime>,
    kind: &'a str,
}

impl RecordReader for CodexProjection {
    fn read_record(&mut self, number: u64, record: &JsonObject<'_>, out: &mut Vec<ProjectedMessage>) -> LineKind {
        let kind = record.text("type").unwrap_or_default();
        let line = CodexLine { number, at: record.string("timestamp").map(EventTime::from_text), kind: &kind };
        let payload = record.object("payload");
        let Some(payload) = payload else {
            // The first versions wrote items without a wrapper.
            return self.handle_bare(&line, record, out);
        };
        match line.kind {
            "session_meta" => {
                self.read_meta(&payload);
                LineKind::Event("session_meta".into())
            }
            "response_item" => self.handle_item(&line, &payload, out),
            "compacted" => self.add_message(&line, CodexItem::from_compaction(&payload), payload.as_written(), out),
            "event_msg" => self.handle_event(&line, &payload, out),
            "turn_context" | "world_state" | "security_risk_score" | "token_usage_record" => {
                LineKind::Event(line.kind.to_owned().into())
            }
            other if other.starts_with("inter_agent_communication") => match CodexItem::between_agents(&payload) {
                Some(item) => self.add_message(&line, item, payload.as_written(), out),
                None => LineKind::Event(other.to_owned().into()),
            },
            other => LineKind::Unknown(other.to_owned()),
        }
    }

    fn pause(&mut self, out: &mut Vec<ProjectedMessage>) {
        out.extend(self.held.take());
    }

    fn head(&self) -> &TranscriptHead {
        &self.head
    }
}

impl CodexProjection {
    fn handle_item(
        &mut self,
        line: &CodexLine<'_>,
        item: &JsonObject<'_>,
        out: &mut Vec<ProjectedMessage>,
    ) -> LineKind {
        match CodexItem::from_object(item) {
            Some(read) => self.add_message(line, read, item.as_written(), out),
            None => LineKind::Event(format!("response_item {}", item.text("type").unwrap_or_default()).into()),
        }
    }

    /// A line of the first versions: an item without a wrapper, a first line of its own kind, or a state record.
    fn handle_bare(
        &mut self,
        line: &CodexLine<'_>,
        record: &JsonObject<'_>,
        out: &mut Vec<ProjectedMessage>,
    ) -> LineKind {
        if let Some(kind) = record.field("record_type").map(RawJson::text_or_written) {
            return LineKind::Event(kind.into_owned().into());
        }
        if !line.kind.is_empty() {
            return self.handle_item(line, record, out);
        }
        if record.field("id").is_some() && record.field("timestamp").is_some() {
            self.read_meta(record);
            return LineKind::Event("session_meta".into());
        }
        LineKind::Unknown("a line without type".to_owned())
    }
}
