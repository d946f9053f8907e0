//! Reads sessions of Kimi CLI, the predecessor of Kimi Code, into messages: JSON lines with one message of the
//! model's context each, and bookkeeping lines between them. After a compaction or a step back the old file is
//! renamed and a new one begun, after a step back with the lines that stay. Both belong to one conversation, named by
//! the session's folder, and for a subagent by the session and the agent.

use std::path::Path;

use model::{
    AgentName, LineKind, MessagePart, MessageRole, ProjectedMessage, Projection, TranscriptDescent, TranscriptHead,
};

use crate::transcript::author::Author;
use crate::transcript::external_ids::name_at;
use crate::transcript::json::JsonObject;
use crate::transcript::json_lines::{JsonLineProjection, RecordReader};
use crate::transcript::prompt::PromptParts;
use crate::transcript::transcript_builder::{MessageContent, ParentRef, RecordPosition, TranscriptBuilder};
use crate::transcript::{blocks, plain};

pub(crate) fn build_projection(path: &Path) -> Box<dyn Projection> {
    // The path is `sessions/<project>/<session>/context.jsonl`, and for a subagent
    // `…/<session>/subagents/<agent>/context.jsonl`.
    let names = path.ancestors().skip(1).filter_map(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let names: Vec<String> = names.take(5).collect();
    let (conversation, above) = match &names[..] {
        [agent, folder, session, _, root] if folder == "subagents" && root == "sessions" => {
            (format!("{session}/{agent}"), Some(session.clone()))
        }
        [session, _, root, ..] if root == "sessions" => (session.clone(), None),
        _ => (name_at(path, ""), None),
    };
    let head = TranscriptHead {
        agent: AgentName("kimi-cli".into()),
        conversation,
        title: None,
        project_dir: None,
        descent: above.map(|of| TranscriptDescent::Subagent { of }),
    };
    Box::new(JsonLineProjection::new(KimiProjection { head, builder: TranscriptBuilder::default() }))
}

/// Lines that are no messages.
const EVENTS: [&str; 3] = ["_system_prompt", "_checkpoint", "_usage"];

/// Whether a line is one that only this format has.
pub(crate) fn matches_format(record: &JsonObject<'_>) -> bool {
    record.text("role").is_some_and(|role| EVENTS.contains(&&*role))
}

/// Fences that the host writes with the role `user`, and around the prompt of a person.
const FENCES: [&str; 2] = ["system", "system-reminder"];

/// The host's heading of a summary.
const SUMMARY: &str = "<system>Previous context has been compacted.";

/// Who wrote a message.
fn find_author(role: &str, parts: &[MessagePart]) -> Author {
    let opens = |opening: &str| matches!(parts.first(), Some(MessagePart::Text { text }) if text.starts_with(opening));
    match role {
        "user" if opens(SUMMARY) => Author::Summary(MessageRole::User),
        "user" => Author::Person,
        "assistant" => Author::Model,
        "tool" => Author::Tool,
        _ => Author::Host(MessageRole::System),
    }
}

struct KimiProjection {
    head: TranscriptHead,
    builder: TranscriptBuilder,
}

impl RecordReader for KimiProjection {
    fn read_record(&mut self, number: u64, record: &JsonObject<'_>, out: &mut Vec<ProjectedMessage>) -> LineKind {
        let role = record.string("role").unwrap_or_default();
        if EVENTS.contains(&role.as_str()) {
            return LineKind::Event(role.into());
        }
        let parts = plain::parse_parts(MessageRole::parse(&role), record.field("content"), record).unwrap_or_default();
        let author = find_author(&role, &parts);
        // In a subagent's file the prompts are those of the agent above it.
        let author = if self.head.descent.is_some() { author.below_agent() } else { author };
        let said = match author {
            Author::Person => {
                let PromptParts { own, added } = PromptParts::from_parts(parts, &FENCES);
                MessageContent { author, parts: own, added }
            }
            Author::Summary(_) => {
                let fold = MessagePart::Compaction { auto: true };
                MessageContent::new(author, [fold].into_iter().chain(blocks::remove_own(parts)).collect())
            }
            Author::Host(_) => MessageContent::new(author, blocks::remove_own(parts)),
            Author::Model | Author::Tool => MessageContent::new(author, parts),
        };
        // A role of a later version is kept as the host's words and reported as unknown.
        let is_known = ["user", "assistant", "tool", "system"].contains(&role.as_str());
        if said.is_empty() {
            let kind = format!("{role} without content");
            return if is_known { LineKind::Event(kind.into()) } else { LineKind::Unknown(format!("role {role}")) };
        }
        let verbatim = record.as_written();
        let place = RecordPosition { number, id: None, parent: ParentRef::Last, at: None, thread: None, verbatim };
        let told = self.builder.add_message(&place, said, out);
        if is_known { told } else { LineKind::Unknown(format!("role {role}")) }
    }

    fn head(&self) -> &TranscriptHead {
        &self.head
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::transcript::projection_snapshot::render_projection;

    #[test]
    fn the_context_of_the_model_is_read_and_the_hosts_words_are_the_hosts() {
        let lines = r#"{"role":"_system_prompt","content":"You are an agent."}
{"role":"_checkpoint","id":0}
{"role":"user","content":"<system>CHECKPOINT 0</system>"}
{"role":"user","content":[{"type":"text","text":"<system-reminder>\nplan mode\n</system-reminder>"},{"type":"text","text":"what is in a?"}]}
{"role":"assistant","content":[{"type":"think","think":"hm","encrypted":null},{"type":"text","text":"I look."}],"tool_calls":[{"type":"function","id":"c1","function":{"name":"ReadFile","arguments":"{\"path\": \"a\"}"}}]}
{"role":"_usage","token_count":120}
{"role":"tool","content":"fn a() {}","tool_call_id":"c1"}
{"role":"user","content":[{"type":"text","text":"<system>Previous context has been compacted. Here is the compaction output:</system>"},{"type":"text","text":"a holds one function"}]}
{"role":"oracle","content":"beware"}
"#;
        expect![[r#"
            0 event _system_prompt
            1 event _checkpoint
            2 message
            3 message
            4 message
            5 event _usage
            6 message
            7 message
            8 unknown role oracle
            # at-2-8e4d8c167085d073:added user by program [2]
                text "<system>CHECKPOINT 0</system>"
            # at-3-ee449b18e01e4058 user under at-2-8e4d8c167085d073:added [3]
                text "what is in a?"
            # at-3-ee449b18e01e4058:added user by program under at-3-ee449b18e01e4058 [3]
                text "<system-reminder>\nplan mode\n</system-reminder>"
            # at-4-1f1a124846ffaf80 assistant under at-3-ee449b18e01e4058:added [4]
                reasoning "hm"
                text "I look."
                tool id="c1" name="ReadFile" input={"path": "a"}
            # at-6-ff7bb5da46315f90 tool under at-4-1f1a124846ffaf80 [6]
                tool id="c1" output="fn a() {}"
            # at-7-f04fa57046c37a5d user by summary under at-6-ff7bb5da46315f90 [7]
                Compaction { auto: true }
                text "<system>Previous context has been compacted. Here is the compaction output:</system>"
                text "a holds one function"
            # at-8-7a92d06f66bea486 system by program under at-7-f04fa57046c37a5d [8]
                text "beware"
            = kimi-cli s-1 «-» in -
        "#]]
        .assert_eq(&render_projection(
            build_projection(Path::new(".kimi/sessions/0a/s-1/context.jsonl")).as_mut(),
            lines,
        ));
        let sub = build_projection(Path::new(".kimi/sessions/0a/s-1/subagents/a1/context.jsonl"));
        assert_eq!(sub.head().conversation, "s-1/a1");
    }
}
