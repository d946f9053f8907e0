//! Reads Cursor's conversations into messages, from the JSON lines that `rows.rs` writes from its database: one line with
//! title, project folder and parent conversation, then bubbles (messages). A bubble holds text, a thought, a tool call
//! with its result, or nothing but context. Transcripts of Cursor's command line are only recognised here, by their path;
//! `transcript/plain.rs` reads them.

use std::path::Path;

use model::{
    AgentName, LineKind, MessagePart, MessageRole, NewMessage, ProjectedMessage, Projection, TranscriptDescent,
    TranscriptHead,
};

use crate::transcript::author::Author;
use crate::transcript::blocks;
use crate::transcript::external_ids::{ExternalIds, IdAssignment};
use crate::transcript::json::{JsonObject, RawJson};
use crate::transcript::json_lines::{JsonLineProjection, RecordReader};
use crate::transcript::parent_tracker::ParentTracker;
use crate::transcript::{plain, times};

/// The folder in which the command line keeps its transcripts.
const FOLDER: &str = "agent-transcripts";

pub(crate) fn build_projection(path: &Path) -> Box<dyn Projection> {
    if is_of_command_line(path) {
        // A subagent's file is `<session>/subagents/<id>.jsonl`.
        let folder = path.parent().filter(|folder| folder.ends_with("subagents"));
        let session = folder.and_then(Path::parent).and_then(Path::file_name);
        let descent = session.map(|of| TranscriptDescent::Subagent { of: of.to_string_lossy().into_owned() });
        return plain::projection_of("cursor", path, descent);
    }
    let head = TranscriptHead {
        agent: AgentName("cursor".into()),
        conversation: path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default(),
        title: None,
        project_dir: None,
        descent: None,
    };
    Box::new(JsonLineProjection::new(CursorProjection {
        head,
        names: ExternalIds::default(),
        trail: ParentTracker::default(),
    }))
}

/// Whether a path is where the command line keeps its transcripts.
pub(crate) fn is_of_command_line(path: &Path) -> bool {
    path.components().any(|component| component.as_os_str() == FOLDER)
}

/// Whether a line is a bubble as we write it.
pub(crate) fn matches_format(record: &JsonObject<'_>) -> bool {
    ["composer", "bubble"].contains(&&*record.text("table").unwrap_or_default()) && record.field("id").is_some()
}

struct CursorProjection {
    head: TranscriptHead,
    names: ExternalIds,
    trail: ParentTracker,
}

impl RecordReader for CursorProjection {
    fn read_record(&mut self, number: u64, record: &JsonObject<'_>, out: &mut Vec<ProjectedMessage>) -> LineKind {
        match record.text("table").unwrap_or_default().as_ref() {
            "composer" => {
                self.head.title = record.string("name").or(self.head.title.take());
                self.head.project_dir = record.string("workspace");
                self.head.descent = record.string("parent").map(|of| TranscriptDescent::Subagent { of });
                // Once a message is out, its conversation must not change.
                if let (Some(id), None) = (record.string("id"), self.trail.last_message()) {
                    self.head.conversation = id;
                }
                LineKind::Event("composer".into())
            }
            "bubble" => {
                let Some(data) = record.object("data") else { return LineKind::Event("bubble empty".into()) };
                self.add_bubble(number, record.text("id").as_deref(), &data, out)
            }
            other => LineKind::Unknown(format!("row of {other:?}")),
        }
    }

    fn head(&self) -> &TranscriptHead {
        &self.head
    }
}

