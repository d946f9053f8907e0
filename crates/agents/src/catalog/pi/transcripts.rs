//! Reads sessions of the agent pi: JSON lines, each an entry with the id of its parent, so that a file is a tree.
//! Entries with words (messages, summaries, texts of extensions) become messages, other known entries events; those
//! of an unknown type are reported as unknown. The first versions of pi wrote no ids: an entry then follows the one
//! before.

use std::path::Path;

use model::{
    AgentName, EventTime, LineKind, MessagePart, MessageRole, ProjectedMessage, Projection, TranscriptDescent,
    TranscriptHead,
};

use crate::transcript::author::Author;
use crate::transcript::json::{JsonObject, RawJson};
use crate::transcript::json_lines::{JsonLineProjection, RecordReader};
use crate::transcript::prompt::PromptParts;
use crate::transcript::transcript_builder::{MessageContent, ParentRef, RecordPosition, TranscriptBuilder};
use crate::transcript::{blocks, times};

pub(crate) fn build_projection(path: &Path) -> Box<dyn Projection> {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let head = TranscriptHead {
        agent: AgentName("pi".into()),
        conversation: own_id(&stem).to_owned(),
        title: None,
        project_dir: None,
        descent: None,
    };
    Box::new(JsonLineProjection::new(PiProjection { head, builder: TranscriptBuilder::default() }))
}

/// Whether a line is the first of a session.
pub(crate) fn matches_format(record: &JsonObject<'_>) -> bool {
    record.text("type").is_some_and(|kind| kind == "session")
        && ["id", "timestamp", "cwd"].iter().all(|name| record.field(name).is_some())
}

/// Files are called `<time>_<id>`.
fn own_id(stem: &str) -> &str {
    stem.rsplit_once('_').map_or(stem, |(_, id)| id)
}

/// Entries that carry no words of the conversation.
const EVENTS: [&str; 6] = ["session", "session_info", "model_change", "thinking_level_change", "custom", "label"];

/// Who wrote a message, by its role.
fn find_author(role: &str) -> Author {
    match role {
        // A command that the person ran with `!` is theirs as well.
        "user" | "bashExecution" => Author::Person,
        "assistant" => Author::Model,
        "toolResult" => Author::Tool,
        "compactionSummary" | "branchSummary" => Author::Summary(MessageRole::User),
        // Texts that extensions put in, and any role that a later version adds.
        _ => Author::Host(MessageRole::User),
    }
}

struct PiProjection {
    head: TranscriptHead,
    builder: TranscriptBuilder,
}

impl PiProjection {
    fn update_head(&mut self, kind: &str, record: &JsonObject<'_>) {
        // A later session line belongs to what was copied; once a message is out, its conversation must not change.
        if kind == "session" && !self.builder.has_begun() {
            self.head.conversation = record.string("id").unwrap_or_else(|| std::mem::take(&mut self.head.conversation));
            self.head.project_dir = record.string("cwd");
            let before = record.text("parentSession").or_else(|| record.text("branchedFrom"));
            // pi names the file of the other session by its whole path, perhaps one of another system.
            let before = before.as_deref().map(|path| path.rsplit(['/', '\\']).next().unwrap_or(path));
            let id = before.map(|name| own_id(name.strip_suffix(".jsonl").unwrap_or(name)).to_owned());
            self.head.descent = id.map(|of| TranscriptDescent::Fork { of });
        }
        if kind == "session_info" {
            self.head.title = record.string("name").or(self.head.title.take());
        }
    }
}

impl RecordReader for PiProjection {
    fn read_record(&mut self, number: u64, record: &JsonObject<'_>, out: &mut Vec<ProjectedMessage>) -> LineKind {
        let kind = record.text("type").unwrap_or_default();
        self.update_head(&kind, record);
        let is_event = EVENTS.contains(&&*kind);
        let is_known = is_event || ["message", "compaction", "branch_summary", "custom_message"].contains(&&*kind);
        let id = record.text("id").filter(|id| !id.is_empty());
        let parent = record.text("parentId");
        let said = if is_event { None } else { parse_content(&kind, record) };
        let Some(said) = said.filter(|said| !said.is_empty()) else {
            self.builder.add_event(id.as_deref(), parent.as_deref());
            return if is_known { LineKind::Event(kind.into_owned().into()) } else { unknown_line(&kind) };
        };
        let place = RecordPosition {
            number,
            id: id.as_deref(),
            // The first versions wrote no ids: an entry then follows the one before.
            parent: if id.is_some() { ParentRef::Record(parent.as_deref()) } else { ParentRef::Last },
            at: record
                .string("timestamp")
                .map(EventTime::from_text)
                .or_else(|| record.object("message")?.field("timestamp").map(times::of_millis)),
            thread: None,
            verbatim: record.as_written(),
        };
        let told = self.builder.add_message(&place, said, out);
        if is_known { told } else { unknown_line(&kind) }
    }

    fn head(&self) -> &TranscriptHead {
        &self.head
    }
}

