//! Reads sessions of Cline's command line into messages: one JSON document with messages in the form of Anthropic's
//! API, rewritten with every step. A person's prompt stands in a `<user_input>` fence that names the mode; the
//! project's path is in a file beside the session.

use std::path::Path;

use model::{AgentName, LineKind, MessagePart, MessageRole, ProjectedMessage, Projection, TranscriptHead};

use crate::transcript::author::Author;
use crate::transcript::json::{JsonObject, RawJson};
use crate::transcript::json_lines::{JsonLineProjection, RecordReader};
use crate::transcript::prompt::PromptParts;
use crate::transcript::transcript_builder::{MessageContent, ParentRef, RecordPosition, TranscriptBuilder};
use crate::transcript::{blocks, times};

pub(crate) fn projection(path: &Path) -> Box<dyn Projection> {
    // The file is called `<session>/<session>.messages.json`.
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let head = TranscriptHead {
        agent: AgentName("cline".into()),
        conversation: name.split('.').next().unwrap_or_default().to_owned(),
        title: None,
        project_dir: project_beside(path),
        descent: None,
    };
    Box::new(JsonLineProjection::new(Cline { head, builder: TranscriptBuilder::default() }))
}

/// The project of a session, which only the file about it says that lies beside: `<session>.json`.
fn project_beside(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.strip_suffix(".messages.json")?;
    let text = fs_err::read_to_string(path.with_file_name(format!("{name}.json"))).ok()?;
    let project = JsonObject::parse(&text).ok()?.string("cwd")?;
    // A relative directory would be resolved against ours, not against that of Cline.
    Some(project).filter(|project| Path::new(project).is_absolute())
}

/// Whether a document begins such a session.
pub(crate) fn recognises(document: &JsonObject<'_>) -> bool {
    ["sessionId", "agent", "updated_at", "messages"].iter().all(|name| document.field(name).is_some())
}

/// The fence around a prompt.
const INPUT: (&str, &str) = ("<user_input", "</user_input>");
/// What the host puts before or behind them.
const FENCES: [&str; 1] = ["mode_notice"];

/// Who wrote a message.
fn author(role: &str, parts: &[MessagePart]) -> Author {
    match role {
        "user" if blocks::are_results(parts) => Author::Tool,
        "user" => Author::Person,
        "assistant" => Author::Model,
        _ => Author::Host(MessageRole::System),
    }
}

struct Cline {
    head: TranscriptHead,
    builder: TranscriptBuilder,
}

impl Cline {
    fn say(&mut self, number: u64, message: RawJson<'_>, out: &mut Vec<ProjectedMessage>) -> Option<()> {
        let fields = message.object()?;
        let parts = blocks::parse_parts(fields.field("content")?);
        let author = author(&fields.text("role")?, &parts);
        let said = match author {
            Author::Person => {
                let PromptParts { own, added } =
                    PromptParts::from_parts(parts.into_iter().map(unfenced).collect(), &FENCES);
                MessageContent { author, parts: own, added }
            }
            Author::Model | Author::Tool => MessageContent::new(author, parts),
            Author::Host(_) | Author::Summary(_) => MessageContent::new(author, blocks::remove_own(parts)),
        };
        // A prompt that held nothing but blocks of ours is empty by now, and an empty message helps no search.
        if !said.is_empty() {
            let id = fields.text("id");
            let at = fields.field("ts").map(times::of_millis);
            let verbatim = message.as_written();
            let place =
                RecordPosition { number, id: id.as_deref(), parent: ParentRef::Last, at, thread: None, verbatim };
            self.builder.add_message(&place, said, out);
        }
        Some(())
    }
}

impl RecordReader for Cline {
    fn read_record(&mut self, number: u64, document: &JsonObject<'_>, out: &mut Vec<ProjectedMessage>) -> LineKind {
        // The document is written anew with every step, and the session id in it wins over the file's name.
        if let Some(id) = document.string("sessionId") {
            self.head.conversation = id;
        }
        let mut strange = None;
        for (index, message) in document.array("messages").into_iter().flatten().enumerate() {
            if self.say(number, message, out).is_none() {
                // One strange item is reported; the messages around it are read all the same.
                strange = strange.or_else(|| Some(format!("item {index} without role and content")));
            }
        }
        strange.map_or(LineKind::Message, LineKind::Unknown)
    }

    fn head(&self) -> &TranscriptHead {
        &self.head
    }
}

/// The words of a person without the fence around all of them.
fn unfenced(part: MessagePart) -> MessagePart {
    let MessagePart::Text { text } = part else { return part };
    let inside = text.trim().strip_prefix(INPUT.0).and_then(|rest| rest.strip_suffix(INPUT.1));
    let own = inside.and_then(|rest| rest.split_once('>')).map(|(_, own)| own.to_owned());
    MessagePart::Text { text: own.unwrap_or(text) }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::transcript::projection_snapshot::render_projection;

    #[test]
    fn a_document_is_read_with_the_words_of_the_person_without_their_fence() {
        let document = r#"{"version":1,"updated_at":"2026-11-17T17:32:05.954Z","agent":"lead","sessionId":"1794_ab","messages":[{"id":"m1","role":"user","content":[{"type":"text","text":"<user_input mode=\"act\">what is in a?</user_input>"}],"ts":1794936723688},{"id":"m2","role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"c1","name":"read_files","input":{"files":[{"path":"/a"}]}}],"ts":1794936725173},{"id":"m3","role":"user","content":[{"type":"tool_result","tool_use_id":"c1","name":"read_files","content":[{"query":"/a","result":"fn a() {}","success":true}]}],"ts":1794936725518},{"id":"m4","role":"user","content":"<epitome>\nnever push\n</epitome>"},{"id":"m5","role":"user","content":"<mode_notice>acts now</mode_notice>\ndo > it"},{"id":"m6"}],"system_prompt":"You are an agent."}"#;
        let folder = tempfile::tempdir().expect("a temporary directory");
        let place = folder.path().join("1794_ab.messages.json");
        fs_err::write(folder.path().join("1794_ab.json"), r#"{"session_id":"1794_ab","cwd":"/home/user/app"}"#)
            .expect("it can be written");
        expect![[r#"
            0 unknown item 5 without role and content
            # m1 user [0]
                text "what is in a?"
            # m2 assistant under m1 [0]
                text "I look."
                tool id="c1" name="read_files" input={"files":[{"path":"/a"}]}
            # m3 tool under m2 [0]
                tool id="c1" output="{\"query\":\"/a\",\"result\":\"fn a() {}\",\"success\":true}"
            # m5 user under m3 [0]
                text "do > it"
            # m5:added user by program under m5 [0]
                text "<mode_notice>acts now</mode_notice>"
            = cline 1794_ab «-» in /home/user/app
        "#]]
        .assert_eq(&render_projection(projection(&place).as_mut(), document));
    }
}
