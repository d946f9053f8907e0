//! Reads session logs of Copilot CLI, JSON lines in which each event names the one before as its parent, into messages;
//! only a few kinds of event are messages. A prompt is stored as the person saw it; the form that was sent to the
//! model, with the host's additions, is left in the line. Work of sub-agents is in the same log by the agent's id, and
//! becomes a thread.

use std::path::Path;

use model::{
    AgentName, EventTime, LineKind, MessagePart, MessageRole, ProjectedMessage, Projection, TranscriptDescent,
    TranscriptHead,
};

use crate::transcript::author::Author;
use crate::transcript::blocks;
use crate::transcript::json::{JsonObject, RawJson};
use crate::transcript::json_lines::{JsonLineProjection, RecordReader};
use crate::transcript::prompt::PromptParts;
use crate::transcript::transcript_builder::{MessageContent, ParentRef, RecordPosition, TranscriptBuilder};

pub(crate) fn build_projection(path: &Path) -> Box<dyn Projection> {
    // The file is `<session>/events.jsonl`, so the folder is the session's id.
    let folder = path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let head = TranscriptHead {
        agent: AgentName("copilot-cli".into()),
        conversation: folder.unwrap_or_default(),
        title: None,
        project_dir: None,
        descent: None,
    };
    Box::new(JsonLineProjection::new(CopilotCliProjection { head, builder: TranscriptBuilder::default() }))
}

/// Whether a line is an event.
pub(crate) fn matches_format(record: &JsonObject<'_>) -> bool {
    let is_event = |kind: &str| MESSAGE_EVENT_KINDS.contains(&kind) || EVENTS.contains(&event_family(kind));
    record.text("type").is_some_and(|kind| kind.contains('.') && is_event(&kind))
        && ["id", "timestamp", "data"].iter().all(|name| record.field(name).is_some())
}

/// Events that say something.
const MESSAGE_EVENT_KINDS: [&str; 6] = [
    "user.message",
    "assistant.message",
    "tool.execution_complete",
    "system.message",
    "system.notification",
    "session.compaction_complete",
];

/// Families of events that say nothing besides: `session.start`, `hook.end`.
const EVENTS: [&str; 25] = [
    "session",
    "assistant",
    "tool",
    "hook",
    "subagent",
    "permission",
    "user_input",
    "command",
    "commands",
    "skill",
    "mcp",
    "mcp_app",
    "elicitation",
    "sampling",
    "external_tool",
    "pending_messages",
    "tool_search",
    "model",
    "abort",
    "capabilities",
    "exit_plan_mode",
    "auto_mode_switch",
    "session_limits_exhausted",
    "factory",
    "ui",
];

fn event_family(kind: &str) -> &str {
    kind.split('.').next().unwrap_or_default()
}

/// Who wrote an event that says something.
fn find_author(kind: &str, record: &JsonObject<'_>, data: &JsonObject<'_>) -> Author {
    match kind {
        "user.message" => {
            // Skills, schedules and other agents speak in the user's place, and the event says so in `source`.
            let is_sent = data.text("source").is_some_and(|source| source != "user");
            // An event with an agent's id is addressed to a subagent.
            let is_persons = !is_sent && !data.flag("isAutopilotContinuation") && record.field("agentId").is_none();
            if is_persons { Author::Person } else { Author::Host(MessageRole::User) }
        }
        "assistant.message" => Author::Model,
        "tool.execution_complete" => Author::Tool,
        "session.compaction_complete" => Author::Summary(MessageRole::System),
        _ => Author::Host(MessageRole::System),
    }
}

struct CopilotCliProjection {
    head: TranscriptHead,
    builder: TranscriptBuilder,
}

impl CopilotCliProjection {
    fn update_head(&mut self, kind: &str, data: &JsonObject<'_>) {
        match kind {
            "session.start" | "session.resume" => {
                // A resumed session repeats its start; once a message is out, its conversation must not change.
                if let (Some(id), false) = (data.string("sessionId"), self.builder.has_begun()) {
                    self.head.conversation = id;
                }
                let directory = data.object("context").and_then(|context| context.string("cwd"));
                self.head.project_dir = self.head.project_dir.take().or(directory);
                let above = data.string("detachedFromSpawningParentSessionId");
                self.head.descent = self.head.descent.take().or(above.map(|of| TranscriptDescent::Subagent { of }));
            }
            "session.title_changed" => self.head.title = data.string("title").or(self.head.title.take()),
            _ => {}
        }
    }
}

