//! Reads Goose's conversations into messages: JSON lines, one for each row of its database, as `rows.rs` writes them.
//! What the host tells the model beside the conversation, such as the time, is a `user` row that the user does not see.
//! After a compaction the summary is such a row, too, and the prompt is repeated after it.

use std::path::Path;

use model::{
    AgentName, LineKind, MessagePart, MessageRole, ProjectedMessage, Projection, TranscriptDescent, TranscriptHead,
};

use crate::transcript::author::Author;
use crate::transcript::json::{JsonObject, RawJson};
use crate::transcript::json_lines::{JsonLineProjection, RecordReader};
use crate::transcript::prompt::PromptParts;
use crate::transcript::transcript_builder::{MessageContent, ParentRef, RecordPosition, TranscriptBuilder};
use crate::transcript::{blocks, times};

pub(crate) fn projection(path: &Path) -> Box<dyn Projection> {
    let head = TranscriptHead {
        agent: AgentName("goose".into()),
        conversation: path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default(),
        title: None,
        project_dir: None,
        descent: None,
    };
    Box::new(JsonLineProjection::new(Goose { head, builder: TranscriptBuilder::default(), asked: None }))
}

/// The table names of its rows in lines, so that no other format takes them for its own.
pub(crate) const SESSION: &str = "goose_session";
pub(crate) const MESSAGE: &str = "goose_message";

/// Whether a line is a row as we write it.
pub(crate) fn recognises(record: &JsonObject<'_>) -> bool {
    record.text("table").is_some_and(|table| [SESSION, MESSAGE].contains(&&*table))
}

/// Whether a database is Goose's. The file name alone is too common, so a folder above must match too.
pub(crate) fn is_database(path: &Path) -> bool {
    let mut folders = path.ancestors().skip(1).take(3).filter_map(Path::file_name);
    path.file_name().is_some_and(|name| name == "sessions.db") && folders.any(|folder| folder == "goose")
}

/// What the host puts around the words of a person.
const FENCES: [&str; 1] = ["turn-context"];

/// Who wrote a message, by its role, by whether its user sees it, and by whether it holds results.
fn author(row: &JsonObject<'_>, parts: &[MessagePart]) -> Author {
    let is_hidden = row.field("user_visible").is_some_and(|seen| seen.as_written() == "0");
    let is_context = row.field("turn_context").is_some_and(|context| context.as_written() == "1");
    // The API calls results `user` messages, but no user wrote them.
    match row.text("role").unwrap_or_default().as_ref() {
        "user" if blocks::are_results(parts) => Author::Tool,
        "user" if is_context => Author::Host(MessageRole::User),
        // After a compaction Goose writes the summary as a row of the user that its user does not see.
        "user" if is_hidden => Author::Summary(MessageRole::User),
        "user" => Author::Person,
        "assistant" if is_hidden => Author::Host(MessageRole::Assistant),
        "assistant" => Author::Model,
        _ => Author::Host(MessageRole::System),
    }
}

struct Goose {
    head: TranscriptHead,
    builder: TranscriptBuilder,
    /// The newest prompt, by its id and its contents as they are written.
    asked: Option<(String, String)>,
}

impl Goose {
    fn learn(&mut self, session: &JsonObject<'_>) {
        self.head.title = session.string("name").filter(|name| !name.is_empty()).or(self.head.title.take());
        self.head.project_dir = session.string("working_dir").or(self.head.project_dir.take());
        self.head.descent = session.string("parent_session_id").map(|of| TranscriptDescent::Subagent { of });
        // Once a message is out, its conversation must not change.
        if let (Some(id), false) = (session.string("id"), self.builder.has_begun()) {
            self.head.conversation = id;
        }
    }

