//! Reads trajectories of SWE-agent into messages: one JSON document with the messages that the model was given and
//! gave. No user takes part: the task comes from a template with its rules, so its author is the program, as for the
//! demonstrations before it. Where there is no list of messages, the steps are read.

use std::path::{Path, PathBuf};

use model::{AgentName, LineKind, MessagePart, MessageRole, ProjectedMessage, Projection, TranscriptHead};

use crate::transcript::author::Author;
use crate::transcript::external_ids::name_at;
use crate::transcript::json::{JsonObject, RawJson};
use crate::transcript::json_lines::{JsonLineProjection, RecordReader};
use crate::transcript::transcript_builder::{MessageContent, ParentRef, RecordPosition, TranscriptBuilder};
use crate::transcript::{blocks, plain};

pub(crate) fn build_projection(path: &Path) -> Box<dyn Projection> {
    let head = TranscriptHead {
        agent: AgentName("swe-agent".into()),
        conversation: name_at(path, ""),
        title: None,
        project_dir: None,
        descent: None,
    };
    Box::new(JsonLineProjection::new(SweAgentProjection {
        head,
        place: path.to_owned(),
        builder: TranscriptBuilder::default(),
        count: 0,
    }))
}

/// Whether a document is a trajectory: steps, messages, or both.
pub(crate) fn matches_format(document: &JsonObject<'_>) -> bool {
    let is_list = |list: RawJson<'_>| ["", "["].contains(&list.as_written().get(..1).unwrap_or(""));
    ["trajectory", "history"].iter().any(|name| document.field(name).is_some_and(is_list))
}

/// Who wrote a message.
fn find_author(role: &str, kind: &str, fields: &JsonObject<'_>, is_answered: bool) -> Author {
    let is_demo = fields.flag("is_demo") || kind == "demonstration";
    match role {
        "assistant" if !is_demo => Author::Model,
        "tool" if !is_demo => Author::Tool,
        // A `user` message after the model spoke is the result of its action; before that it is the task.
        "user" if !is_demo && is_answered && ["", "observation"].contains(&kind) => Author::Tool,
        "assistant" => Author::Host(MessageRole::Assistant),
        "user" | "tool" => Author::Host(MessageRole::User),
        _ => Author::Host(MessageRole::System),
    }
}

struct SweAgentProjection {
    head: TranscriptHead,
    place: PathBuf,
    builder: TranscriptBuilder,
    count: u64,
}

impl SweAgentProjection {
    fn add_message(&mut self, number: u64, verbatim: &str, said: MessageContent, out: &mut Vec<ProjectedMessage>) {
        if said.is_empty() {
            return;
        }
        // The file has no id, so the conversation is named by its place and its first message.
        if !self.builder.has_begun() {
            self.head.conversation = name_at(&self.place, verbatim);
        }
        // All messages are on one line, so the number of the line cannot name them.
        let id = format!("step-{}", self.count);
        self.count += 1;
        let place = RecordPosition { number, id: Some(&id), parent: ParentRef::Last, at: None, thread: None, verbatim };
        self.builder.add_message(&place, said, out);
    }