impl RecordReader for CopilotCliProjection {
    fn read_record(&mut self, number: u64, record: &JsonObject<'_>, out: &mut Vec<ProjectedMessage>) -> LineKind {
        let kind = record.string("type").unwrap_or_default();
        let (id, parent) = (record.text("id"), record.text("parentId"));
        let data = record.object("data");
        if let Some(data) = &data {
            self.update_head(&kind, data);
        }
        let said = data
            .filter(|_| MESSAGE_EVENT_KINDS.contains(&kind.as_str()))
            .map(|data| parse_content(&kind, record, &data));
        let Some(said) = said.filter(|said| !said.is_empty()) else {
            // An event keeps its place in the tree, so that the next message finds its parent through it.
            self.builder.add_event(id.as_deref(), parent.as_deref());
            let is_known = MESSAGE_EVENT_KINDS.contains(&kind.as_str()) || EVENTS.contains(&event_family(&kind));
            return if is_known { LineKind::Event(kind.into()) } else { LineKind::Unknown(kind) };
        };
        let place = RecordPosition {
            number,
            id: id.as_deref(),
            parent: ParentRef::Record(parent.as_deref()),
            at: record.string("timestamp").map(EventTime::from_text),
            thread: record.string("agentId"),
            verbatim: record.as_written(),
        };
        self.builder.add_message(&place, said, out)
    }

    fn head(&self) -> &TranscriptHead {
        &self.head
    }
}

fn parse_content(kind: &str, record: &JsonObject<'_>, data: &JsonObject<'_>) -> MessageContent {
    let author = find_author(kind, record, data);
    let text = |name: &str| data.string(name).filter(|text| !text.is_empty());
    let words = |name: &str| text(name).map(|text| MessagePart::Text { text });
    match author {
        Author::Person => {
            let attached = data
                .array("attachments")
                .into_iter()
                .flatten()
                .filter_map(RawJson::object)
                .map(|file| attachment_part(&file));
            let parts = words("content").into_iter().chain(attached).collect();
            let PromptParts { own, added } = PromptParts::from_parts(parts, &[]);
            MessageContent { author, parts: own, added }
        }
        Author::Model => {
            let thought = text("reasoningText").map(|text| MessagePart::Reasoning { text });
            let calls = data
                .array("toolRequests")
                .into_iter()
                .flatten()
                .filter_map(RawJson::object)
                .map(|call| request_part(&call));
            let mut parts: Vec<MessagePart> = thought.into_iter().chain(words("content")).chain(calls).collect();
            // Copilot reports only what the model wrote; what it read is not in the log.
            if let (Some(tokens), false) = (data.count("outputTokens"), parts.is_empty()) {
                parts.push(MessagePart::StepFinish {
                    reason: None,
                    cost_micros: None,
                    tokens_in: None,
                    tokens_out: Some(tokens),
                });
            }
            MessageContent::new(author, parts)
        }
        Author::Tool => MessageContent::new(author, vec![outcome_part(data)]),
        Author::Summary(_) => {
            let fold = data
                // A compaction that failed left the context as it was.
                .flag("success")
                .then(|| MessagePart::Compaction { auto: text("trigger").as_deref() != Some("manual") });
            let summary = blocks::remove_own(words("summaryContent").into_iter().collect());
            MessageContent::new(author, fold.into_iter().chain(summary).collect())
        }
        Author::Host(_) => MessageContent::new(author, blocks::remove_own(words("content").into_iter().collect())),
    }
}

fn attachment_part(file: &JsonObject<'_>) -> MessagePart {
    let name = ["displayName", "path", "name", "title"].iter().find_map(|name| file.string(name));
    MessagePart::File { mime: file.string("mimeType"), name, url: file.string("path").or_else(|| file.string("url")) }
}

fn request_part(call: &JsonObject<'_>) -> MessagePart {
    MessagePart::Tool {
        call_id: call.string("toolCallId"),
        name: call.string("name"),
        status: None,
        input: call.field("arguments").map(|input| input.text_or_written().into_owned()),
        output: None,
        error: None,
        title: call.string("toolTitle"),
    }
}