fn unknown_line(kind: &str) -> LineKind {
    LineKind::Unknown(if kind.is_empty() { "a line without type".to_owned() } else { kind.to_owned() })
}

fn parse_content(kind: &str, record: &JsonObject<'_>) -> Option<MessageContent> {
    match kind {
        "compaction" | "branch_summary" => {
            let fold = (kind == "compaction").then_some(MessagePart::Compaction { auto: true });
            let text = record.string("summary").map(|text| MessagePart::Text { text });
            let summary = blocks::remove_own(text.into_iter().collect());
            Some(MessageContent::new(Author::Summary(MessageRole::System), fold.into_iter().chain(summary).collect()))
        }
        "custom_message" => {
            let parts = blocks::remove_own(parse_parts(record.field("content")?));
            Some(MessageContent::new(Author::Host(MessageRole::User), parts))
        }
        _ => parse_message(&record.object("message")?),
    }
}

fn parse_message(message: &JsonObject<'_>) -> Option<MessageContent> {
    let role = message.text("role")?;
    let author = find_author(&role);
    let text = |name: &str| message.string(name).filter(|text| !text.is_empty());
    let content = || message.field("content").map(parse_parts).unwrap_or_default();
    let summary = || text("summary").map(|text| MessagePart::Text { text }).into_iter().collect();
    Some(match (role.as_ref(), author) {
        // A command that the person ran with `!`: call and outcome are one record, so it becomes one part.
        ("bashExecution", _) => {
            let tool =
                result_part(None, Some("bash".to_owned()), text("command"), text("output").unwrap_or_default(), false);
            MessageContent::new(author, vec![tool])
        }
        (_, Author::Person) => {
            let PromptParts { own, added } = PromptParts::from_parts(content(), &[]);
            MessageContent { author, parts: own, added }
        }
        // pi writes a failed request as an answer with `errorMessage` and possibly without content.
        (_, Author::Model) => {
            let error = text("errorMessage").map(|error| MessagePart::Retry { error: Some(error) });
            let mut parts = content();
            parts.extend(error);
            // An answer without content stays an event: counts alone are no message.
            if !parts.is_empty() {
                parts.extend(message.object("usage").map(|usage| finish_part(message, &usage)));
            }
            MessageContent::new(author, parts)
        }
        // A picture that a tool returned is a file of its own; only the text is the output that is searched.
        (_, Author::Tool) => {
            let mut files = Vec::new();
            let mut words: Vec<String> = Vec::new();
            for part in content() {
                if let MessagePart::Text { text } = part {
                    words.push(text);
                } else {
                    files.push(part);
                }
            }
            let tool =
                result_part(text("toolCallId"), text("toolName"), None, words.join("\n"), message.flag("isError"));
            MessageContent::new(author, [tool].into_iter().chain(files).collect())
        }
        (_, Author::Summary(_)) => MessageContent::new(author, blocks::remove_own(summary())),
        (_, Author::Host(_)) => MessageContent::new(author, blocks::remove_own(content())),
    })
}

/// A string, or blocks, of which some are pi's own.
fn parse_parts(content: RawJson<'_>) -> Vec<MessagePart> {
    let Some(blocks) = content.array() else { return blocks::parse_parts(content) };
    let mut parts = Vec::new();
    for block in blocks {
        let fields = block.object();
        let kind = fields.as_ref().and_then(|fields| fields.string("type")).unwrap_or_default();
        // Only these two blocks differ from the common shapes: pi names fields in camel case and sends bare base64.
        match (&fields, kind.as_str()) {
            (Some(call), "toolCall") => parts.push(MessagePart::Tool {
                call_id: call.string("id"),
                name: call.string("name"),
                status: None,
                input: call.field("arguments").map(|input| input.as_written().to_owned()),
                output: None,
                error: None,
                title: None,
            }),
            (Some(image), "image") if image.field("data").is_some() => {
                let mime = image.string("mimeType");
                let kind = mime.as_deref().unwrap_or("application/octet-stream");
                let url = image.text("data").map(|data| format!("data:{kind};base64,{data}"));
                parts.push(MessagePart::File { url, name: None, mime });
            }
            _ => blocks::add_block(block, &mut parts),
        }
    }
    parts
}

fn result_part(
    call_id: Option<String>,
    name: Option<String>,
    input: Option<String>,
    output: String,
    failed: bool,
) -> MessagePart {
    let (output, error) = if failed { (None, Some(output)) } else { (Some(output), None) };
    MessagePart::Tool { call_id, name, status: failed.then(|| "error".to_owned()), input, output, error, title: None }
}

