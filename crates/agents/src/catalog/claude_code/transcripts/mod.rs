//! Reads Claude Code's transcripts, JSON lines that form a tree by uuid, into messages. Lines of one model answer are
//! one message with the API's id, any other message has its line's uuid; a line seen before with the same text is a
//! copy, with other text a new message. A parent is the nearest message up the tree, as most lines between are events.
//! Sub-agents have files of their own; older versions wrote them into the same file, where they are threads.

mod author;
mod line_message;
mod pending_answers;
#[cfg(test)]
mod tests;
mod usage;

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use model::{
    AgentName, EventTime, LineKind, MessageRole, NewMessage, ProjectedMessage, Projection, TranscriptDescent,
    TranscriptHead,
};

use self::line_message::LineMessage;
use self::pending_answers::PendingAnswers;
use crate::transcript::external_ids::{ExternalIds, IdAssignment, name_at};
use crate::transcript::json::JsonObject;
use crate::transcript::json_lines::{JsonLineProjection, RecordReader};
use crate::transcript::line_tree::LineTree;

pub(crate) fn build_projection(path: &Path) -> Box<dyn Projection> {
    Box::new(JsonLineProjection::new(ClaudeCodeProjection::new(path)))
}

/// Kinds of lines that may say something.
const MESSAGE_LINE_KINDS: [&str; 4] = ["user", "assistant", "system", "attachment"];

/// Kinds of lines that carry no words of the conversation.
const EVENTS: [&str; 21] = [
    "progress",
    "summary",
    "file-history-snapshot",
    "queue-operation",
    "last-prompt",
    "custom-title",
    "ai-title",
    "agent-name",
    "agent-setting",
    "permission-mode",
    "pr-link",
    "bridge-session",
    "worktree-state",
    "tag",
    "mode",
    // What was sent to the API, once more: the messages in it stand in lines of their own.
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "atis-latch",
    "cost-state",
    "tools-used",
];

/// Whether a line looks like one of this format.
pub(crate) fn matches_format(record: &JsonObject<'_>) -> bool {
    let kind = record.text("type").unwrap_or_default();
    let is_known = EVENTS.contains(&kind.as_ref()) || MESSAGE_LINE_KINDS.contains(&&*kind);
    // Other agents have lines with these types too; one of Claude Code's ids has to be there as well.
    is_known && ["sessionId", "uuid", "leafUuid", "messageId"].iter().any(|name| record.field(name).is_some())
}

struct ClaudeCodeProjection {
    head: TranscriptHead,
    /// Whose file this is, when it is a sub-agent's.
    subagent: Option<String>,
    /// Whether the file's name or a line said which conversation this is.
    is_named: bool,
    title_rank: TitleRank,
    names: ExternalIds,
    ancestry: LineTree,
    held: PendingAnswers,
}

/// Whose title wins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TitleRank {
    Summary,
    Model,
    Person,
}

/// Where a line stands, apart from what it says.
struct LinePosition<'a> {
    number: u64,
    uuid: Option<Cow<'a, str>>,
    parent: Option<Cow<'a, str>>,
    thread: Option<Arc<str>>,
}

impl ClaudeCodeProjection {
    fn new(path: &Path) -> Self {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let subagent = stem.strip_prefix("agent-").map(str::to_owned);
        let folder = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        // A subagent's file lies in `<session>/subagents/`, which names its session before any line does.
        let session = path.ancestors().find(|place| folder(place).as_deref() == Some("subagents"));
        let session = session.and_then(Path::parent).and_then(folder);
        let (conversation, is_named) = match (&subagent, session) {
            (Some(_), Some(session)) => (format!("{session}/{stem}"), true),
            (Some(_), None) => (stem, false),
            (None, _) if is_uuid(&stem) => (stem, true),
            // Until a line names the session, the place of the file is the only name there is.
            (None, _) => (name_at(path, ""), false),
        };
        let head = TranscriptHead {
            agent: AgentName("claude-code".into()),
            conversation,
            title: None,
            project_dir: None,
            descent: None,
        };
        Self {
            head,
            subagent,
            is_named,
            title_rank: TitleRank::Summary,
            names: ExternalIds::default(),
            ancestry: LineTree::default(),
            held: PendingAnswers::default(),
        }
    }

    fn update_head(&mut self, kind: &str, record: &JsonObject<'_>) {
        let session = record.text("sessionId");
        // The first line that names a session decides; later lines of a fork name their own.
        if let (Some(session), None) = (&session, &self.head.descent) {
            let fork = record.object("forkedFrom").and_then(|from| from.string("sessionId"));
            self.head.descent = match (&self.subagent, fork) {
                (Some(_), _) => Some(TranscriptDescent::Subagent { of: session.to_string() }),
                (None, Some(of)) => Some(TranscriptDescent::Fork { of }),
                // `claude --resume` copies lines into a new file, and they keep the id of the session they come from.
                (None, None) if is_uuid(&self.head.conversation) && *session != self.head.conversation => {
                    Some(TranscriptDescent::Fork { of: session.to_string() })
                }
                (None, None) => None,
            };
        }
        if let (Some(session), false) = (&session, self.is_named) {
            self.is_named = true;
            self.head.conversation = match &self.subagent {
                Some(agent) => format!("{session}/agent-{agent}"),
                None => session.to_string(),
            };
        }
        // The first directory counts: later ones only follow `cd` inside of the project.
        if self.head.project_dir.is_none() {
            self.head.project_dir = record.string("cwd");
        }
        let (title, rank) = match kind {
            "custom-title" => (record.string("customTitle"), TitleRank::Person),
            "ai-title" => (record.string("aiTitle"), TitleRank::Model),
            // Claude Code writes the summaries of other sessions into new files, too, so the summary has to name a line
            // of this one.
            "summary" if record.text("leafUuid").is_some_and(|leaf| self.ancestry.has_line(&leaf)) => {
                (record.string("summary"), TitleRank::Summary)
            }
            _ => return,
        };
        // A title that the user gave is never replaced by one of a model.
        if title.is_some() && rank >= self.title_rank {
            (self.head.title, self.title_rank) = (title, rank);
        }
    }

