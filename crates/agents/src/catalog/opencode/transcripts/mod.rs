//! Reads OpenCode's conversations into messages, from JSON lines: rows of its database, or the small files from before
//! it. A message is a row without text, and its parts are rows after it, so a message is held back until the next one
//! begins. Our list of part kinds was taken from OpenCode's, so they are nearly the same. Parts that the host added to
//! a person's prompt, such as the files it names, become a message of their own.

mod author;
mod part;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::Path;

use model::{
    AgentName, LineKind, MessagePart, MessageRole, NewMessage, PartMark, PartMarks, ProjectedMessage, Projection,
    TranscriptDescent, TranscriptHead,
};

use crate::transcript::author::Author;
use crate::transcript::external_ids::{ExternalIds, IdAssignment};
use crate::transcript::json::JsonObject;
use crate::transcript::json_lines::{JsonLineProjection, RecordReader};
use crate::transcript::parent_tracker::ParentTracker;
use crate::transcript::{blocks, times};

pub(crate) fn build_projection(path: &Path) -> Box<dyn Projection> {
    let head = TranscriptHead {
        agent: AgentName("opencode".into()),
        conversation: path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default(),
        title: None,
        project_dir: None,
        descent: None,
    };
    let (names, trail, authors) = (ExternalIds::default(), ParentTracker::default(), HashMap::new());
    Box::new(JsonLineProjection::new(OpenCodeProjection { head, names, trail, authors, held: None }))
}

