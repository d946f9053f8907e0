//! Reads transcripts of plain messages with role and content, as in the Anthropic and OpenAI APIs, one a line or as a
//! list. Such files may be written by hand or by any tool, so reading is generous but does not guess: an unknown role
//! speaks under its own name, as a system message and never as a person. The file has no conversation id, so its path
//! and its beginning form one.

use std::path::{Path, PathBuf};

use model::{
    AgentName, EventTime, LineKind, MessagePart, MessageRole, NewMessage, ProjectedMessage, Projection,
    TranscriptDescent, TranscriptHead,
};

use super::author::Author;
use super::blocks;
use super::external_ids::{ExternalIds, IdAssignment, name_at};
use super::json::{JsonObject, RawJson};
use super::json_lines::{JsonLineProjection, RecordReader};
use super::parent_tracker::ParentTracker;

pub(crate) fn build_projection(path: &Path) -> Box<dyn Projection> {
    let head = build_head("plain", name_at(path, ""), None);
    Box::new(JsonLineProjection::new(PlainProjection::new(head, Some(path.to_owned()))))
}

/// The same for an agent that writes plain messages into files with names that no other file has.
pub(crate) fn projection_of(
    agent: &'static str,
    path: &Path,
    descent: Option<TranscriptDescent>,
) -> Box<dyn Projection> {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    Box::new(JsonLineProjection::new(PlainProjection::new(build_head(agent, stem, descent), None)))
}

fn build_head(agent: &'static str, conversation: String, descent: Option<TranscriptDescent>) -> TranscriptHead {
    TranscriptHead { agent: AgentName(agent.into()), conversation, title: None, project_dir: None, descent }
}

/// Whether a line is a message, or holds some.
pub(crate) fn matches_format(record: &JsonObject<'_>) -> bool {
    let is_message =
        record.field("role").is_some() && ["content", "message"].iter().any(|name| record.field(name).is_some());
    is_message
        || record
            .field("messages")
            .is_some_and(|messages| ["", "["].contains(&messages.as_written().get(..1).unwrap_or("")))
}

/// Names of roles in other places, for those we know.
const ROLES: [(&str, MessageRole); 6] = [
    ("human", MessageRole::User),
    ("model", MessageRole::Assistant),
    ("ai", MessageRole::Assistant),
    ("function", MessageRole::Tool),
    ("developer", MessageRole::System),
    ("tool_result", MessageRole::Tool),
];

struct PlainProjection {
    head: TranscriptHead,
    /// Where it lies, until its first message says which conversation it is.
    place: Option<PathBuf>,
    names: ExternalIds,
    count: u64,
    trail: ParentTracker,
}

impl PlainProjection {
    fn new(head: TranscriptHead, place: Option<PathBuf>) -> Self {
        Self { head, place, names: ExternalIds::default(), count: 0, trail: ParentTracker::default() }
    }

    fn add_message(
        &mut self,
        number: u64,
        fields: &JsonObject<'_>,
        out: &mut Vec<ProjectedMessage>,
    ) -> Option<LineKind> {
        let inner = fields.object("message");
        let of = |name: &str| fields.field(name).or_else(|| inner.as_ref()?.field(name));
        let word = of("role")?.text()?;
        let role =
            MessageRole::parse(&word).or_else(|| ROLES.iter().find(|(name, _)| *name == word).map(|(_, role)| *role));
        let mut parts = parse_parts(role, of("content"), fields)?;
        // Our own texts are removed from the model's input, never from its answers.
        if role != Some(MessageRole::Assistant) {
            parts = blocks::remove_own(parts);
        }
        if parts.is_empty() {
            return Some(LineKind::Event("message of ours".into()));
        }
        let id = ["id", "uuid", "message_id"].iter().find_map(|name| fields.text(name));
        let name = match self.names.assign_id(id.as_deref(), self.count, fields.as_written()) {
            IdAssignment::New(name) => name,
            IdAssignment::Copy(of) => return Some(LineKind::Repeat { of }),
        };
        self.count += 1;
        // The file has no id, so the conversation is named by its place and its first message.
        if let Some(place) = self.place.take() {
            self.head.conversation = name_at(&place, fields.as_written());
        }
        let is_to_subagent =
            role == Some(MessageRole::User) && matches!(self.head.descent, Some(TranscriptDescent::Subagent { .. }));
        let at = ["timestamp", "at", "created_at", "time"].iter().find_map(|name| fields.field(name));
        out.push(ProjectedMessage {
            parent: self.trail.advance_to(&name, role == Some(MessageRole::User)),
            message: NewMessage {
                external_id: Some(name),
                role: match role {
                    // The API of Anthropic calls results `user` messages, but no user wrote them.
                    Some(MessageRole::User) if blocks::are_results(&parts) => MessageRole::Tool,
                    Some(role) => role,
                    None => MessageRole::System,
                },
                speaker: fields
                    .string("name")
                    // A role we do not know speaks under its own name, so that no reader takes it for a person.
                    .or_else(|| role.is_none().then(|| word.to_string()))
                    .or_else(|| is_to_subagent.then(|| Author::Host(MessageRole::User).speaker()).flatten()),
                session: fields.string("session").or_else(|| fields.string("session_id")),
                at: at.map(|at| EventTime::from_text(at.text_or_written().into_owned())),
                metadata: None,
                parts,
                part_marks: model::PartMarks::default(),
            },
            lines: vec![number],
            thread: None,
            continues: None,
        });
        Some(if role.is_some() { LineKind::Message } else { LineKind::Unknown(format!("role {word}")) })
    }