impl CursorProjection {
    fn add_bubble(
        &mut self,
        number: u64,
        id: Option<&str>,
        data: &JsonObject<'_>,
        out: &mut Vec<ProjectedMessage>,
    ) -> LineKind {
        let author = find_author(data);
        let parts = if author == Author::Model { parse_parts(data) } else { blocks::remove_own(parse_parts(data)) };
        // Many bubbles hold only the context of the editor: no text, no thought, no call.
        if parts.is_empty() {
            return LineKind::Event("bubble empty".into());
        }
        let name = match self.names.assign_id(id, number, data.as_written()) {
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
                at: data.field("createdAt").map(times::of_millis),
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
}

/// Who wrote a bubble.
fn find_author(bubble: &JsonObject<'_>) -> Author {
    match bubble.count("type") {
        // The database has numbers for authors: 1 is the person, 2 the model.
        Some(1) => Author::Person,
        Some(2) => Author::Model,
        _ => Author::Host(MessageRole::Assistant),
    }
}

fn parse_parts(bubble: &JsonObject<'_>) -> Vec<MessagePart> {
    let words = |text: Option<String>| text.filter(|text| !text.is_empty());
    let thought = words(bubble.object("thinking").and_then(|thinking| thinking.string("text")));
    let mut parts: Vec<MessagePart> = thought.map(|text| MessagePart::Reasoning { text }).into_iter().collect();
    let text = words(bubble.string("text"));
    if let Some(text) = text {
        parts.push(MessagePart::Text { text });
    } else {
        // A bubble without text may consist of code alone; with text, the code stands in it already.
        let blocks = bubble.array("codeBlocks").into_iter().flatten().filter_map(RawJson::object);
        parts.extend(blocks.filter_map(|block| words(block.string("content"))).map(|text| MessagePart::Text { text }));
    }
    parts.extend(bubble.object("toolFormerData").map(|tool| call_part(&tool)));
    let tokens = bubble.object("tokenCount");
    let (read, written) = match &tokens {
        Some(tokens) => (tokens.count("inputTokens"), tokens.count("outputTokens")),
        None => (None, None),
    };
    // Cursor writes zeros where it did not count.
    if !parts.is_empty() && read.unwrap_or(0) + written.unwrap_or(0) > 0 {
        parts.push(MessagePart::StepFinish { reason: None, cost_micros: None, tokens_in: read, tokens_out: written });
    }
    parts
}

fn call_part(tool: &JsonObject<'_>) -> MessagePart {
    let of =
        |name: &str| tool.field(name).map(|value| value.text_or_written().into_owned()).filter(|text| !text.is_empty());
    let failed = of("status").is_some_and(|status| status == "error");
    let result = of("result");
    let (output, error) = if failed { (None, of("error").or(result)) } else { (result, None) };
    MessagePart::Tool {
        call_id: of("toolCallId"),
        name: of("name").or_else(|| of("tool")),
        status: of("status"),
        // `rawArgs` is what the model wrote; `params` is Cursor's reading of it.
        input: of("rawArgs").or_else(|| of("params")),
        output,
        error,
        title: None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::transcript::projection_snapshot::render_projection;

    #[test]
    fn bubbles_are_messages() {
        let lines = r#"{"table":"composer","id":"c-1","name":"Rate limits","createdAt":1785578400000,"workspace":"/home/user/app","parent":"c-0"}
{"table":"bubble","id":"b1","data":{"_v":3,"type":1,"bubbleId":"b1","text":"add a limiter","createdAt":"2026-08-01T10:00:00Z"}}
{"table":"bubble","id":"b2","data":{"_v":3,"type":2,"bubbleId":"b2","text":"","thinking":{"text":"a bucket"},"createdAt":1785578400000}}
{"table":"bubble","id":"b3","data":{"_v":3,"type":2,"bubbleId":"b3","text":"I read it.","toolFormerData":{"toolCallId":"t1","name":"read_file","status":"completed","rawArgs":"{\"path\": \"a\"}","result":"{\"contents\":\"x\"}"},"tokenCount":{"inputTokens":5,"outputTokens":2}}}
{"table":"bubble","id":"b4","data":{"_v":3,"type":2,"bubbleId":"b4","text":"","toolFormerData":{"name":"run","status":"error","params":{"command":"x"},"error":"denied"}}}
{"table":"bubble","id":"b5","data":{"_v":3,"type":2,"bubbleId":"b5","text":"","codeBlocks":[{"content":"fn a() {}","uri":{"path":"/a"}}],"tokenCount":{"inputTokens":0,"outputTokens":0}}}
{"table":"bubble","id":"b6","data":{"_v":3,"type":2,"bubbleId":"b6","text":""}}
{"table":"bubble","id":"b7","data":null}
{"table":"sticker","id":"x"}
"#;
        expect![[r#"
            0 event composer
            1 message
            2 message
            3 message
            4 message
            5 message
            6 event bubble empty
            7 event bubble empty
            8 unknown row of "sticker"
            # b1 user [1]
                text "add a limiter"
            # b2 assistant under b1 [2]
                reasoning "a bucket"
            # b3 assistant under b2 [3]
                text "I read it."
                tool id="t1" name="read_file" status="completed" output="{\"contents\":\"x\"}" input={"path": "a"}
                StepFinish { reason: None, cost_micros: None, tokens_in: Some(5), tokens_out: Some(2) }
            # b4 assistant under b3 [4]
                tool name="run" status="error" error="denied" input={"command":"x"}
            # b5 assistant under b4 [5]
                text "fn a() {}"
            = cursor c-1 «Rate limits» in /home/user/app subagent of c-0
        "#]]
        .assert_eq(&render_projection(build_projection(Path::new("state.vscdb")).as_mut(), lines));
    }

    #[test]
    fn the_command_line_writes_plain_messages() {
        let lines = r#"{"role":"user","message":{"content":[{"type":"text","text":"hi"}]}}
{"role":"assistant","message":{"content":[{"type":"text","text":"hello"},{"type":"tool_use","name":"Read","input":{"path":"a"}}]}}
"#;
        let path = Path::new("projects/home-user-app/agent-transcripts/c-1/subagents/c-2.jsonl");
        expect![[r#"
            0 message
            1 message
            # at-0-1cfcefcfcfe4cbf3 user by program [0]
                text "hi"
            # at-1-20d0a243c17d9c6f assistant under at-0-1cfcefcfcfe4cbf3 [1]
                text "hello"
                tool name="Read" input={"path":"a"}
            = cursor c-2 «-» in - subagent of c-1
        "#]]
        .assert_eq(&render_projection(build_projection(path).as_mut(), lines));
    }
}
