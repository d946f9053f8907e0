//! Gemini CLI's recordings: a log in which a message is written again, whole, whenever something was added to it.
//!
//! Decisions: the last message is held back, because only that one is written again, and the last writing counts, as
//! long as it only adds. A list that replaces all messages (after the context was folded, or masked) adds those that
//! were never seen; what it shortens or leaves out stays as it was first written. Before there were lines, the same
//! records were one document.

mod said;
#[cfg(test)]
mod tests;

use std::path::Path;

use model::{
    AgentName, Descent, EventTime, LineKind, NewMessage, Part, ProjectedMessage, Projection, Role, SPEAKER_SUMMARY,
    TranscriptHead,
};

use self::said::Said;
use super::fed::{Fed, Records};
use super::json::{Json, Object};
use super::names::{Named, Names};
use super::trail::Trail;

pub(crate) fn projection(path: &Path) -> Box<dyn Projection> {
    let name = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let folder = path.parent().and_then(name).filter(|folder| folder != "chats");
    let head = TranscriptHead {
        agent: AgentName("gemini-cli".into()),
        conversation: name(path).unwrap_or_default(),
        title: None,
        project_dir: project_beside(path),
        descent: None,
    };
    let (names, trail) = (Names::default(), Trail::default());
    Box::new(Fed::new(GeminiCli { head, folder, names, trail, held: None, given: None }))
}

/// The project of a recording, which has only its hash: a file beside the folder of recordings says it.
fn project_beside(path: &Path) -> Option<String> {
    let mut places = path.ancestors().skip(2).take(2).map(|folder| folder.join(".project_root"));
    let said = places.find_map(|place| fs_err::read_to_string(place).ok())?;
    Some(said.trim().to_owned()).filter(|said| Path::new(said).is_absolute())
}

/// Whether a line, or a whole document, begins such a recording.
pub(crate) fn recognises(record: &Object<'_>) -> bool {
    record.field("sessionId").is_some() && record.field("projectHash").is_some()
}

struct GeminiCli {
    head: TranscriptHead,
    /// The folder of a sub-agent's file is called like the session that started it.
    folder: Option<String>,
    names: Names,
    trail: Trail,
    held: Option<Written>,
    /// The last message that was given out at a pause: it may still be written again.
    given: Option<Written>,
}

/// A message as last written.
#[derive(Clone)]
struct Written {
    id: String,
    message: ProjectedMessage,
    /// What was given out of it before.
    told: Vec<Part>,
}

impl Written {
    /// Whether everything in it is still there in parts that were written later, perhaps with more.
    fn is_kept_by(&self, later: &[Part]) -> bool {
        let is_kept = |part: &Part| {
            let Part::Tool { call_id, output, error, .. } = part else {
                return matches!(part, Part::StepFinish { .. }) || later.contains(part);
            };
            later.iter().any(|part| {
                matches!(part, Part::Tool { call_id: id, output: new_output, error: new_error, .. }
                    if id == call_id
                        && (output.is_none() || output == new_output)
                        && (error.is_none() || error == new_error))
            })
        };
        self.message.message.parts.iter().all(is_kept)
    }
}

impl GeminiCli {
    fn learn(&mut self, fields: &Object<'_>) {
        if let (Some(session), None) = (fields.string("sessionId"), self.trail.last()) {
            self.head.conversation = session;
        }
        self.head.title = fields.string("summary").or(self.head.title.take());
        let directory = fields.array("directories").and_then(|directories| directories.first()?.text());
        self.head.project_dir = self.head.project_dir.take().or(directory.map(String::from));
        if let (Some("subagent"), Some(of)) = (fields.text("kind").as_deref(), &self.folder) {
            self.head.descent = Some(Descent::Subagent { of: of.clone() });
        }
    }

