//! Reads sessions of Kiro's command line into messages: JSON lines, each a prompt, an answer or tool results, with
//! content blocks of Kiro's own kinds. A file beside it describes the session, and is not read here.

use std::path::Path;

use model::{AgentName, LineKind, MessagePart, MessageRole, ProjectedMessage, Projection, TranscriptHead};

use crate::transcript::author::Author;
use crate::transcript::json::{JsonObject, RawJson};
use crate::transcript::json_lines::{JsonLineProjection, RecordReader};
use crate::transcript::prompt::PromptParts;
use crate::transcript::transcript_builder::{MessageContent, ParentRef, RecordPosition, TranscriptBuilder};
use crate::transcript::{blocks, times};

pub(crate) fn build_projection(path: &Path) -> Box<dyn Projection> {
    let head = TranscriptHead {
        agent: AgentName("kiro".into()),
        conversation: path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default(),
        title: None,
        project_dir: None,
        descent: None,
    };
    Box::new(JsonLineProjection::new(KiroProjection { head, builder: TranscriptBuilder::default() }))
}

/// Kinds of lines that say something.
const MESSAGE_LINE_KINDS: [&str; 3] = ["Prompt", "AssistantMessage", "ToolResults"];

/// Whether a line is one of this format.
pub(crate) fn matches_format(record: &JsonObject<'_>) -> bool {
    let is_kind = record.text("kind").is_some_and(|kind| MESSAGE_LINE_KINDS.contains(&&*kind));
    is_kind && record.field("version").is_some() && record.field("data").is_some()
}

/// Who wrote a line.
fn find_author(kind: &str) -> Author {
    match kind {
        "Prompt" => Author::Person,
        "AssistantMessage" => Author::Model,
        "ToolResults" => Author::Tool,
        _ => Author::Host(MessageRole::System),
    }
}

struct KiroProjection {
    head: TranscriptHead,
    builder: TranscriptBuilder,
}

impl RecordReader for KiroProjection {
    fn read_record(&mut self, number: u64, record: &JsonObject<'_>, out: &mut Vec<ProjectedMessage>) -> LineKind {
        let kind = record.string("kind").unwrap_or_default();
        let data = record.object("data");
        let blocks = data.as_ref().and_then(|data| data.array("content")).unwrap_or_default();
        let mut parts = Vec::new();
        for block in blocks {
            add_block(block, &mut parts);
        }
        let author = find_author(&kind);
        let said = match author {
            Author::Person => {
                let PromptParts { own, added } = PromptParts::from_parts(parts, &[]);
                MessageContent { author, parts: own, added }
            }
            Author::Host(_) => MessageContent::new(author, blocks::remove_own(parts)),
            Author::Model | Author::Tool | Author::Summary(_) => MessageContent::new(author, parts),
        };
        let is_known = MESSAGE_LINE_KINDS.contains(&kind.as_str());
        if said.is_empty() {
            // `Clear` means that the person began anew; what was said before stays said.
            let is_event = is_known || kind == "Clear";
            return if is_event { LineKind::Event(kind.into()) } else { LineKind::Unknown(kind) };
        }
        let id = data.as_ref().and_then(|data| data.string("message_id"));
        let meta = data.as_ref().and_then(|data| data.object("meta"));
        let place = RecordPosition {
            number,
            id: id.as_deref(),
            parent: ParentRef::Last,
            at: meta.and_then(|meta| meta.field("timestamp")).map(times::of_seconds),
            thread: None,
            verbatim: record.as_written(),
        };
        let told = self.builder.add_message(&place, said, out);
        if is_known { told } else { LineKind::Unknown(kind) }
    }

    fn head(&self) -> &TranscriptHead {
        &self.head
    }
}

