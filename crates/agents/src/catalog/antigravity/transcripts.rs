//! Reads transcripts of Antigravity (editor and command line), JSON lines with one step each, into messages. The format
//! is undocumented, so only observed fields are read: cause, kind, text, thoughts and tool calls. A step of unknown
//! kind is a tool result where the model caused it, else text of the program; a step without text is an event.

use std::path::Path;

use model::{
    AgentName, EventTime, LineKind, MessagePart, MessageRole, NewMessage, ProjectedMessage, Projection, TranscriptHead,
};

use crate::transcript::author::Author;
use crate::transcript::blocks;
use crate::transcript::external_ids::{ExternalIds, IdAssignment, name_at};
use crate::transcript::json::{JsonObject, RawJson};
use crate::transcript::json_lines::{JsonLineProjection, RecordReader};
use crate::transcript::parent_tracker::ParentTracker;

/// The folder below which each conversation has one of its own.
const FOLDER: &str = "brain";

pub(crate) fn build_projection(path: &Path) -> Box<dyn Projection> {
    let mut folders = path.components().map(|component| component.as_os_str().to_string_lossy());
    // The folder below `brain` is the conversation's id, which the lines themselves do not hold.
    let own = folders.find(|folder| folder == FOLDER).and_then(|_| folders.next()).map(String::from);
    let head = TranscriptHead {
        agent: AgentName("antigravity".into()),
        conversation: own.unwrap_or_else(|| name_at(path, "")),
        title: None,
        project_dir: None,
        descent: None,
    };
    Box::new(JsonLineProjection::new(AntigravityProjection {
        head,
        names: ExternalIds::default(),
        trail: ParentTracker::default(),
    }))
}

/// Whether a line is a step.
pub(crate) fn matches_format(record: &JsonObject<'_>) -> bool {
    ["step_index", "source", "type"].iter().all(|name| record.field(name).is_some())
}

struct AntigravityProjection {
    head: TranscriptHead,
    names: ExternalIds,
    trail: ParentTracker,
}

impl RecordReader for AntigravityProjection {
    fn read_record(&mut self, number: u64, record: &JsonObject<'_>, out: &mut Vec<ProjectedMessage>) -> LineKind {
        if !matches_format(record) {
            return LineKind::Unknown("a line that is no step".to_owned());
        }
        let kind = record.string("type").unwrap_or_default();
        let author = find_author(&kind, record);
        let parts = parse_parts(author, &kind, record);
        // A step without words is counted as an event, so that the totals of lines add up.
        if parts.is_empty() {
            return LineKind::Event(format!("step {kind}").into());
        }
        let id = record.field("step_index").map(|index| format!("step-{}", index.as_written()));
        let name = match self.names.assign_id(id.as_deref(), number, record.as_written()) {
            IdAssignment::New(name) => name,
            // A step that is written again with the same content is a copy; with other content it gets a name of its
            // own.
            IdAssignment::Copy(of) => return LineKind::Repeat { of },
        };
        out.push(ProjectedMessage {
            parent: self.trail.advance_to(&name, author.begins_turn()),
            message: NewMessage {
                external_id: Some(name),
                role: author.role(),
                speaker: author.speaker(),
                session: None,
                at: record.string("created_at").map(EventTime::from_text),
                metadata: None,
                parts,
                part_marks: model::PartMarks::default(),
            },
            lines: vec![number],
            thread: None,
            continues: None,
        });
        LineKind::Message
    }

    fn head(&self) -> &TranscriptHead {
        &self.head
    }
}

/// Who wrote a step. What a model caused and did not say is what its tools gave.
fn find_author(kind: &str, step: &JsonObject<'_>) -> Author {
    let source = step.text("source").unwrap_or_default();
    match (kind, &*source) {
        ("USER_INPUT", source) if source.starts_with("USER") => Author::Person,
        // A step that claims to be user input but was not caused by the user must not become a wish of the user.
        ("USER_INPUT", _) => Author::Host(MessageRole::User),
        ("PLANNER_RESPONSE", _) => Author::Model,
        (_, "MODEL") => Author::Tool,
        (_, _) => Author::Host(MessageRole::System),
    }
}

/// What a step says.
fn parse_parts(author: Author, kind: &str, step: &JsonObject<'_>) -> Vec<MessagePart> {
    let words = |name: &str| step.string(name).filter(|text| !text.is_empty());
    let text = || words("content").map(|text| MessagePart::Text { text });
    match author {
        Author::Person | Author::Host(_) | Author::Summary(_) => blocks::remove_own(text().into_iter().collect()),
        Author::Model => {
            let thought = words("thinking").map(|text| MessagePart::Reasoning { text });
            let calls = step.array("tool_calls").into_iter().flatten().filter_map(RawJson::object);
            thought.into_iter().chain(text()).chain(calls.map(|call| call_of(&call))).collect()
        }
        Author::Tool => {
            let result = |output| MessagePart::Tool {
                call_id: None,
                name: Some(kind.to_ascii_lowercase()),
                status: words("status"),
                input: None,
                output: Some(output),
                error: None,
                title: None,
            };
            words("content").map(result).into_iter().collect()
        }
    }
}

fn call_of(call: &JsonObject<'_>) -> MessagePart {
    MessagePart::Tool {
        call_id: call.string("id"),
        name: call.string("name"),
        status: None,
        input: call.field("args").map(|args| args.text_or_written().into_owned()),
        output: None,
        error: None,
        title: None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::transcript::projection_snapshot::render_projection;

    #[test]
    fn steps_are_messages() {
        let lines = r#"{"step_index":0,"source":"USER_EXPLICIT","type":"USER_INPUT","status":"DONE","created_at":"2026-08-20T10:00:00Z","content":"run the tests"}
{"step_index":1,"source":"MODEL","type":"PLANNER_RESPONSE","content":"I run them.","thinking":"which ones?","tool_calls":[{"name":"run_command","args":{"CommandLine":"make test"}}]}
{"step_index":2,"source":"MODEL","type":"RUN_COMMAND","status":"DONE","content":"all passed"}
{"step_index":3,"source":"SYSTEM","type":"SYSTEM_MESSAGE","content":"the task has ended"}
{"step_index":4,"source":"SYSTEM","type":"CHECKPOINT"}
{"step_index":4,"source":"SYSTEM","type":"CHECKPOINT","content":"so far"}
{"no":"step"}
"#;
        let path = Path::new(".gemini/antigravity-cli/brain/c-1/.system_generated/logs/transcript.jsonl");
        expect![[r#"
            0 message
            1 message
            2 message
            3 message
            4 event step CHECKPOINT
            5 message
            6 unknown a line that is no step
            # step-0 user [0]
                text "run the tests"
            # step-1 assistant under step-0 [1]
                reasoning "which ones?"
                text "I run them."
                tool name="run_command" input={"CommandLine":"make test"}
            # step-2 tool under step-1 [2]
                tool name="run_command" status="DONE" output="all passed"
            # step-3 system by program under step-2 [3]
                text "the task has ended"
            # step-4 system by program under step-3 [5]
                text "so far"
            = antigravity c-1 «-» in -
        "#]]
        .assert_eq(&render_projection(build_projection(path).as_mut(), lines));
    }
}