fn finish_part(message: &JsonObject<'_>, usage: &JsonObject<'_>) -> MessagePart {
    let sum = |names: &[&str]| names.iter().filter_map(|name| usage.count(name)).fold(0_u32, u32::saturating_add);
    let dollars = usage.object("cost").and_then(|cost| cost.field("total")?.number());
    MessagePart::StepFinish {
        reason: message.string("stopReason"),
        cost_micros: dollars.map(|dollars| (dollars * 1e6).round() as i64),
        tokens_in: Some(sum(&["input", "cacheRead", "cacheWrite"])),
        tokens_out: Some(sum(&["output"])),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::transcript::projection_snapshot::render_projection;

    fn check(lines: &str, expected: &Expect) {
        let path = Path::new(".pi/agent/sessions/--home-user-app--/2026-03-01T10-00-00-000Z_s-1.jsonl");
        expected.assert_eq(&render_projection(build_projection(path).as_mut(), lines));
    }

    #[test]
    fn entries_of_a_tree_are_messages() {
        check(
            r#"{"type":"session","version":3,"id":"s-1","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/home/user/app","parentSession":"/x/2026-02-01T10-00-00-000Z_s-0.jsonl"}
{"type":"model_change","id":"m0","parentId":null,"timestamp":"2026-03-01T10:00:00.000Z","provider":"p","modelId":"m"}
{"type":"message","id":"a1","parentId":"m0","timestamp":"2026-03-01T10:00:01.000Z","message":{"role":"user","content":"what is this?","timestamp":1772359201000}}
{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-03-01T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"I look."},{"type":"toolCall","id":"c1","name":"read","arguments":{"path": "a"}}],"usage":{"input":10,"output":5,"cacheRead":100,"cacheWrite":0,"totalTokens":115,"cost":{"total":0.25}},"stopReason":"toolUse"}}
{"type":"message","id":"a3","parentId":"a2","message":{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"fn a() {}"},{"type":"image","data":"AAAA","mimeType":"image/png"}],"isError":false}}
{"type":"message","id":"a4","parentId":"a3","message":{"role":"toolResult","toolCallId":"c2","toolName":"bash","content":[{"type":"text","text":"no such file"}],"isError":true}}
{"type":"message","id":"b1","parentId":"a1","message":{"role":"user","content":[{"type":"text","text":"another way"}]}}
{"type":"message","id":"b2","parentId":"b1","message":{"role":"bashExecution","command":"ls","output":"a.rs","exitCode":0}}
{"type":"custom_message","id":"b3","parentId":"b2","customType":"x","content":"never push","display":true}
{"type":"compaction","id":"b4","parentId":"b3","summary":"So far: nothing.","firstKeptEntryId":"b1","tokensBefore":500}
{"type":"branch_summary","id":"b5","parentId":"b4","fromId":"a4","summary":"The other way."}
{"type":"message","id":"b6","parentId":"b5","message":{"role":"hookMessage","content":"from a hook"}}
{"type":"session_info","id":"b7","parentId":"b6","name":"Looking around"}
{"type":"telegram","id":"b8","parentId":"b7","text":"x"}
{"type":"message","id":"b9","parentId":"b8","message":{"role":"assistant","content":[],"stopReason":"error","errorMessage":"overloaded"}}
"#,
            &expect![[r#"
                0 event session
                1 event model_change
                2 message
                3 message
                4 message
                5 message
                6 message
                7 message
                8 message
                9 message
                10 message
                11 message
                12 event session_info
                13 unknown telegram
                14 message
                # a1 user [2]
                    text "what is this?"
                # a2 assistant under a1 [3]
                    reasoning "hm"
                    text "I look."
                    tool id="c1" name="read" input={"path": "a"}
                    StepFinish { reason: Some("toolUse"), cost_micros: Some(250000), tokens_in: Some(110), tokens_out: Some(5) }
                # a3 tool under a2 [4]
                    tool id="c1" name="read" output="fn a() {}"
                    file mime="image/png" url="data:image/png;base64,AAAA"
                # a4 tool under a3 [5]
                    tool id="c2" name="bash" status="error" error="no such file"
                # b1 user under a1 [6]
                    text "another way"
                # b2 user under b1 [7]
                    tool name="bash" output="a.rs" input=ls
                # b3 user by program under b2 [8]
                    text "never push"
                # b4 system by summary under b3 [9]
                    Compaction { auto: true }
                    text "So far: nothing."
                # b5 system by summary under b4 [10]
                    text "The other way."
                # b6 user by program under b5 [11]
                    text "from a hook"
                # b9 assistant under b6 [14]
                    Retry { error: Some("overloaded") }
                = pi s-1 «Looking around» in /home/user/app fork of s-0
            "#]],
        );
    }

    #[test]
    fn the_first_version_had_no_ids() {
        check(
            r#"{"type":"session","id":"s-1","timestamp":"2025-12-01T10:00:00.000Z","cwd":"/home/user/app"}
{"type":"message","timestamp":"2025-12-01T10:00:01.000Z","message":{"role":"user","content":"<epitome>\nnever push\n</epitome>\nhi"}}
{"type":"message","timestamp":"2025-12-01T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"hello"}]}}
"#,
            &expect![[r#"
                0 event session
                1 message
                2 message
                # at-1-5d9a0a820f4bc7ca user [1]
                    text "hi"
                # at-2-7aab86efdd545df6 assistant under at-1-5d9a0a820f4bc7ca [2]
                    text "hello"
                = pi s-1 «-» in /home/user/app
            "#]],
        );
    }
}
