//! Reads sessions of Kimi Code into messages: JSON lines, a journal of changes to an agent's context. What the journal
//! appends to the context is a message, as is each part of an answer, each tool call and each result; events that
//! repeat those for the screen, and the prompt before it is appended, are not read. A message states its origin, so its
//! author is not guessed.

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

pub(crate) fn build_projection(path: &Path) -> Box<dyn Projection> {
    // The path is `sessions/<project>/<session>/agents/<agent>/wire.jsonl`, and the main agent is called `main`.
    let names = path.ancestors().skip(1).filter_map(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let names: Vec<String> = names.take(3).collect();
    let (conversation, descent) = match &names[..] {
        [agent, folder, session] if folder == "agents" && agent == "main" => (session.clone(), None),
        [agent, folder, session] if folder == "agents" => {
            (format!("{session}/{agent}"), Some(TranscriptDescent::Subagent { of: session.clone() }))
        }
        _ => (crate::transcript::external_ids::name_at(path, ""), None),
    };
    let agent = AgentName("kimi-code".into());
    let head = TranscriptHead { agent, conversation, title: None, project_dir: None, descent };
    Box::new(JsonLineProjection::new(KimiCodeProjection { head, builder: TranscriptBuilder::default() }))
}

/// Whether a line is the first of a journal.
pub(crate) fn matches_format(record: &JsonObject<'_>) -> bool {
    let is_first = record.text("type").is_some_and(|kind| kind == "metadata");
    is_first && ["protocol_version", "created_at"].iter().all(|name| record.field(name).is_some())
}

/// Families of records: `turn.prompt`, `llm.request`. A later version may add to the first.
const FAMILIES: [&str; 27] = [
    "metadata",
    "agent",
    "config",
    "cron",
    "forked",
    "full_compaction",
    "goal",
    "interaction",
    "interruptionReminder",
    "llm",
    "mcp",
    "permission",
    "plan",
    "plan_mode",
    "plugin",
    "profile",
    "prompt",
    "runtime",
    "staleGuard",
    "swarm_mode",
    "task",
    "token_counting",
    "tools",
    "tower_mode",
    "turn",
    "usage",
    "session",
];

/// Records of the context, of which some speak.
const CONTEXT: [&str; 5] = [
    "context.append_message",
    "context.append_loop_event",
    "context.apply_compaction",
    "context.clear",
    "context.undo",
];

/// What the host puts around the words of a person.
const FENCES: [&str; 1] = ["system-reminder"];

/// Who wrote a message, by its role and by what it says of its origin.
fn find_author(message: &JsonObject<'_>) -> Author {
    let origin = message.object("origin").and_then(|origin| origin.string("kind"));
    match (message.text("role").unwrap_or_default().as_ref(), origin.as_deref()) {
        (_, Some("compaction_summary")) => Author::Summary(MessageRole::User),
        ("user", None | Some("user")) => Author::Person,
        ("user", Some(_)) => Author::Host(MessageRole::User),
        ("assistant", _) => Author::Model,
        ("tool", _) => Author::Tool,
        _ => Author::Host(MessageRole::System),
    }
}

/// Who wrote an event of the loop.
fn author_of_event(kind: &str) -> Author {
    match kind {
        "content.part" | "tool.call" => Author::Model,
        "tool.result" => Author::Tool,
        _ => Author::Host(MessageRole::System),
    }
}

struct KimiCodeProjection {
    head: TranscriptHead,
    builder: TranscriptBuilder,
}

/// What a record says, and the id that it brings.
type RecordContent = (Option<String>, MessageContent);

impl KimiCodeProjection {
    fn parse_content(&self, kind: &str, record: &JsonObject<'_>) -> Option<RecordContent> {
        match kind {
            "context.append_message" => {
                let message = record.object("message")?;
                Some((message.string("id"), self.parse_message(&message)))
            }
            "context.append_loop_event" => parse_event(&record.object("event")?),
            "context.apply_compaction" => Some((None, parse_compaction(record))),
            _ => None,
        }
    }

    fn parse_message(&self, message: &JsonObject<'_>) -> MessageContent {
        let author = find_author(message);
        // In the journal of a subagent the prompt comes from the main agent, not from a person.
        let author = if self.head.descent.is_some() { author.below_agent() } else { author };
        let mut parts = message.field("content").map(blocks::parse_parts).unwrap_or_default();
        match author {
            Author::Person => {
                let PromptParts { own, added } = PromptParts::from_parts(parts, &FENCES);
                MessageContent { author, parts: own, added }
            }
            Author::Model => {
                parts.extend(
                    message
                        .array("toolCalls")
                        .into_iter()
                        .flatten()
                        .filter_map(RawJson::object)
                        .map(|call| call_of(call.string("id"), call.string("name"), call.field("arguments"))),
                );
                MessageContent::new(author, parts)
            }
            Author::Tool => {
                // The journal has no structured result: blocks of text are all that the model saw.
                let text = parts.iter().flat_map(MessagePart::searchable_texts).collect::<Vec<_>>().join("\n");
                MessageContent::new(
                    author,
                    vec![result_part(message.string("toolCallId"), text, message.flag("isError"))],
                )
            }
            Author::Summary(_) => {
                let fold = MessagePart::Compaction { auto: true };
                MessageContent::new(author, [fold].into_iter().chain(blocks::remove_own(parts)).collect())
            }
            Author::Host(_) => MessageContent::new(author, blocks::remove_own(parts)),
        }
    }
}

impl RecordReader for KimiCodeProjection {
    fn read_record(&mut self, number: u64, record: &JsonObject<'_>, out: &mut Vec<ProjectedMessage>) -> LineKind {
        let kind = record.string("type").unwrap_or_default();
        let directory = record.object("environmentDisclosure").and_then(|disclosed| disclosed.string("cwd"));
        // The environment is disclosed with several records; the first one counts.
        self.head.project_dir = self.head.project_dir.take().or(directory);
        let said = self.parse_content(&kind, record).filter(|(_, said)| !said.is_empty());
        let Some((id, said)) = said else {
            let family = kind.split('.').next().unwrap_or_default();
            let is_known = CONTEXT.contains(&kind.as_str()) || FAMILIES.contains(&family);
            return if is_known { LineKind::Event(kind.into()) } else { LineKind::Unknown(kind) };
        };
        let at = record.field("time").map(times::of_millis);
        let verbatim = record.as_written();
        let place = RecordPosition { number, id: id.as_deref(), parent: ParentRef::Last, at, thread: None, verbatim };
        self.builder.add_message(&place, said, out)
    }

    fn head(&self) -> &TranscriptHead {
        &self.head
    }
}

/// One event of the loop: a part of an answer, a call, or what came of it.
fn parse_event(event: &JsonObject<'_>) -> Option<RecordContent> {
    let kind = event.text("type")?;
    let author = author_of_event(&kind);
    let call_id = event.string("toolCallId");
    let (id, parts) = match kind.as_ref() {
        "content.part" => {
            let mut parts = Vec::new();
            blocks::add_block(event.field("part")?, &mut parts);
            (event.string("uuid"), parts)
        }
        "tool.call" => (event.string("uuid"), vec![call_of(call_id, event.string("name"), event.field("args"))]),
        "tool.result" => {
            let outcome = event.object("result")?;
            let mut files = Vec::new();
            let output =
                outcome.field("output").map(|output| blocks::result_text(output, &mut files)).unwrap_or_default();
            // Call and result share an id, so the result's name gets a suffix.
            let id = call_id.as_ref().map(|id| format!("{id}:output"));
            let tool = result_part(call_id, output, outcome.flag("isError"));
            (id, [tool].into_iter().chain(files).collect())
        }
        // The other events only mark where steps begin and end.
        _ => return None,
    };
    Some((id, MessageContent::new(author, parts)))
}

/// What a compaction left of the context: a text, or a whole message.
fn parse_compaction(record: &JsonObject<'_>) -> MessageContent {
    // Versions differ: the summary is a text under one of two names, or a whole message.
    let text = record.string("contextSummary").or_else(|| record.string("summary"));
    let message = record.object("summary").and_then(|message| message.field("content")).map(blocks::parse_parts);
    let parts = text.map(|text| vec![MessagePart::Text { text }]).or(message).unwrap_or_default();
    let fold = MessagePart::Compaction { auto: true };
    MessageContent::new(
        Author::Summary(MessageRole::System),
        [fold].into_iter().chain(blocks::remove_own(parts)).collect(),
    )
}

fn call_of(call_id: Option<String>, name: Option<String>, input: Option<RawJson<'_>>) -> MessagePart {
    let input = input.map(|input| input.text_or_written().into_owned());
    MessagePart::Tool { call_id, name, status: None, input, output: None, error: None, title: None }
}

fn result_part(call_id: Option<String>, text: String, failed: bool) -> MessagePart {
    let (output, error) = if failed { (None, Some(text)) } else { (Some(text), None) };
    let status = failed.then(|| "error".to_owned());
    MessagePart::Tool { call_id, name: None, status, input: None, output, error, title: None }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::transcript::projection_snapshot::render_projection;

    #[test]
    fn what_is_appended_to_the_context_is_told_once_by_who_wrote_it() {
        let lines = r#"{"type":"metadata","protocol_version":"1.5","created_at":1794930476813}
{"type":"profile.bind","agentId":"main","systemPrompt":"You are an agent.","environmentDisclosure":{"cwd":"/home/user/app"},"time":1794930476900}
{"type":"turn.prompt","agentId":"main","input":[{"type":"text","text":"what is in a?"}],"origin":{"kind":"user"},"promptId":"p1","time":1794930477000}
{"type":"context.append_message","agentId":"main","message":{"role":"user","content":[{"type":"text","text":"what is in a?"}],"id":"p1","toolCalls":[],"origin":{"kind":"user"}},"time":1794930477001}
{"message":{"message":{"role":"user","content":[{"type":"text","text":"what is in a?"}]},"meta":{}},"type":"agent.message.appended","time":1794930477002,"kind":"event"}
{"type":"context.append_message","agentId":"main","message":{"role":"user","content":[{"type":"text","text":"<system-reminder>\nnever push\n</system-reminder>"}],"toolCalls":[],"origin":{"kind":"injection","variant":"x"}},"time":1794930477003}
{"type":"context.append_message","agentId":"main","message":{"role":"user","content":[{"type":"text","text":"<epitome>\nnever push\n</epitome>"}],"toolCalls":[],"origin":{"kind":"hook_result"}},"time":1794930477003}
{"type":"context.append_loop_event","agentId":"main","event":{"type":"step.begin","uuid":"s1","step":1},"time":1794930477004}
{"type":"context.append_loop_event","agentId":"main","event":{"type":"content.part","uuid":"c1","stepUuid":"s1","part":{"type":"think","think":"hm"}},"time":1794930477005}
{"type":"context.append_loop_event","agentId":"main","event":{"type":"content.part","uuid":"c2","stepUuid":"s1","part":{"type":"text","text":"I look."}},"time":1794930477006}
{"type":"context.append_loop_event","agentId":"main","event":{"type":"tool.call","uuid":"c3","stepUuid":"s1","toolCallId":"t1","name":"Read","args":{"path": "a"}},"time":1794930477007}
{"type":"context.append_loop_event","agentId":"main","event":{"type":"tool.result","parentUuid":"c3","toolCallId":"t1","result":{"output":"fn a() {}"}},"time":1794930477008}
{"type":"context.append_loop_event","agentId":"main","event":{"type":"tool.result","parentUuid":"c4","toolCallId":"t2","result":{"output":"denied","isError":true}},"time":1794930477008}
{"type":"context.apply_compaction","agentId":"main","summary":"a holds one function","compactedCount":5,"time":1794930477009}
{"type":"context.paint","agentId":"main","time":1794930477010}
{"type":"telepathy.sent","time":1794930477011}
"#;
        let path = "sessions/wd_app_0/session_1/agents/main/wire.jsonl";
        expect![[r#"
            0 event metadata
            1 event profile.bind
            2 event turn.prompt
            3 message
            4 event agent.message.appended
            5 message
            6 event context.append_message
            7 event context.append_loop_event
            8 message
            9 message
            10 message
            11 message
            12 message
            13 message
            14 unknown context.paint
            15 unknown telepathy.sent
            # p1 user [3]
                text "what is in a?"
            # at-5-040dbb830538bbac user by program under p1 [5]
                text "<system-reminder>\nnever push\n</system-reminder>"
            # c1 assistant under at-5-040dbb830538bbac [8]
                reasoning "hm"
            # c2 assistant under c1 [9]
                text "I look."
            # c3 assistant under c2 [10]
                tool id="t1" name="Read" input={"path": "a"}
            # t1:output tool under c3 [11]
                tool id="t1" output="fn a() {}"
            # t2:output tool under t1:output [12]
                tool id="t2" status="error" error="denied"
            # at-13-2b5437e56bdea5df system by summary under t2:output [13]
                Compaction { auto: true }
                text "a holds one function"
            = kimi-code session_1 «-» in /home/user/app
        "#]]
        .assert_eq(&render_projection(build_projection(Path::new(path)).as_mut(), lines));
        let sub = build_projection(Path::new("sessions/wd_app_0/session_1/agents/agent-0/wire.jsonl"));
        assert_eq!(sub.head().conversation, "session_1/agent-0");
    }
}