    fn said(&self, row: &JsonObject<'_>) -> MessageContent {
        let parts = row.field("content_json").map(parts).unwrap_or_default();
        let author = author(row, &parts);
        let author = if self.head.descent.is_some() { author.below_agent() } else { author };
        match author {
            Author::Person => {
                let PromptParts { own, added } = PromptParts::from_parts(parts, &FENCES);
                MessageContent { author, parts: own, added }
            }
            Author::Model | Author::Tool => MessageContent::new(author, parts),
            Author::Host(_) | Author::Summary(_) => MessageContent::new(author, blocks::remove_own(parts)),
        }
    }
}

impl RecordReader for Goose {
    fn read_record(&mut self, number: u64, record: &JsonObject<'_>, out: &mut Vec<ProjectedMessage>) -> LineKind {
        let table = record.string("table").unwrap_or_default();
        match table.as_str() {
            SESSION => {
                self.learn(record);
                LineKind::Event(table.into())
            }
            MESSAGE => {
                let said = self.said(record);
                if said.is_empty() {
                    return LineKind::Event(table.into());
                }
                let contents = record.field("content_json").map(|contents| contents.as_written().to_owned());
                // Behind the summary stands the last prompt once more, hidden; stored twice, it would look like a
                // second wish.
                if let (Author::Summary(_), Some((of, asked))) = (said.author, &self.asked)
                    && contents.as_ref() == Some(asked)
                {
                    return LineKind::Repeat { of: of.clone() };
                }
                if said.author == Author::Person {
                    self.asked = record.string("message_id").zip(contents);
                }
                let id = record.text("message_id");
                let at = record.field("created_timestamp").map(times::of_seconds);
                let verbatim = record.as_written();
                let place =
                    RecordPosition { number, id: id.as_deref(), parent: ParentRef::Last, at, thread: None, verbatim };
                self.builder.add_message(&place, said, out)
            }
            _ => LineKind::Unknown(table),
        }
    }

    fn head(&self) -> &TranscriptHead {
        &self.head
    }
}

/// The contents of a message, of which some are Goose's own.
fn parts(contents: RawJson<'_>) -> Vec<MessagePart> {
    let Some(contents) = contents.array() else { return blocks::parse_parts(contents) };
    let mut parts = Vec::new();
    for content in contents {
        let fields = content.object();
        let kind = fields.as_ref().and_then(|fields| fields.string("type")).unwrap_or_default();
        match (&fields, kind.as_str()) {
            (Some(call), "toolRequest" | "frontendToolRequest") => parts.push(request(call)),
            (Some(response), "toolResponse") => response_parts(response, &mut parts),
            (Some(image), "image") if image.field("data").is_some() => {
                let mime = image.string("mimeType");
                let kind = mime.as_deref().unwrap_or("application/octet-stream");
                let url = image.text("data").map(|data| format!("data:{kind};base64,{data}"));
                parts.push(MessagePart::File { url, name: None, mime });
            }
            _ => blocks::add_block(content, &mut parts),
        }
    }
    parts
}

/// A call, or what was wrong with it.
fn request(request: &JsonObject<'_>) -> MessagePart {
    let call = request.object("toolCall");
    let value = call.as_ref().and_then(|call| call.object("value"));
    MessagePart::Tool {
        call_id: request.string("id"),
        name: value.as_ref().and_then(|value| value.string("name")),
        status: None,
        input: value.and_then(|value| value.field("arguments").map(|input| input.as_written().to_owned())),
        output: None,
        error: call.and_then(|call| call.string("error")),
        title: None,
    }
}