/// Whether a line is a row as we write it.
pub(crate) fn matches_format(record: &JsonObject<'_>) -> bool {
    let table = record.text("table").unwrap_or_default();
    ["session", "message", "part", "session_message"].contains(&&*table) && record.field("id").is_some()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum IsTold {
    Yes,
    No,
}

struct OpenCodeProjection {
    head: TranscriptHead,
    names: ExternalIds,
    trail: ParentTracker,
    /// Who spoke, for parts that come after their message; and whether it was given out.
    authors: HashMap<String, (Author, IsTold)>,
    held: Option<OpenCodeMessage>,
}

/// A message whose parts may go on.
struct OpenCodeMessage {
    author: Author,
    message: ProjectedMessage,
    /// What its rows say about its parts, by place.
    marks: Vec<(usize, PartMark)>,
    added: AddedParts,
}

/// What the host added to a message.
#[derive(Default)]
struct AddedParts {
    parts: Vec<MessagePart>,
    marks: Vec<(usize, PartMark)>,
    lines: Vec<u64>,
}

impl OpenCodeMessage {
    fn says_something(&self) -> bool {
        !self.message.message.parts.is_empty() || !self.added.parts.is_empty()
    }
}

impl OpenCodeProjection {
    fn read_session(&mut self, row: &JsonObject<'_>, data: &JsonObject<'_>) {
        // The database has columns in snake case; the older files have the same fields in camel case.
        let of = |names: [&str; 2]| names.into_iter().find_map(|name| row.string(name).or_else(|| data.string(name)));
        self.head.title = of(["title", "title"]);
        self.head.project_dir = of(["directory", "directory"]);
        self.head.descent = of(["parent_id", "parentID"]).map(|of| TranscriptDescent::Subagent { of });
        // Once a message is out, its conversation must not change.
        if let (Some(id), None) = (row.string("id"), self.trail.last_message()) {
            self.head.conversation = id;
        }
    }

    /// No person speaks in a session that another session started.
    fn in_session(&self, author: Author) -> Author {
        if self.head.descent.is_some() { author.below_agent() } else { author }
    }

    fn handle_message(
        &mut self,
        number: u64,
        row: &JsonObject<'_>,
        data: &JsonObject<'_>,
        out: &mut Vec<ProjectedMessage>,
    ) -> LineKind {
        self.close_message(out);
        let name = match self.names.assign_id(row.text("id").as_deref(), number, data.as_written()) {
            IdAssignment::New(name) => name,
            IdAssignment::Copy(of) => return LineKind::Repeat { of },
        };
        let author = self.in_session(author::author_of_message(data));
        self.authors.insert(name.clone(), (author, IsTold::No));
        // A parent that said nothing was never given out, and an unknown parent would leave this message without place.
        let is_told = |name: &String| self.authors.get(name).is_some_and(|(_, told)| *told == IsTold::Yes);
        let parent = data.string("parentID").filter(is_told);
        let before = self.trail.last_message();
        let at = data.object("time").and_then(|time| time.field("created")).or_else(|| row.field("time_created"));
        let error = data.object("error").map(|error| {
            let message = error.object("data").and_then(|data| data.string("message"));
            MessagePart::Retry { error: message.or_else(|| error.string("name")) }
        });
        let message = ProjectedMessage {
            message: NewMessage {
                external_id: Some(name),
                role: author.role(),
                speaker: author.speaker(),
                session: None,
                at: at.map(times::of_millis),
                metadata: None,
                parts: error.into_iter().collect(),
                part_marks: PartMarks::default(),
            },
            lines: vec![number],
            parent: parent.or(before),
            thread: None,
            continues: None,
        };
        self.held = Some(OpenCodeMessage { author, message, marks: Vec::new(), added: AddedParts::default() });
        LineKind::Event("message".into())
    }

    fn handle_part(
        &mut self,
        number: u64,
        row: &JsonObject<'_>,
        data: &JsonObject<'_>,
        out: &mut Vec<ProjectedMessage>,
    ) -> LineKind {
        let message = row.string("message_id").or_else(|| data.string("messageID")).unwrap_or_default();
        let name = match self.names.assign_id(row.text("id").as_deref(), number, data.as_written()) {
            IdAssignment::New(name) => name,
            IdAssignment::Copy(of) => return LineKind::Repeat { of },
        };
        let (author, told) = self.authors.get(&message).copied().unwrap_or((UNKNOWN_AUTHOR, IsTold::No));
        let (parts, known) = part::parse_parts(data);
        // A part of a kind that is not known counts as the host's, too: never as the person's words.
        let is_added = author == Author::Person && (author::is_by_host(data) || known.is_err());
        let mut parts = if author == Author::Model { parts } else { blocks::remove_own(parts) };
        let kind = known.map_or_else(|kind| LineKind::Unknown(format!("part {kind}")), |()| LineKind::Message);
        if parts.is_empty() {
            return LineKind::Event("part of ours".into());
        }
        let mark = part::parse_mark(data);
        let holds = |held: &&mut OpenCodeMessage| held.message.message.external_id.as_ref() == Some(&message);
        if let Some(held) = self.held.as_mut().filter(holds) {
            let own = &mut held.message;
            let (told, marks, lines) = if is_added {
                (&mut held.added.parts, &mut held.added.marks, &mut held.added.lines)
            } else {
                (&mut own.message.parts, &mut held.marks, &mut own.lines)
            };
            // A row may give several parts, as a call with its attachments; what it says is said of each.
            marks.extend((told.len()..told.len() + parts.len()).map(|place| (place, mark.clone())));
            told.append(&mut parts);
            lines.push(number);
            return kind;
        }
        self.close_message(out);
        // The part came after its message was given out at a pause, so it continues that message.
        let continues = (told == IsTold::Yes).then_some(message);
        let author = if is_added { Author::Host(author.role()) } else { author };
        out.push(ProjectedMessage {
            message: NewMessage {
                external_id: Some(name),
                role: author.role(),
                speaker: author.speaker(),
                session: None,
                at: row.field("time_created").map(times::of_millis),
                metadata: None,
                part_marks: (0..parts.len()).map(|place| (place, mark.clone())).collect(),
                parts,
            },
            lines: vec![number],
            parent: continues.clone(),
            thread: None,
            continues,
        });
        kind
    }

    /// A row of the newer table, which is a whole message.
    fn handle_whole(
        &mut self,
        number: u64,
        row: &JsonObject<'_>,
        data: &JsonObject<'_>,
        out: &mut Vec<ProjectedMessage>,
    ) -> LineKind {
        // Rows of the older tables come in pieces, and the last message is open until another begins.
        self.close_message(out);
        let kind = row.text("type").unwrap_or_default();
        let author = self.in_session(author::author_of_whole(&kind));
        let parts = part::parse_whole(&kind, data);
        // Only the text before the model can hold blocks that our hooks added; the model's own words stay as written.
        let parts = if author == Author::Model { parts } else { blocks::remove_own(parts) };
        if parts.is_empty() {
            return LineKind::Event(format!("session_message {kind}").into());
        }
        let name = match self.names.assign_id(row.text("id").as_deref(), number, data.as_written()) {
            IdAssignment::New(name) => name,
            IdAssignment::Copy(of) => return LineKind::Repeat { of },
        };
        out.push(ProjectedMessage {
            parent: self.trail.advance_to(&name, author.begins_turn()),
            message: NewMessage {
                external_id: Some(name),
                role: author.role(),
                speaker: author.speaker(),
                session: None,
                at: row.field("time_created").map(times::of_millis),
                metadata: None,
                parts,
                part_marks: PartMarks::default(),
            },
            lines: vec![number],
            thread: None,
            continues: None,
        });
        LineKind::Message
    }

    fn close_message(&mut self, out: &mut Vec<ProjectedMessage>) {
        // A message without parts was only begun; its parts may follow in a later read.
        let Some(mut held) = self.held.take().filter(OpenCodeMessage::says_something) else { return };
        let name = held.message.message.external_id.clone().unwrap_or_default();
        let host = Author::Host(held.author.role());
        let AddedParts { parts: added, marks: added_marks, lines } = held.added;
        let added_marks: PartMarks = added_marks.into_iter().collect();
        held.message.message.part_marks = held.marks.into_iter().collect();
        let mut behind = None;
        // The person wrote nothing of their own: all parts came from the host.
        if held.message.message.parts.is_empty() {
            held.author = host;
            held.message.message.parts = added;
            held.message.message.part_marks = added_marks;
            held.message.message.speaker = host.speaker();
            held.message.lines.extend(lines);
        } else if !added.is_empty() {
            let external_id = Some(format!("{name}:added"));
            let own = held.message.message.clone();
            let message =
                NewMessage { external_id, speaker: host.speaker(), parts: added, part_marks: added_marks, ..own };
            behind =
                Some(ProjectedMessage { message, lines, parent: Some(name.clone()), thread: None, continues: None });
        }
        self.trail.advance_to(&name, held.author.begins_turn());
        self.authors.insert(name, (held.author, IsTold::Yes));
        out.push(held.message);
        if let Some(behind) = behind {
            self.trail.advance_to(behind.message.external_id.as_deref().unwrap_or_default(), host.begins_turn());
            out.push(behind);
        }
    }
}

/// Who wrote a part of a message that is not there.
const UNKNOWN_AUTHOR: Author = Author::Host(MessageRole::Assistant);

impl RecordReader for OpenCodeProjection {
    fn read_record(&mut self, number: u64, record: &JsonObject<'_>, out: &mut Vec<ProjectedMessage>) -> LineKind {
        // A row that was a file holds the file's text as a string, so that its bytes stay as they were.
        let text = record.string("text");
        let data = match &text {
            Some(text) => JsonObject::parse(text.trim()),
            None => Ok(record.object("data").unwrap_or_else(|| JsonObject::parse_prefix("{}"))),
        };
        let data = match data {
            Ok(data) => data,
            Err(error) => return LineKind::Malformed(format!("the file is not JSON: {error}")),
        };
        match record.text("table").unwrap_or_default().as_ref() {
            "session" => {
                self.read_session(record, &data);
                LineKind::Event("session".into())
            }
            "message" => self.handle_message(number, record, &data, out),
            "part" => self.handle_part(number, record, &data, out),
            "session_message" => self.handle_whole(number, record, &data, out),
            other => LineKind::Unknown(format!("row of {other:?}")),
        }
    }

    fn pause(&mut self, out: &mut Vec<ProjectedMessage>) {
        // A message that was only begun is kept open over a pause, so that its parts still find it.
        if self.held.as_ref().is_some_and(OpenCodeMessage::says_something) {
            self.close_message(out);
        }
    }

    fn head(&self) -> &TranscriptHead {
        &self.head
    }
}
