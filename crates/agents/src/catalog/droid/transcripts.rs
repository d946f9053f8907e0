//! Reads sessions of Droid, Factory's agent, into messages: JSON lines, the first about the session, then messages with
//! content blocks as Anthropic's API has them.

use std::path::Path;

use model::{AgentName, EventTime, LineKind, MessageRole, ProjectedMessage, Projection, TranscriptHead};

use crate::transcript::author::Author;
use crate::transcript::blocks;
use crate::transcript::json::JsonObject;
use crate::transcript::json_lines::{JsonLineProjection, RecordReader};
use crate::transcript::prompt::PromptParts;
use crate::transcript::transcript_builder::{MessageContent, ParentRef, RecordPosition, TranscriptBuilder};

pub(crate) fn build_projection(path: &Path) -> Box<dyn Projection> {
    let head = TranscriptHead {
        agent: AgentName("droid".into()),
        conversation: path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default(),
        title: None,
        project_dir: None,
        descent: None,
    };
    Box::new(JsonLineProjection::new(DroidProjection { head, builder: TranscriptBuilder::default() }))
}

/// Whether a line is the first of a session.
pub(crate) fn matches_format(record: &JsonObject<'_>) -> bool {
    let is_start = record.text("type").is_some_and(|kind| kind == "session_start");
    is_start
        && record.field("id").is_some()
        && ["cwd", "owner", "title"].iter().any(|name| record.field(name).is_some())
}

/// What the host puts around the words of a person.
const FENCES: [&str; 1] = ["system-reminder"];

/// Who wrote a message.
fn find_author(role: &str, is_result: bool) -> Author {
    match role {
        "user" if is_result => Author::Tool,
        "user" => Author::Person,
        "assistant" => Author::Model,
        _ => Author::Host(MessageRole::System),
    }
}

struct DroidProjection {
    head: TranscriptHead,
    builder: TranscriptBuilder,
}

impl DroidProjection {
    fn update_head(&mut self, start: &JsonObject<'_>) {
        self.head.title = start.string("sessionTitle").or_else(|| start.string("title")).or(self.head.title.take());
        self.head.project_dir = start.string("cwd").or(self.head.project_dir.take());
        if let (Some(id), false) = (start.string("id"), self.builder.has_begun()) {
            self.head.conversation = id;
        }
    }
}

impl RecordReader for DroidProjection {
    fn read_record(&mut self, number: u64, record: &JsonObject<'_>, out: &mut Vec<ProjectedMessage>) -> LineKind {
        let kind = record.text("type").unwrap_or_default();
        match kind.as_ref() {
            "session_start" => self.update_head(record),
            "message" => {}
            // This record tells how a turn ended; what was said at its end is a message of its own.
            "agent_turn_outcome" => return LineKind::Event(kind.into_owned().into()),
            other => return LineKind::Unknown(other.to_owned()),
        }
        let (id, parent) = (record.text("id"), record.text("parentId"));
        let said = record.object("message").filter(|_| kind == "message").and_then(|message| parse_content(&message));
        let Some(said) = said.filter(|said| !said.is_empty()) else {
            // The first line has an id as well, but it is that of the session and no message's parent.
            self.builder.add_event(id.as_deref().filter(|_| kind == "message"), parent.as_deref());
            return LineKind::Event(kind.into_owned().into());
        };
        let place = RecordPosition {
            number,
            id: id.as_deref(),
            // Older versions write no parents; a message then follows the one before.
            parent: parent.as_deref().map_or(ParentRef::Last, |parent| ParentRef::Record(Some(parent))),
            at: record.string("timestamp").map(EventTime::from_text),
            thread: None,
            verbatim: record.as_written(),
        };
        self.builder.add_message(&place, said, out)
    }

    fn head(&self) -> &TranscriptHead {
        &self.head
    }
}

fn parse_content(message: &JsonObject<'_>) -> Option<MessageContent> {
    let parts = blocks::parse_parts(message.field("content")?);
    let author = find_author(&message.text("role")?, blocks::are_results(&parts));
    if author != Author::Person {
        let is_models = author == Author::Model;
        return Some(MessageContent::new(author, if is_models { parts } else { blocks::remove_own(parts) }));
    }
    let PromptParts { own, added } = PromptParts::from_parts(parts, &FENCES);
    Some(MessageContent { author, parts: own, added })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::transcript::projection_snapshot::render_projection;

    #[test]
    fn a_session_is_read_with_what_the_host_added_apart() {
        let lines = r#"{"type":"session_start","id":"s-1","title":"Fix it","owner":"ada","version":2,"cwd":"/home/user/app"}
{"type":"message","id":"m1","timestamp":"2026-05-15T15:37:01.058Z","message":{"role":"user","content":[{"type":"text","text":"<system-reminder>\nToday is a day.\n</system-reminder>"},{"type":"text","text":"fix it"}]}}
{"type":"message","id":"m2","timestamp":"2026-05-15T15:37:02.058Z","parentId":"m1","message":{"role":"assistant","content":[{"type":"text","text":"I run it."},{"type":"tool_use","id":"c1","name":"Execute","input":{"command":"make"}}]}}
{"type":"message","id":"m3","parentId":"m2","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"ok"}]}}
{"type":"todo_state","id":"t1"}
{"type":"agent_turn_outcome","turnId":"m1","reason":"completed","resultKind":"text"}
{"type":"message","id":"m4","parentId":"m3","message":{"role":"assistant","content":[]}}
{"type":"message","id":"m5","message":{"role":"user","content":"thanks"}}
"#;
        expect![[r#"
            0 event session_start
            1 message
            2 message
            3 message
            4 unknown todo_state
            5 event agent_turn_outcome
            6 event message
            7 message
            # m1 user [1]
                text "fix it"
            # m1:added user by program under m1 [1]
                text "<system-reminder>\nToday is a day.\n</system-reminder>"
            # m2 assistant under m1:added [2]
                text "I run it."
                tool id="c1" name="Execute" input={"command":"make"}
            # m3 tool under m2 [3]
                tool id="c1" output="ok"
            # m5 user under m3 [7]
                text "thanks"
            = droid s-1 «Fix it» in /home/user/app
        "#]]
        .assert_eq(&render_projection(
            build_projection(Path::new(".factory/sessions/-home-user-app/s-1.jsonl")).as_mut(),
            lines,
        ));
    }
}