fn response_parts(response: &JsonObject<'_>, parts: &mut Vec<MessagePart>) {
    let result = response.object("toolResult");
    let value = result.as_ref().and_then(|result| result.object("value"));
    let mut files = Vec::new();
    // Older versions have the contents directly in `value`, without the object around them.
    let content = value
        .as_ref()
        .and_then(|value| value.field("content"))
        .or_else(|| result.as_ref().and_then(|result| result.field("value")));
    let refused = result.as_ref().and_then(|result| result.string("error"));
    // A tool can fail in two ways: the host refused the call, or the tool itself reported an error.
    let failed = refused.is_some() || value.as_ref().is_some_and(|value| value.flag("isError"));
    let text = refused.or_else(|| content.map(|content| blocks::result_text(content, &mut files))).unwrap_or_default();
    let (output, error) = if failed { (None, Some(text)) } else { (Some(text), None) };
    let status = failed.then(|| "error".to_owned());
    let call_id = response.string("id");
    parts.push(MessagePart::Tool { call_id, name: None, status, input: None, output, error, title: None });
    parts.append(&mut files);
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::transcript::projection_snapshot::render_projection;

    #[test]
    fn rows_are_told_by_who_wrote_them() {
        let lines = r#"{"table":"goose_session","id":"20261117_1","name":"Looking around","working_dir":"/home/user/app"}
{"table":"goose_message","message_id":"m1","role":"user","content_json":[{"type":"text","text":"what is in a?"}],"created_timestamp":1794936636,"user_visible":1}
{"table":"goose_message","message_id":"m2","role":"user","content_json":[{"type":"text","text":"<turn-context>\nit is noon\n</turn-context>"}],"created_timestamp":1794936638,"user_visible":0,"turn_context":1}
{"table":"goose_message","message_id":"m3","role":"assistant","content_json":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"I look."},{"type":"toolRequest","id":"c1","toolCall":{"status":"success","value":{"name":"shell","arguments":{"command":"cat a"}}}}],"created_timestamp":1794936638,"user_visible":1}
{"table":"goose_message","message_id":"m4","role":"user","content_json":[{"type":"toolResponse","id":"c1","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"fn a() {}"}],"isError":false}}}],"created_timestamp":1794936639,"user_visible":1}
{"table":"goose_message","message_id":"m5","role":"user","content_json":[{"type":"toolResponse","id":"c2","toolResult":{"status":"error","error":"there is no such tool"}}],"created_timestamp":1794936639,"user_visible":1}
{"table":"goose_message","message_id":"m6","role":"user","content_json":[{"type":"text","text":"So far: one file was read."}],"created_timestamp":1794936640,"user_visible":0}
{"table":"goose_message","message_id":"n1","role":"assistant","content_json":[{"type":"text","text":"Go on as if nothing had happened."}],"created_timestamp":1794936640,"user_visible":0}
{"table":"goose_message","message_id":"n2","role":"user","content_json":[{"type":"text","text":"what is in a?"}],"created_timestamp":1794936640,"user_visible":0}
{"table":"goose_message","message_id":"m7","role":"user","content_json":[{"type":"text","text":"<epitome>\nnever push\n</epitome>"}],"created_timestamp":1794936641,"user_visible":1}
{"table":"goose_message","message_id":"m8","role":"assistant","content_json":[{"type":"telegram","words":3}],"created_timestamp":1794936642,"user_visible":1}
{"table":"goose_errand","id":"x"}
"#;
        expect![[r#"
            0 event goose_session
            1 message
            2 message
            3 message
            4 message
            5 message
            6 message
            7 message
            8 repeat of m1
            9 event goose_message
            10 message
            11 unknown goose_errand
            # m1 user [1]
                text "what is in a?"
            # m2 user by program under m1 [2]
                text "<turn-context>\nit is noon\n</turn-context>"
            # m3 assistant under m2 [3]
                reasoning "hm"
                text "I look."
                tool id="c1" name="shell" input={"command":"cat a"}
            # m4 tool under m3 [4]
                tool id="c1" output="fn a() {}"
            # m5 tool under m4 [5]
                tool id="c2" status="error" error="there is no such tool"
            # m6 user by summary under m5 [6]
                text "So far: one file was read."
            # n1 assistant by program under m6 [7]
                text "Go on as if nothing had happened."
            # m8 assistant under n1 [10]
                text "{\"type\":\"telegram\",\"words\":3}"
            = goose 20261117_1 «Looking around» in /home/user/app
        "#]]
        .assert_eq(&render_projection(projection(Path::new("sessions.db")).as_mut(), lines));
    }
}