    fn add_messages(&mut self, number: u64, messages: &[RawJson<'_>], out: &mut Vec<ProjectedMessage>) -> LineKind {
        let mut strange = None;
        for (index, message) in messages.iter().enumerate() {
            let kind = message.object().and_then(|fields| self.add_message(number, &fields, out));
            let kind = kind.unwrap_or_else(|| LineKind::Unknown(format!("item {index} without role and content")));
            if matches!(kind, LineKind::Unknown(_)) {
                strange.get_or_insert(kind);
            }
        }
        strange.unwrap_or(LineKind::Message)
    }
}

impl RecordReader for PlainProjection {
    fn read_record(&mut self, number: u64, record: &JsonObject<'_>, out: &mut Vec<ProjectedMessage>) -> LineKind {
        if let Some(messages) = record.array("messages") {
            self.head.title = record.string("title").or(self.head.title.take());
            return self.add_messages(number, &messages, out);
        }
        let kind = self.add_message(number, record, out);
        kind.unwrap_or_else(|| LineKind::Unknown("a line without role and content".to_owned()))
    }

    fn read_list(&mut self, number: u64, items: &[RawJson<'_>], out: &mut Vec<ProjectedMessage>) -> LineKind {
        self.add_messages(number, items, out)
    }

    fn head(&self) -> &TranscriptHead {
        &self.head
    }
}

/// The parts of a message; `None` when it has none.
pub(crate) fn parse_parts(
    role: Option<MessageRole>,
    content: Option<RawJson<'_>>,
    fields: &JsonObject<'_>,
) -> Option<Vec<MessagePart>> {
    let thought = fields.string("reasoning_content").or_else(|| fields.string("reasoning"));
    let mut parts: Vec<MessagePart> = thought.map(|text| MessagePart::Reasoning { text }).into_iter().collect();
    let call_id = fields.string("tool_call_id");
    match content {
        // Only a message with the id of its call is a result; without one it is a text under the role of a tool.
        Some(content) if role == Some(MessageRole::Tool) && call_id.is_some() => {
            let mut files = Vec::new();
            let output = Some(blocks::result_text(content, &mut files));
            let (name, status, input, error, title) = (fields.string("name"), None, None, None, None);
            parts.push(MessagePart::Tool { call_id, name, status, input, output, error, title });
            parts.append(&mut files);
        }
        Some(content) => parts.append(&mut blocks::parse_parts(content)),
        None => {}
    }
    // OpenAI puts a refusal beside the content, which is then null.
    parts.extend(fields.string("refusal").map(|text| MessagePart::Text { text }));
    parts.extend(fields.array("tool_calls").into_iter().flatten().map(call_part));
    (!parts.is_empty()).then_some(parts)
}

/// A call as `OpenAI` writes it: its arguments are JSON inside a string.
fn call_part(call: RawJson<'_>) -> MessagePart {
    let fields = call.object();
    let function = fields.as_ref().and_then(|fields| fields.object("function"));
    let input = match &function {
        Some(function) => function.field("arguments").map(|arguments| arguments.text_or_written().into_owned()),
        // A call of another form is kept as its JSON.
        None => Some(call.as_written().to_owned()),
    };
    MessagePart::Tool {
        call_id: fields.and_then(|fields| fields.string("id")),
        name: function.and_then(|function| function.string("name")),
        status: None,
        input,
        output: None,
        error: None,
        title: None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::projection_snapshot::render_projection;
    use super::*;

    fn check(lines: &str, expected: &Expect) {
        expected.assert_eq(&render_projection(build_projection(Path::new("chat.jsonl")).as_mut(), lines));
    }

    #[test]
    fn messages_of_both_apis_are_read() {
        check(
            r#"{"role":"system","content":"Be brief."}
{"role":"user","content":[{"type":"text","text":"What is it?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}],"id":"q1","timestamp":"2026-01-02T03:04:05Z"}
{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{\"at\": 1}"}}]}
{"role":"tool","tool_call_id":"c1","content":"a cat"}
{"role":"assistant","content":[{"type":"thinking","thinking":"a cat"},{"type":"tool_use","id":"t1","name":"feed","input":{}}]}
{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"fed"}]}
{"role":"assistant","reasoning_content":"hm","content":"A cat."}
{"role":"user","message":{"content":"thanks"}}
"#,
            &expect![[r#"
                0 message
                1 message
                2 message
                3 message
                4 message
                5 message
                6 message
                7 message
                # at-0-b6fd12a689594fb3 system [0]
                    text "Be brief."
                # q1 user under at-0-b6fd12a689594fb3 [1]
                    text "What is it?"
                    file mime="image/png" url="data:image/png;base64,AAAA"
                # at-2-6d3ac84ee894ea41 assistant under q1 [2]
                    tool id="c1" name="look" input={"at": 1}
                # at-3-eb23ac7641a529de tool under at-2-6d3ac84ee894ea41 [3]
                    tool id="c1" output="a cat"
                # at-4-00547b3da8aceddf assistant under at-3-eb23ac7641a529de [4]
                    reasoning "a cat"
                    tool id="t1" name="feed" input={}
                # at-5-d97a32a239ad9098 tool under at-4-00547b3da8aceddf [5]
                    tool id="t1" output="fed"
                # at-6-fa0466062aa3e103 assistant under at-5-d97a32a239ad9098 [6]
                    reasoning "hm"
                    text "A cat."
                # at-7-3f3fd1cf4417a731 user under at-6-fa0466062aa3e103 [7]
                    text "thanks"
                = plain chat-9cc88e5b «-» in -
            "#]],
        );
    }

    #[test]
    fn equal_messages_without_ids_are_two_and_with_one_id_are_one() {
        check(
            r#"{"role":"user","content":"yes"}
{"role":"user","content":"yes"}
{"role":"user","content":"no","id":"a"}
{"role":"user","content":"no","id":"a"}
{"role":"user","content":"maybe","id":"a"}
"#,
            &expect![[r#"
                0 message
                1 message
                2 message
                3 repeat of a
                4 message
                # at-0-5476726c785d1b85 user [0]
                    text "yes"
                # at-1-5476726c785d1b85 user under at-0-5476726c785d1b85 [1]
                    text "yes"
                # a user under at-1-5476726c785d1b85 [2]
                    text "no"
                # a~8ea164da98bf8bb6 user under a [4]
                    text "maybe"
                = plain chat-2aca47e9 «-» in -
            "#]],
        );
    }

    #[test]
    fn records_that_two_writers_put_on_one_line_are_all_read() {
        check(
            r#"{"role":"user","content":"one"}{"role":"assistant","content":"two"}
{"role":"user","content":"three"}{"role":"user","content":"cut of
{"role":"user","content":"four"} and more
"#,
            &expect![[r#"
                0 malformed: 2 records on one line, read one after the other
                1 malformed: one record read, not JSON from byte 33 on
                2 malformed: one record read, not JSON from byte 32 on
                # at-0-d29ca3f795692db3 user [0]
                    text "one"
                # at-1-3fcccd6fa59b51e5 assistant under at-0-d29ca3f795692db3 [0]
                    text "two"
                # at-2-4c19424543aa94a0 user under at-1-3fcccd6fa59b51e5 [1]
                    text "three"
                # at-3-4e78a08ff7a045a0 user under at-2-4c19424543aa94a0 [2]
                    text "four"
                = plain chat-6f968ff8 «-» in -
            "#]],
        );
    }

    #[test]
    fn lists_strange_roles_and_damage_lose_nothing() {
        check(
            "[{\"role\":\"human\",\"content\":\"hi\"},{\"role\":\"model\",\"content\":\"hi\"},7]
{\"title\":\"Greetings\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}
{\"role\":\"oracle\",\"content\":\"beware\"}
\u{feff}{\"role\":\"user\",\"content\":\"from an editor\"}\r
\0\0{\"role\":\"user\",\"content\":\"after a crash\"}\0
\0\0
{\"role\":\"user\",\"content\":\"cut of

{\"role\":\"user\"}
7
",
            &expect![[r#"
                0 unknown item 2 without role and content
                1 message
                2 unknown role oracle
                3 message
                4 malformed: 3 bytes of NUL around the line
                5 malformed: 2 bytes of NUL around the line
                6 malformed: not JSON: EOF while parsing a string at line 1 column 32
                7 blank
                8 unknown a line without role and content
                9 malformed: not JSON: invalid type: integer `7`, expected an object at line 1 column 1
                # at-0-3deb64b2da632585 user [0]
                    text "hi"
                # at-1-44819d9a5aa01da1 assistant under at-0-3deb64b2da632585 [0]
                    text "hi"
                # at-2-0bf782e2312001eb user under at-1-44819d9a5aa01da1 [1]
                    text "hi"
                # at-3-7a92d06f66bea486 system by oracle under at-2-0bf782e2312001eb [2]
                    text "beware"
                # at-4-a79076400f53f8fe user under at-3-7a92d06f66bea486 [3]
                    text "from an editor"
                # at-5-b6b3f4667f93d9cc user under at-4-a79076400f53f8fe [4]
                    text "after a crash"
                = plain chat-34fc1dbf «Greetings» in -
            "#]],
        );
    }

    #[test]
    fn bytes_that_are_not_text_are_told_and_the_rest_is_read() {
        let projected = build_projection(Path::new("a")).feed_line(b"{\"role\":\"user\",\"content\":\"a\xffb\"}");
        assert_eq!(projected.kind, LineKind::Malformed("not UTF-8 after byte 27".to_owned()));
        assert_eq!(projected.messages[0].message.content(), "a\u{fffd}b");
    }
}
