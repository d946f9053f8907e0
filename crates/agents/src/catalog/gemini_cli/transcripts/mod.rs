//! Reads Gemini CLI's transcripts (JSON lines, at first one document) into messages. The last message may be rewritten
//! whole with additions, so it is held back; its last version counts while it only adds. A list that replaces all
//! messages (context folded or masked) adds those never seen, under any id; what it shortens or omits stays as first
//! written. A tool result is emitted once, with its call; the record that hands it to the model repeats it.

mod author;
mod message;
mod seen_parts;
#[cfg(test)]
mod tests;

use std::path::Path;

use model::{
    AgentName, EventTime, LineKind, MessagePart, MessageRole, NewMessage, ProjectedMessage, Projection,
    TranscriptDescent, TranscriptHead,
};

use self::message::GeminiMessage;
use self::seen_parts::SeenParts;
use crate::transcript::author::Author;
use crate::transcript::external_ids::{ExternalIds, IdAssignment};
use crate::transcript::json::{JsonObject, RawJson};
use crate::transcript::json_lines::{JsonLineProjection, RecordReader};
use crate::transcript::parent_tracker::ParentTracker;

pub(crate) fn build_projection(path: &Path) -> Box<dyn Projection> {
    let name = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    // A subagent's recording lies in a folder that is called after the session above it; `chats` is the common one.
    let folder = path.parent().and_then(name).filter(|folder| folder != "chats");
    let head = TranscriptHead {
        agent: AgentName("gemini-cli".into()),
        conversation: name(path).unwrap_or_default(),
        title: None,
        project_dir: project_beside(path),
        descent: None,
    };
    let (names, trail) = (ExternalIds::default(), ParentTracker::default());
    let said = SeenParts::default();
    Box::new(JsonLineProjection::new(GeminiCliProjection {
        head,
        folder,
        names,
        trail,
        heard: said,
        held: None,
        given: None,
    }))
}

/// The project of a recording, which has only its hash: a file beside the folder of recordings says it.
fn project_beside(path: &Path) -> Option<String> {
    let mut places = path.ancestors().skip(2).take(2).map(|folder| folder.join(".project_root"));
    let said = places.find_map(|place| fs_err::read_to_string(place).ok())?;
    Some(said.trim().to_owned()).filter(|said| Path::new(said).is_absolute())
}

/// Whether a line, or a whole document, begins such a recording.
pub(crate) fn matches_format(record: &JsonObject<'_>) -> bool {
    record.field("sessionId").is_some() && record.field("projectHash").is_some()
}

struct GeminiCliProjection {
    head: TranscriptHead,
    /// The folder of a sub-agent's file is called like the session that started it.
    folder: Option<String>,
    names: ExternalIds,
    trail: ParentTracker,
    heard: SeenParts,
    held: Option<PendingMessage>,
    /// The last message that was given out at a pause: it may still be written again.
    given: Option<PendingMessage>,
}

/// A message as last written.
#[derive(Clone)]
struct PendingMessage {
    id: String,
    message: ProjectedMessage,
    /// What the program added to it.
    added: Option<ProjectedMessage>,
    /// What was given out of it before.
    told: Vec<MessagePart>,
}

impl PendingMessage {
    /// Whether everything in it is still there in parts that were written later, perhaps with more.
    fn is_kept_by(&self, later: &[MessagePart]) -> bool {
        let is_kept = |part: &MessagePart| {
            let MessagePart::Tool { call_id, output, error, .. } = part else {
                // Tokens are counted anew with every writing.
                return matches!(part, MessagePart::StepFinish { .. }) || later.contains(part);
            };
            later.iter().any(|part| {
                matches!(part, MessagePart::Tool { call_id: id, output: new_output, error: new_error, .. }
                    // A call may have got its result since the first writing; a result that changed is another message.
                    if id == call_id
                        && (output.is_none() || output == new_output)
                        && (error.is_none() || error == new_error))
            })
        };
        self.message.message.parts.iter().all(is_kept)
    }
}