    fn line_position<'a>(&self, number: u64, record: &JsonObject<'a>) -> LinePosition<'a> {
        let uuid = record.text("uuid").filter(|uuid| !uuid.is_empty());
        // After a compaction `parentUuid` is null, and only the logical parent leads to what came before.
        let parent = record.text("parentUuid").or_else(|| record.text("logicalParentUuid"));
        // The file of a subagent is a conversation of its own; only older versions wrote sidechains into the main file.
        let thread = if self.subagent.is_some() || !record.flag("isSidechain") {
            None
        } else if let Some(agent) = record.text("agentId") {
            Some(Arc::from(&*agent))
        } else {
            // Older versions did not name the agent of a sidechain, so its thread is called by its first line.
            let above = parent.as_deref().and_then(|parent| self.ancestry.line_thread(parent));
            above.or_else(|| uuid.as_deref().map(Arc::from))
        };
        LinePosition { number, uuid, parent, thread }
    }

    fn add_message(
        &mut self,
        place: &LinePosition<'_>,
        record: &JsonObject<'_>,
        said: LineMessage,
        out: &mut Vec<ProjectedMessage>,
    ) -> LineKind {
        let name = match self.names.assign_id(place.uuid.as_deref(), place.number, said.verbatim) {
            IdAssignment::New(name) => {
                // The file has a message by now, so its name is fixed: a later session id must not rename it.
                self.is_named = true;
                name
            }
            IdAssignment::Copy(name) => {
                return LineKind::Repeat { of: self.ancestry.message_at(&name).unwrap_or(name) };
            }
        };
        let parent = place.parent.as_deref().and_then(|parent| self.ancestry.message_at(parent));
        // The parent may still be held back in another thread, and a child must never be given out before its parent.
        if let Some(parent) = &parent {
            self.held.close_before(parent, place, out);
        }
        let message = ProjectedMessage {
            parent,
            message: NewMessage {
                external_id: Some(name.clone()),
                role: said.author.role(),
                speaker: said.author.speaker(),
                session: record.string("sessionId"),
                at: record.string("timestamp").map(EventTime::from_text),
                metadata: None,
                parts: said.parts,
                part_marks: model::PartMarks::default(),
            },
            lines: vec![place.number],
            thread: place.thread.as_deref().map(str::to_owned),
            continues: None,
        };
        let ends_answer = said.author.begins_turn();
        let external = match said.response {
            Some(response) => self.held.add_line(place, message, response, out),
            // A prompt ends every answer of its thread.
            None if ends_answer => {
                self.held.close_answer(place.thread.as_ref(), out);
                out.push(message);
                name.clone()
            }
            // The result of a tool may come between two blocks of one answer, so it waits behind the answer.
            None => {
                self.held.add_after(place, message, out);
                name.clone()
            }
        };
        self.ancestry.add_message(&name, &external, place.thread.clone());
        LineKind::Message
    }
}

impl RecordReader for ClaudeCodeProjection {
    fn read_record(&mut self, number: u64, record: &JsonObject<'_>, out: &mut Vec<ProjectedMessage>) -> LineKind {
        let kind = record.text("type").unwrap_or_default();
        // Before the message: it may be given out with this line, and needs the conversation's name.
        self.update_head(&kind, record);
        let place = self.line_position(number, record);
        let other = (!MESSAGE_LINE_KINDS.contains(&&*kind)).then(|| other_kind(&kind));
        // A line of an unknown kind may still say something; only known events are skipped.
        let said =
            if matches!(other, Some(LineKind::Event(_))) { None } else { line_message::parse_line(&kind, record) };
        // An unknown kind of line does not say whether a person wrote it, and a subagent is addressed by the agent
        // above it. Neither may become a wish of the user.
        let is_to_subagent = |said: &LineMessage<'_>| {
            said.author.role() == MessageRole::User && (self.subagent.is_some() || record.flag("isSidechain"))
        };
        let said = said.map(|said| if other.is_some() || is_to_subagent(&said) { said.by_program() } else { said });
        if let Some(said) = said {
            let kind = self.add_message(&place, record, said, out);
            return other.unwrap_or(kind);
        }
        // An event keeps its place in the tree, so that the next message finds its parent through it.
        if let Some(uuid) = place.uuid {
            self.ancestry.add_event(&uuid, place.parent.as_deref(), place.thread);
        }
        other.unwrap_or_else(|| LineKind::Event(line_message::event_name(&kind, record).into()))
    }

    fn pause(&mut self, out: &mut Vec<ProjectedMessage>) {
        self.held.close_all(out);
    }

    fn head(&self) -> &TranscriptHead {
        &self.head
    }
}

/// The kind of a line that is none of the four with messages.
fn other_kind(kind: &str) -> LineKind {
    match EVENTS.iter().find(|event| **event == kind) {
        Some(event) => LineKind::Event(Cow::Borrowed(event)),
        None if kind.is_empty() => LineKind::Unknown("a line without type".to_owned()),
        None => LineKind::Unknown(kind.to_owned()),
    }
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36 && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}