    fn add_history(&mut self, number: u64, history: &[RawJson<'_>], out: &mut Vec<ProjectedMessage>) {
        let mut is_answered = false;
        for item in history {
            let Some(fields) = item.object() else { continue };
            let role = fields.string("role").unwrap_or_default();
            let kind = fields.string("message_type").unwrap_or_default();
            let author = find_author(&role, &kind, &fields, is_answered);
            is_answered |= author == Author::Model;
            // The span may be cut out of a part, or span several parts of which one is prose.
            let said =
                plain::parse_parts(MessageRole::parse(&role), fields.field("content"), &fields).unwrap_or_default();
            let said = match author {
                Author::Model => MessageContent::new(author, model_parts(said, &fields)),
                Author::Tool => MessageContent::new(author, result_parts(said, &fields)),
                Author::Person | Author::Host(_) | Author::Summary(_) => {
                    MessageContent::new(author, blocks::remove_own(said))
                }
            };
            self.add_message(number, item.as_written(), said, out);
        }
    }

    fn add_steps(&mut self, number: u64, steps: &[RawJson<'_>], out: &mut Vec<ProjectedMessage>) {
        for step in steps {
            let Some(fields) = step.object() else { continue };
            let of = |name: &str| fields.string(name).filter(|text| !text.is_empty());
            let call = of("action").map(|action| tool_part(None, Some(action), None));
            // `response` holds the thought and the action as the model wrote them.
            let words = of("response").or_else(|| of("thought")).map(|text| MessagePart::Text { text });
            self.add_message(
                number,
                step.as_written(),
                MessageContent::new(Author::Model, words.into_iter().chain(call).collect()),
                out,
            );
            let result = of("observation").map(|output| tool_part(None, None, Some(output)));
            self.add_message(
                number,
                step.as_written(),
                MessageContent::new(Author::Tool, result.into_iter().collect()),
                out,
            );
        }
    }
}

impl RecordReader for SweAgentProjection {
    fn read_record(&mut self, number: u64, record: &JsonObject<'_>, out: &mut Vec<ProjectedMessage>) -> LineKind {
        if !matches_format(record) {
            return LineKind::Unknown("a document without a trajectory".to_owned());
        }
        let before = out.len();
        match record.array("history").filter(|history| !history.is_empty()) {
            Some(history) => self.add_history(number, &history, out),
            // Older trajectories have no list of messages, only steps.
            None => self.add_steps(number, &record.array("trajectory").unwrap_or_default(), out),
        }
        let told = out.len() > before;
        if told { LineKind::Message } else { LineKind::Event("an empty trajectory".into()) }
    }

    fn head(&self) -> &TranscriptHead {
        &self.head
    }
}

/// What the model says: its words hold its thought and its action; a call that it made has its own place.
fn model_parts(mut parts: Vec<MessagePart>, fields: &JsonObject<'_>) -> Vec<MessagePart> {
    // With function calling the action stands in the call already.
    let has_call = parts.iter().any(|part| matches!(part, MessagePart::Tool { .. }));
    let action = fields.string("action").filter(|action| !action.is_empty() && !has_call);
    parts.extend(action.map(|action| tool_part(None, Some(action), None)));
    parts
}

/// What an action gave.
fn result_parts(parts: Vec<MessagePart>, fields: &JsonObject<'_>) -> Vec<MessagePart> {
    let id = fields.array("tool_call_ids").and_then(|ids| ids.first()?.text().map(String::from));
    let told = |part: MessagePart| {
        if let MessagePart::Text { text } = part { tool_part(id.clone(), None, Some(text)) } else { part }
    };
    parts.into_iter().map(told).collect()
}

fn tool_part(call_id: Option<String>, input: Option<String>, output: Option<String>) -> MessagePart {
    MessagePart::Tool { call_id, name: None, status: None, input, output, error: None, title: None }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::transcript::projection_snapshot::render_projection;

    fn check(document: &str, expected: &Expect) {
        expected
            .assert_eq(&render_projection(build_projection(Path::new("runs/a/repo__app-1.traj")).as_mut(), document));
    }

    #[test]
    fn messages_of_a_trajectory_are_by_the_model_its_tools_and_the_program() {
        check(
            r#"{"trajectory":[{"action":"ls","observation":"a.rs","response":"I look.","thought":"I look.","state":{}}],"history":[{"role":"system","content":"You fix things.","agent":"main","message_type":"system_prompt"},{"role":"user","content":"Here is an example.","is_demo":true,"message_type":"demonstration"},{"role":"user","content":[{"type":"text","text":"Fix the bug. Never ask."}],"agent":"main","message_type":"observation"},{"role":"assistant","content":"I look.","thought":"I look.","action":"ls","agent":"main","tool_calls":[{"id":"c1","type":"function","function":{"name":"bash","arguments":"{\"command\": \"ls\"}"}}],"message_type":"action"},{"role":"tool","content":[{"type":"text","text":"a.rs"}],"agent":"main","message_type":"observation","tool_call_ids":["c1"]},{"role":"assistant","content":"Done.","action":"submit","message_type":"action"},{"role":"user","content":"ok","message_type":"observation"}],"info":{"exit_status":"submitted"}}"#,
            &expect![[r#"
                0 message
                # step-0 system by program [0]
                    text "You fix things."
                # step-1 user by program under step-0 [0]
                    text "Here is an example."
                # step-2 user by program under step-1 [0]
                    text "Fix the bug. Never ask."
                # step-3 assistant under step-2 [0]
                    text "I look."
                    tool id="c1" name="bash" input={"command": "ls"}
                # step-4 tool under step-3 [0]
                    tool id="c1" output="a.rs"
                # step-5 assistant under step-4 [0]
                    text "Done."
                    tool input=submit
                # step-6 tool under step-5 [0]
                    tool output="ok"
                = swe-agent repo__app-1-78db73d3 «-» in -
            "#]],
        );
    }

    #[test]
    fn without_messages_the_steps_are_read() {
        check(
            r#"{"environment":"swe_main","trajectory":[{"action":"ls","observation":"a.rs","response":"I look."},{"action":"ls","observation":"a.rs","response":"I look."},{"action":"submit","observation":"","thought":"Done."}],"history":[]}"#,
            &expect![[r#"
                0 message
                # step-0 assistant [0]
                    text "I look."
                    tool input=ls
                # step-1 tool under step-0 [0]
                    tool output="a.rs"
                # step-2 assistant under step-1 [0]
                    text "I look."
                    tool input=ls
                # step-3 tool under step-2 [0]
                    tool output="a.rs"
                # step-4 assistant under step-3 [0]
                    text "Done."
                    tool input=submit
                = swe-agent repo__app-1-9058058e «-» in -
            "#]],
        );
        check(
            "{\"trajectory\":[]}",
            &expect![[r#"
            0 event an empty trajectory
            = swe-agent repo__app-1-6e8c1a15 «-» in -
        "#]],
        );
    }
}