impl GeminiCliProjection {
    fn update_head(&mut self, fields: &JsonObject<'_>) {
        // Once a message is out, its conversation must not change.
        if let (Some(session), None) = (fields.string("sessionId"), self.trail.last_message()) {
            self.head.conversation = session;
        }
        self.head.title = fields.string("summary").or(self.head.title.take());
        let directory = fields.array("directories").and_then(|directories| directories.first()?.text());
        self.head.project_dir = self.head.project_dir.take().or(directory.map(String::from));
        if let (Some("subagent"), Some(of)) = (fields.text("kind").as_deref(), &self.folder) {
            self.head.descent = Some(TranscriptDescent::Subagent { of: of.clone() });
        }
    }

    fn handle_message(&mut self, number: u64, record: &JsonObject<'_>, out: &mut Vec<ProjectedMessage>) -> LineKind {
        match GeminiMessage::from_record(record) {
            Some(said) => self.add_message(number, record, said, out),
            None => LineKind::Event(format!("{} without content", record.text("type").unwrap_or_default()).into()),
        }
    }

    fn add_message(
        &mut self,
        number: u64,
        record: &JsonObject<'_>,
        mut said: GeminiMessage,
        out: &mut Vec<ProjectedMessage>,
    ) -> LineKind {
        if self.head.descent.is_some() {
            said.author = said.author.below_agent();
        }
        // Gemini CLI writes each result twice: with its call, and as the record that hands it to the model.
        if let (Author::Tool, Some(of)) = (said.author, self.heard.result_of(&said.parts)) {
            return LineKind::Repeat { of };
        }
        let id = record.string("id").filter(|id| !id.is_empty());
        if self.held.as_ref().is_some_and(|held| Some(&held.id) == id.as_ref() && !held.is_kept_by(&said.parts)) {
            // The record was written again with other words: what it said first stays, and the new words become a
            // message of their own.
            self.pause(out);
        }
        if let Some(held) = self.held.as_mut().filter(|held| Some(&held.id) == id.as_ref()) {
            held.message.lines.push(number);
            let name = held.message.message.external_id.as_deref().unwrap_or_default();
            self.heard.add_parts(name, &said.parts);
            // Parts that were given out at a pause are not given out again.
            said.parts.retain(|part| !held.told.contains(part));
            held.message.message.parts = said.parts;
            return LineKind::Message;
        }
        self.close_message(out);
        let before = self.given.take().filter(|given| Some(&given.id) == id.as_ref());
        let told = before.map(|given| given.told).unwrap_or_default();
        said.parts.retain(|part| !told.contains(part));
        let name = match self.names.assign_id(id.as_deref(), number, record.as_written()) {
            // Nothing new is left without the parts that were given out before: the record only repeats itself.
            IdAssignment::New(name) if !said.parts.is_empty() => name,
            IdAssignment::New(name) | IdAssignment::Copy(name) => return LineKind::Repeat { of: id.unwrap_or(name) },
        };
        self.heard.add_parts(&name, &said.parts);
        let continues = id.clone().filter(|id| *id != name);
        let message = ProjectedMessage {
            // The next message follows the message itself, not the rest of it.
            parent: continues.clone().or_else(|| self.trail.advance_to(&name, said.author.begins_turn())),
            continues,
            message: NewMessage {
                external_id: Some(name.clone()),
                role: said.author.role(),
                speaker: said.author.speaker(),
                session: None,
                at: record.string("timestamp").map(EventTime::from_text),
                metadata: None,
                parts: said.parts,
                part_marks: model::PartMarks::default(),
            },
            lines: vec![number],
            thread: None,
        };
        let added = (!said.added.is_empty()).then(|| self.added_message(&message, said.added));
        self.held = Some(PendingMessage { id: id.unwrap_or(name), message, added, told });
        LineKind::Message
    }

    /// What the program added to a prompt, as a message behind it.
    fn added_message(&mut self, prompt: &ProjectedMessage, parts: Vec<MessagePart>) -> ProjectedMessage {
        let author = Author::Host(prompt.message.role);
        let above = prompt.message.external_id.clone();
        let name = format!("{}:added", above.as_deref().unwrap_or_default());
        self.trail.advance_to(&name, author.begins_turn());
        let message = NewMessage {
            external_id: Some(name),
            role: author.role(),
            speaker: author.speaker(),
            parts,
            ..prompt.message.clone()
        };
        ProjectedMessage { message, lines: prompt.lines.clone(), parent: above, thread: None, continues: None }
    }

