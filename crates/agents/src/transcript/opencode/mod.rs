//! OpenCode's conversations: rows of its database, or the small files that were there before it, one a line.
//!
//! A message is a row without words, and its parts are rows behind it. So a message is held back until the next one
//! begins. The parts are nearly ours, since it was their list that ours was taken from.

mod part;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::Path;

use model::{
    AgentName, Descent, EventTime, LineKind, NewMessage, Part, ProjectedMessage, Projection, Role, SPEAKER_PROGRAM,
    SPEAKER_SUMMARY, TranscriptHead,
};

use super::fed::{Fed, Records};
use super::json::{Json, Object};
use super::names::{Named, Names};
use super::trail::Trail;

pub(crate) fn projection(path: &Path) -> Box<dyn Projection> {
    let head = TranscriptHead {
        agent: AgentName("opencode".into()),
        conversation: path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default(),
        title: None,
        project_dir: None,
        descent: None,
    };
    let (names, trail, roles) = (Names::default(), Trail::default(), HashMap::new());
    Box::new(Fed::new(OpenCode { head, names, trail, roles, held: None }))
}

/// Whether a line is a row as we write it.
pub(crate) fn recognises(record: &Object<'_>) -> bool {
    let table = record.text("table").unwrap_or_default();
    ["session", "message", "part", "session_message"].contains(&&*table) && record.field("id").is_some()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum IsTold {
    Yes,
    No,
}

struct OpenCode {
    head: TranscriptHead,
    names: Names,
    trail: Trail,
    /// Who spoke, for parts that come after their message; and whether it was given out.
    roles: HashMap<String, (Role, IsTold)>,
    held: Option<ProjectedMessage>,
}

impl OpenCode {
    fn session(&mut self, row: &Object<'_>, data: &Object<'_>) {
        let of = |names: [&str; 2]| names.into_iter().find_map(|name| row.string(name).or_else(|| data.string(name)));
        self.head.title = of(["title", "title"]);
        self.head.project_dir = of(["directory", "directory"]);
        self.head.descent = of(["parent_id", "parentID"]).map(|of| Descent::Subagent { of });
        if let (Some(id), None) = (row.string("id"), self.trail.last()) {
            self.head.conversation = id;
        }
    }

    fn message(
        &mut self,
        number: u64,
        row: &Object<'_>,
        data: &Object<'_>,
        out: &mut Vec<ProjectedMessage>,
    ) -> LineKind {
        self.close(out);
        let name = match self.names.name(row.text("id").as_deref(), number, data.as_written()) {
            Named::New(name) => name,
            Named::Copy(of) => return LineKind::Repeat { of },
        };
        let role = data.text("role").and_then(|role| Role::parse(&role)).unwrap_or(Role::Assistant);
        self.roles.insert(name.clone(), (role, IsTold::No));
        let is_told = |name: &String| self.roles.get(name).is_some_and(|(_, told)| *told == IsTold::Yes);
        let parent = data.string("parentID").filter(is_told);
        let before = self.trail.last();
        let at = data.object("time").and_then(|time| time.field("created")).or_else(|| row.field("time_created"));
        let error = data.object("error").map(|error| {
            let message = error.object("data").and_then(|data| data.string("message"));
            Part::Retry { error: message.or_else(|| error.string("name")) }
        });
        self.held = Some(ProjectedMessage {
            message: NewMessage {
                external_id: Some(name),
                role,
                speaker: data.flag("summary").then(|| SPEAKER_SUMMARY.to_owned()),
                session: None,
                at: at.map(moment),
                parts: error.into_iter().collect(),
            },
            lines: vec![number],
            parent: parent.or(before),
            thread: None,
            continues: None,
        });
        LineKind::Event("message".into())
    }

    fn part(&mut self, number: u64, row: &Object<'_>, data: &Object<'_>, out: &mut Vec<ProjectedMessage>) -> LineKind {
        let message = row.string("message_id").or_else(|| data.string("messageID")).unwrap_or_default();
        let name = match self.names.name(row.text("id").as_deref(), number, data.as_written()) {
            Named::New(name) => name,
            Named::Copy(of) => return LineKind::Repeat { of },
        };
        let (mut parts, known) = part::parts(data);
        let kind = known.map_or_else(|kind| LineKind::Unknown(format!("part {kind}")), |()| LineKind::Message);
        let by_program = data.flag("synthetic");
        if let Some(held) = self.held.as_mut().filter(|held| held.message.external_id.as_ref() == Some(&message)) {
            held.message.parts.append(&mut parts);
            held.lines.push(number);
            // Words that were put into somebody's mouth are only told apart when there are no others.
            let is_first = held.lines.len() == 2;
            if by_program && is_first {
                held.message.speaker.get_or_insert_with(|| SPEAKER_PROGRAM.to_owned());
            } else if !by_program && held.message.speaker.as_deref() == Some(SPEAKER_PROGRAM) {
                held.message.speaker = None;
            }
            return kind;
        }
        self.close(out);
        let role = self.roles.get(&message).copied();
        let continues = role.filter(|(_, told)| *told == IsTold::Yes).map(|_| message);
        out.push(ProjectedMessage {
            message: NewMessage {
                external_id: Some(name),
                role: role.map_or(Role::Assistant, |(role, _)| role),
                speaker: by_program.then(|| SPEAKER_PROGRAM.to_owned()),
                session: None,
                at: row.field("time_created").map(moment),
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
    fn whole(&mut self, number: u64, row: &Object<'_>, data: &Object<'_>, out: &mut Vec<ProjectedMessage>) -> LineKind {
        self.close(out);
        let kind = row.text("type").unwrap_or_default();
        let Some((role, speaker, parts)) = part::whole(&kind, data) else {
            return LineKind::Event(format!("session_message {kind}").into());
        };
        let name = match self.names.name(row.text("id").as_deref(), number, data.as_written()) {
            Named::New(name) => name,
            Named::Copy(of) => return LineKind::Repeat { of },
        };
        out.push(ProjectedMessage {
            parent: self.trail.step(&name, role == Role::User && speaker.is_none()),
            message: NewMessage {
                external_id: Some(name),
                role,
                speaker: speaker.map(str::to_owned),
                session: None,
                at: row.field("time_created").map(moment),
                parts,
            },
            lines: vec![number],
            thread: None,
            continues: None,
        });
        LineKind::Message
    }

    fn close(&mut self, out: &mut Vec<ProjectedMessage>) {
        // A message without parts is one that was only begun.
        if let Some(held) = self.held.take().filter(|held| !held.message.parts.is_empty()) {
            let (name, role) = (held.message.external_id.clone().unwrap_or_default(), held.message.role);
            self.trail.step(&name, role == Role::User);
            self.roles.insert(name, (role, IsTold::Yes));
            out.push(held);
        }
    }
}

impl Records for OpenCode {
    fn record(&mut self, number: u64, record: &Object<'_>, out: &mut Vec<ProjectedMessage>) -> LineKind {
        // What was a file is here as its text, so that its bytes stay.
        let text = record.string("text");
        let data = match &text {
            Some(text) => Object::read(text.trim()),
            None => Ok(record.object("data").unwrap_or_else(|| Object::beginning("{}"))),
        };
        let data = match data {
            Ok(data) => data,
            Err(error) => return LineKind::Malformed(format!("the file is not JSON: {error}")),
        };
        match record.text("table").unwrap_or_default().as_ref() {
            "session" => {
                self.session(record, &data);
                LineKind::Event("session".into())
            }
            "message" => self.message(number, record, &data, out),
            "part" => self.part(number, record, &data, out),
            "session_message" => self.whole(number, record, &data, out),
            other => LineKind::Unknown(format!("row of {other:?}")),
        }
    }

    fn pause(&mut self, out: &mut Vec<ProjectedMessage>) {
        if self.held.as_ref().is_some_and(|held| !held.message.parts.is_empty()) {
            self.close(out);
        }
    }

    fn head(&self) -> &TranscriptHead {
        &self.head
    }
}

/// Milliseconds, as they are written.
fn moment(millis: Json<'_>) -> EventTime {
    let instant = millis.number().map(|millis| model::Timestamp(millis as i64));
    EventTime { instant, ..EventTime::read(millis.text_or_written().into_owned()) }
}