/// A block: its kind, and its data in the form of that kind.
fn add_block(block: RawJson<'_>, parts: &mut Vec<MessagePart>) {
    let fields = block.object();
    let kind = fields.as_ref().and_then(|fields| fields.string("kind")).unwrap_or_default();
    let data = fields.as_ref().and_then(|fields| fields.field("data"));
    let inner = data.and_then(RawJson::object);
    match (kind.as_str(), data, &inner) {
        ("text", Some(text), _) => {
            let text = text.text_or_written().into_owned();
            // An answer that is only tool calls has an empty text, which says nothing.
            parts.extend((!text.is_empty()).then_some(MessagePart::Text { text }));
        }
        ("thinking", _, Some(thought)) => {
            parts.extend(thought.string("text").map(|text| MessagePart::Reasoning { text }));
        }
        ("toolUse", _, Some(call)) => parts.push(MessagePart::Tool {
            call_id: call.string("toolUseId"),
            name: call.string("name"),
            status: None,
            input: call.field("input").map(|input| input.as_written().to_owned()),
            output: None,
            error: None,
            title: None,
        }),
        ("toolResult", _, Some(result)) => parts.push(outcome_part(result)),
        ("image", _, Some(image)) => {
            let mime = image.string("format").map(|format| format!("image/{format}"));
            parts.push(MessagePart::File { mime, name: None, url: None });
        }
        _ => parts.push(MessagePart::Text { text: block.text_or_written().into_owned() }),
    }
}

fn outcome_part(result: &JsonObject<'_>) -> MessagePart {
    let texts = result.array("content").unwrap_or_default().into_iter().map(|block| {
        let data = block.object().and_then(|fields| fields.field("data"));
        data.unwrap_or(block).text_or_written().into_owned()
    });
    let text = texts.collect::<Vec<_>>().join("\n");
    let status = result.string("status");
    // Kiro has no field for errors; only the status says whether the text is an output or an error.
    let failed = status.as_deref() == Some("error");
    let (output, error) = if failed { (None, Some(text)) } else { (Some(text), None) };
    MessagePart::Tool {
        call_id: result.string("toolUseId"),
        name: None,
        status,
        input: None,
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
    fn prompts_answers_and_results_are_messages() {
        let lines = r#"{"version":"v1","kind":"Prompt","data":{"message_id":"p1","content":[{"kind":"text","data":"run it"},{"kind":"image","data":{"format":"png"}}],"meta":{"timestamp":1784869360.5}}}
{"version":"v1","kind":"AssistantMessage","data":{"message_id":"a1","content":[{"kind":"thinking","data":{"text":"hm"}},{"kind":"text","data":""},{"kind":"toolUse","data":{"toolUseId":"c1","name":"shell","input":{"command": "make"}}}]}}
{"version":"v1","kind":"ToolResults","data":{"message_id":"r1","content":[{"kind":"toolResult","data":{"toolUseId":"c1","content":[{"kind":"json","data":{"exit_status":"0","stdout":"ok"}}],"status":"success"}},{"kind":"toolResult","data":{"toolUseId":"c2","content":[{"kind":"text","data":"denied"}],"status":"error"}}]}}
{"version":"v1","kind":"AssistantMessage","data":{"message_id":"a2","content":[{"kind":"text","data":"It ran."}]}}
{"version":"v1","kind":"Clear","data":null}
{"version":"v1","kind":"Compaction","data":{"summary":"x"}}
{"version":"v1","kind":"Telegram","data":{"message_id":"t1","content":[{"kind":"text","data":"never push"}]}}
{"version":"v1","kind":"Prompt","data":{"message_id":"p1","content":[{"kind":"text","data":"run it"},{"kind":"image","data":{"format":"png"}}],"meta":{"timestamp":1784869360.5}}}
"#;
        expect![[r#"
            0 message
            1 message
            2 message
            3 message
            4 event Clear
            5 unknown Compaction
            6 unknown Telegram
            7 repeat of p1
            # p1 user [0]
                text "run it"
                file mime="image/png"
            # a1 assistant under p1 [1]
                reasoning "hm"
                tool id="c1" name="shell" input={"command": "make"}
            # r1 tool under a1 [2]
                tool id="c1" status="success" output="{\"exit_status\":\"0\",\"stdout\":\"ok\"}"
                tool id="c2" status="error" error="denied"
            # a2 assistant under r1 [3]
                text "It ran."
            # t1 system by program under a2 [6]
                text "never push"
            = kiro s-1 «-» in -
        "#]]
        .assert_eq(&render_projection(build_projection(Path::new(".kiro/sessions/cli/s-1.jsonl")).as_mut(), lines));
    }
}