    /// All messages at once: a document, or the list that replaced the context. What folded it stands first of what is
    /// new: a summary in the user's place, and an answer to it that no model gave.
    fn add_messages(&mut self, number: u64, messages: &[RawJson<'_>], out: &mut Vec<ProjectedMessage>) -> LineKind {
        let mut kind = LineKind::Event("messages".into());
        let mut fold =
            // A list in an empty file is the recording itself, and not the result of a compaction.
            if self.trail.last_message().is_some() { CompactionState::Before } else { CompactionState::None };
        for record in messages {
            let Some(fields) = record.object() else {
                kind = LineKind::Unknown("a message that is no object".to_owned());
                continue;
            };
            // A record whose id is known stays as it was first written, even if the list shortens it.
            if fields.text("id").is_some_and(|id| self.names.has_id(&id)) {
                continue;
            }
            let Some(mut said) = GeminiMessage::from_record(&fields) else { continue };
            // After a compaction the kept messages come back under new ids; their words tell that they are known.
            if fold != CompactionState::None && self.heard.has_all(&said.parts) {
                continue;
            }
            fold = fold.assign_author(&mut said);
            if self.add_message(number, &fields, said, out) != LineKind::Message {
                continue;
            }
            if matches!(kind, LineKind::Event(_)) {
                kind = LineKind::Message;
            }
        }
        kind
    }

    fn close_message(&mut self, out: &mut Vec<ProjectedMessage>) {
        out.extend(self.held.take().into_iter().flat_map(|held| [Some(held.message), held.added]).flatten());
    }
}

impl RecordReader for GeminiCliProjection {
    fn read_record(&mut self, number: u64, record: &JsonObject<'_>, out: &mut Vec<ProjectedMessage>) -> LineKind {
        if let Some(id) = record.text("$rewindTo") {
            // What follows is written anew, whether there was a pause before it or not.
            self.close_message(out);
            // Parts of the message that was taken back must not count as given out.
            self.given = None;
            self.trail.back_before(&id);
            return LineKind::Event("$rewindTo".into());
        }
        if let Some(update) = record.object("$set") {
            self.update_head(&update);
            let messages = update.array("messages").unwrap_or_default();
            return match &messages[..] {
                [] => LineKind::Event("$set".into()),
                messages => self.add_messages(number, messages, out),
            };
        }
        if record.field("sessionId").is_some() {
            self.update_head(record);
            let messages = record.array("messages").unwrap_or_default();
            return match &messages[..] {
                [] => LineKind::Event("session".into()),
                messages => self.add_messages(number, messages, out),
            };
        }
        if record.field("type").is_some() || record.field("content").is_some() {
            return self.handle_message(number, record, out);
        }
        LineKind::Unknown("a line without type".to_owned())
    }

    fn pause(&mut self, out: &mut Vec<ProjectedMessage>) {
        if let Some(mut held) = self.held.take() {
            out.push(held.message.clone());
            out.extend(held.added.take());
            held.told.append(&mut held.message.message.parts);
            self.given = Some(held);
        }
    }

    fn head(&self) -> &TranscriptHead {
        &self.head
    }
}

/// How far the reading of a list is that may have folded what was before it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CompactionState {
    /// There was nothing before it.
    None,
    /// Nothing new came yet.
    Before,
    /// The summary was the last that came.
    Summary,
    /// What follows was said after it.
    Behind,
}

impl CompactionState {
    /// Says who wrote the next message of the list that is new.
    fn assign_author(self, said: &mut GeminiMessage) -> Self {
        match (self, said.author) {
            (Self::None, _) => Self::None,
            (Self::Before, Author::Person) => {
                said.parts.insert(0, MessagePart::Compaction { auto: true });
                said.author = Author::Summary(MessageRole::User);
                Self::Summary
            }
            (Self::Before, Author::Host(_)) => Self::Before,
            (Self::Summary, Author::Model) => {
                said.author = Author::Host(MessageRole::Assistant);
                Self::Behind
            }
            (_, _) => Self::Behind,
        }
    }
}