fn outcome_part(data: &JsonObject<'_>) -> MessagePart {
    let failed =
        data.object("error").map(|error| error.string("message").unwrap_or_else(|| error.as_written().to_owned()));
    let output = data.object("result").and_then(|result| result.string("content"));
    let status = if data.flag("success") { "success" } else { "failure" };
    MessagePart::Tool {
        call_id: data.string("toolCallId"),
        name: None,
        status: Some(status.to_owned()),
        input: None,
        // A tool that succeeded without output gave an empty text, which differs from one that never ran.
        output: output.or_else(|| failed.is_none().then(String::new)),
        error: failed,
        title: None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::transcript::projection_snapshot::render_projection;

    #[test]
    fn events_that_say_something_are_messages() {
        let lines = r#"{"type":"session.start","id":"e0","timestamp":"2026-08-21T10:00:00.000Z","parentId":null,"data":{"sessionId":"s-1","version":1,"producer":"copilot","copilotVersion":"1.0.102","startTime":"2026-08-21T10:00:00.000Z","context":{"cwd":"/home/user/app"}}}
{"type":"system.message","id":"e1","timestamp":"2026-08-21T10:00:00.100Z","parentId":"e0","data":{"role":"system","content":"You are an agent."}}
{"type":"user.message","id":"e2","timestamp":"2026-08-21T10:00:01.000Z","parentId":"e1","data":{"content":"run the tests","transformedContent":"<now>…</now> run the tests","attachments":[{"type":"file","path":"/home/user/app/a.rs","displayName":"a.rs"}]}}
{"type":"assistant.turn_start","id":"e3","timestamp":"2026-08-21T10:00:01.100Z","parentId":"e2","data":{"turnId":"0"}}
{"type":"assistant.message","id":"e4","timestamp":"2026-08-21T10:00:02.000Z","parentId":"e3","data":{"messageId":"m1","content":"I run them.","reasoningText":"which?","toolRequests":[{"toolCallId":"c1","name":"bash","arguments":{"command": "make test"},"type":"function"}],"outputTokens":12}}
{"type":"tool.execution_start","id":"e5","timestamp":"2026-08-21T10:00:02.100Z","parentId":"e4","data":{"toolCallId":"c1","toolName":"bash"}}
{"type":"tool.execution_complete","id":"e6","timestamp":"2026-08-21T10:00:03.000Z","parentId":"e5","data":{"toolCallId":"c1","success":true,"result":{"content":"all passed"}}}
{"type":"tool.execution_complete","id":"e7","timestamp":"2026-08-21T10:00:03.000Z","parentId":"e6","agentId":"sub","data":{"toolCallId":"c2","success":false,"error":{"message":"denied"}}}
{"type":"user.message","id":"e8","timestamp":"2026-08-21T10:00:04.000Z","parentId":"e7","data":{"content":"Use the skill.","source":"skill-pdf"}}
{"type":"session.compaction_complete","id":"e9","timestamp":"2026-08-21T10:00:05.000Z","parentId":"e8","data":{"success":true,"summaryContent":"Tests passed.","trigger":"manual"}}
{"type":"session.title_changed","id":"ea","timestamp":"2026-08-21T10:00:06.000Z","parentId":"e9","data":{"title":"Tests"}}
{"type":"user.waved","id":"eb","timestamp":"2026-08-21T10:00:07.000Z","parentId":"ea","data":{"content":"never push"}}
{"type":"user.message","id":"ec","timestamp":"2026-08-21T10:00:08.000Z","parentId":"eb","data":{"content":"<epitome>\nnever push\n</epitome>thanks"}}
"#;
        let path = Path::new(".copilot/session-state/s-1/events.jsonl");
        expect![[r#"
            0 event session.start
            1 message
            2 message
            3 event assistant.turn_start
            4 message
            5 event tool.execution_start
            6 message
            7 message
            8 message
            9 message
            10 event session.title_changed
            11 unknown user.waved
            12 message
            # e1 system by program [1]
                text "You are an agent."
            # e2 user under e1 [2]
                text "run the tests"
                file name="a.rs" url="/home/user/app/a.rs"
            # e4 assistant under e2 [4]
                reasoning "which?"
                text "I run them."
                tool id="c1" name="bash" input={"command": "make test"}
                StepFinish { reason: None, cost_micros: None, tokens_in: None, tokens_out: Some(12) }
            # e6 tool under e4 [6]
                tool id="c1" status="success" output="all passed"
            # e7 tool under e6 thread sub [7]
                tool id="c2" status="failure" error="denied"
            # e8 user by program under e7 [8]
                text "Use the skill."
            # e9 system by summary under e8 [9]
                Compaction { auto: false }
                text "Tests passed."
            # ec user under e9 [12]
                text "thanks"
            = copilot-cli s-1 «Tests» in /home/user/app
        "#]]
        .assert_eq(&render_projection(build_projection(path).as_mut(), lines));
    }
}