    fn message(&mut self, number: u64, record: &Object<'_>, out: &mut Vec<ProjectedMessage>) -> LineKind {
        let Some(mut said) = Said::read(record) else {
            return LineKind::Event(format!("{} without content", record.text("type").unwrap_or_default()).into());
        };
        let id = record.string("id").filter(|id| !id.is_empty());
        if self.held.as_ref().is_some_and(|held| Some(&held.id) == id.as_ref() && !held.is_kept_by(&said.parts)) {
            // Written again with other words: what it said first stays.
            self.pause(out);
        }
        if let Some(held) = self.held.as_mut().filter(|held| Some(&held.id) == id.as_ref()) {
            held.message.lines.push(number);
            said.parts.retain(|part| !held.told.contains(part));
            held.message.message.parts = said.parts;
            return LineKind::Message;
        }
        self.close(out);
        let before = self.given.take().filter(|given| Some(&given.id) == id.as_ref());
        let told = before.map(|given| given.told).unwrap_or_default();
        said.parts.retain(|part| !told.contains(part));
        let name = match self.names.name(id.as_deref(), number, record.as_written()) {
            Named::New(name) if !said.parts.is_empty() => name,
            Named::New(name) | Named::Copy(name) => return LineKind::Repeat { of: id.unwrap_or(name) },
        };
        let is_turn = said.role == Role::User && said.speaker.is_none();
        let continues = id.clone().filter(|id| *id != name);
        let message = ProjectedMessage {
            // What comes next follows the message, not the rest of it.
            parent: continues.clone().or_else(|| self.trail.step(&name, is_turn)),
            continues,
            message: NewMessage {
                external_id: Some(name.clone()),
                role: said.role,
                speaker: said.speaker.map(str::to_owned),
                session: None,
                at: record.string("timestamp").map(EventTime::read),
                parts: said.parts,
            },
            lines: vec![number],
            thread: None,
        };
        self.held = Some(Written { id: id.unwrap_or(name), message, told });
        LineKind::Message
    }

    /// All messages at once: a document, or the list that replaced the context.
    fn messages(&mut self, number: u64, messages: &[Json<'_>], out: &mut Vec<ProjectedMessage>) -> LineKind {
        let mut kind = LineKind::Event("messages".into());
        let mut is_fold = self.trail.last().is_some();
        for record in messages {
            let Some(fields) = record.object() else {
                kind = LineKind::Unknown("a message that is no object".to_owned());
                continue;
            };
            if fields.text("id").is_some_and(|id| self.names.has(&id)) {
                continue;
            }
            if self.message(number, &fields, out) != LineKind::Message {
                continue;
            }
            if let (Some(held), true) = (&mut self.held, is_fold) {
                is_fold = false;
                held.message.message.parts.insert(0, Part::Compaction { auto: true });
                held.message.message.speaker = Some(SPEAKER_SUMMARY.to_owned());
            }
            if matches!(kind, LineKind::Event(_)) {
                kind = LineKind::Message;
            }
        }
        kind
    }

    fn close(&mut self, out: &mut Vec<ProjectedMessage>) {
        out.extend(self.held.take().map(|held| held.message));
    }
}

impl Records for GeminiCli {
    fn record(&mut self, number: u64, record: &Object<'_>, out: &mut Vec<ProjectedMessage>) -> LineKind {
        if let Some(id) = record.text("$rewindTo") {
            // What is written after it is written anew, whether there was a pause before it or not.
            self.close(out);
            self.given = None;
            self.trail.back_before(&id);
            return LineKind::Event("$rewindTo".into());
        }
        if let Some(update) = record.object("$set") {
            self.learn(&update);
            let messages = update.array("messages").unwrap_or_default();
            return match &messages[..] {
                [] => LineKind::Event("$set".into()),
                messages => self.messages(number, messages, out),
            };
        }
        if record.field("sessionId").is_some() {
            self.learn(record);
            let messages = record.array("messages").unwrap_or_default();
            return match &messages[..] {
                [] => LineKind::Event("session".into()),
                messages => self.messages(number, messages, out),
            };
        }
        if record.field("type").is_some() || record.field("content").is_some() {
            return self.message(number, record, out);
        }
        LineKind::Unknown("a line without type".to_owned())
    }

    fn pause(&mut self, out: &mut Vec<ProjectedMessage>) {
        if let Some(mut held) = self.held.take() {
            out.push(held.message.clone());
            held.told.append(&mut held.message.message.parts);
            self.given = Some(held);
        }
    }

    fn head(&self) -> &TranscriptHead {
        &self.head
    }
}
