//! A scripted Claude Code: it calls hooks as the real one does, writes its transcript behind their backs, and does what
//! their answers say.

use super::house::House;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::PathBuf;

pub(crate) struct Host<'h> {
    pub(crate) house: &'h House,
    pub(crate) session: String,
    /// Whether the transcript is written before the next hook, or never.
    writes: Writes,
    number: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writes {
    Transcript,
    Nothing,
}

impl<'h> Host<'h> {
    pub(crate) fn new(house: &'h House, session: &str, writes: Writes) -> Self {
        Self { house, session: session.to_owned(), writes, number: 0 }
    }

    pub(crate) fn transcript(&self) -> PathBuf {
        self.house.home().join(format!(".claude/projects/-project/{}.jsonl", self.session))
    }

    /// Calls a hook; what it answers, or null.
    pub(crate) fn hook(&self, event: &str, more: &Value) -> Value {
        let mut body = json!({
            "session_id": self.session, "hook_event_name": event, "cwd": project(self.house),
            "permission_mode": "default",
        });
        if self.writes == Writes::Transcript {
            body["transcript_path"] = json!(self.transcript());
        }
        for (name, value) in more.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        let ended = self.house.run(&["hook", event, "--agent", "claude-code"], &body.to_string());
        assert_eq!((ended.status, ended.stderr.as_str()), (0, ""), "{event}: {}", ended.shown());
        if ended.stdout.is_empty() {
            return Value::Null;
        }
        assert!(ended.stdout.chars().count() <= 10_000, "{event} says too much");
        let answer: Value = serde_json::from_str(&ended.stdout).expect("an answer is JSON");
        assert_eq!(answer["hookSpecificOutput"]["hookEventName"], event);
        answer
    }

    /// A session begins; what it is told.
    pub(crate) fn start(&mut self, source: &str) -> Value {
        let answer = self.hook("SessionStart", &json!({ "source": source, "model": "claude" }));
        self.note_told("SessionStart", &answer);
        answer
    }

    /// The real program writes down what a hook told it.
    fn note_told(&mut self, event: &str, answer: &Value) {
        let told = context(answer);
        if !told.is_empty() {
            let attachment = json!({ "type": "hook_additional_context", "content": [told], "hookEvent": event });
            self.line("attachment", json!({ "attachment": attachment }));
        }
    }

    /// The user says something; what the model is told besides.
    pub(crate) fn prompt(&mut self, text: &str) -> String {
        let answer = self.hook("UserPromptSubmit", &json!({ "prompt": text }));
        self.line("user", json!({ "message": { "role": "user", "content": text } }));
        self.note_told("UserPromptSubmit", &answer);
        context(&answer)
    }

    /// The model runs a command; what it sees of the output.
    pub(crate) fn bash(&mut self, command: &str, output: &str) -> String {
        let call = format!("toolu_{}_{}", self.session, self.number);
        let input = json!({ "command": command });
        let used = json!([{ "type": "tool_use", "id": call, "name": "Bash", "input": input }]);
        self.assistant(&used);
        let response = self.response(&call, output);
        let answer = self.hook(
            "PostToolUse",
            &json!({ "tool_name": "Bash", "tool_input": input, "tool_response": response, "tool_use_id": call }),
        );
        let updated = &answer["hookSpecificOutput"]["updatedToolOutput"];
        let shown = shown_of(if updated.is_null() { &response } else { updated });
        let result = json!([{ "tool_use_id": call, "type": "tool_result", "content": shown, "is_error": false }]);
        self.line("user", json!({ "message": { "role": "user", "content": result } }));
        shown
    }

    /// The model uses a tool that leaves its output as it is.
    pub(crate) fn tool(&mut self, tool: &str, input: &Value, output: &str) {
        let call = format!("toolu_{}_{}", self.session, self.number);
        self.assistant(&json!([{ "type": "tool_use", "id": call, "name": tool, "input": input }]));
        let body = json!({ "tool_name": tool, "tool_input": input, "tool_response": output, "tool_use_id": call });
        assert_eq!(self.hook("PostToolUse", &body), Value::Null);
        let result = json!([{ "tool_use_id": call, "type": "tool_result", "content": output, "is_error": false }]);
        self.line("user", json!({ "message": { "role": "user", "content": result } }));
    }

    /// What a command gave, as version 2.1.325 hands it on: of a long output the beginning, and where all of it is.
    fn response(&self, call: &str, output: &str) -> Value {
        let mut response = json!({ "stdout": output, "stderr": "", "interrupted": false, "isImage": false });
        if self.writes == Writes::Transcript && output.len() > LONGEST_OUTPUT {
            let file = self.transcript().with_extension("").join("tool-results").join(format!("{call}.txt"));
            fs_err::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs_err::write(&file, output).expect("the output");
            response["stdout"] = json!(output[..LONGEST_OUTPUT]);
            (response["persistedOutputPath"], response["persistedOutputSize"]) = (json!(file), json!(output.len()));
        }
        response
    }

    /// The model ends its turn.
    pub(crate) fn say(&mut self, text: &str) {
        self.assistant(&json!([{ "type": "text", "text": text }]));
        let answer = self.hook("Stop", &json!({ "stop_hook_active": false, "last_assistant_message": text }));
        assert_eq!(answer, Value::Null);
    }

    /// The context is compacted to a summary, in the order in which version 2.1.325 tells it; what the session is told.
    pub(crate) fn compact(&mut self, summary: &str) -> Value {
        for event in ["PreCompact", "SubagentStop"] {
            assert_eq!(self.tell_compaction(event, summary), Value::Null);
        }
        self.end_compaction(summary)
    }

    /// One of the events of a compaction; what it is answered.
    pub(crate) fn tell_compaction(&self, event: &str, summary: &str) -> Value {
        let written = format!("<summary>{summary}</summary>");
        let more = match event {
            "PreCompact" => json!({ "trigger": "auto", "custom_instructions": "" }),
            "SubagentStop" => json!({ "agent_id": "a1", "agent_type": "", "last_assistant_message": written }),
            "SessionStart" => json!({ "source": "compact", "model": "claude" }),
            _ => json!({ "trigger": "auto", "compact_summary": summary }),
        };
        self.hook(event, &more)
    }

    fn end_compaction(&mut self, summary: &str) -> Value {
        let told = self.tell_compaction("SessionStart", summary);
        assert_eq!(self.tell_compaction("PostCompact", summary), Value::Null);
        let boundary = json!({
            "subtype": "compact_boundary", "content": "Conversation compacted", "level": "info",
            "compactMetadata": { "trigger": "auto", "preTokens": 150_000 },
        });
        self.line("system", boundary);
        let preamble = "This session is being continued from a previous conversation that ran out of context.";
        let content = format!("{preamble}\n\nSummary:\n{summary}\n\nYou must always continue without asking.");
        self.line("user", json!({ "isCompactSummary": true, "message": { "role": "user", "content": content } }));
        self.note_told("SessionStart", &told);
        told
    }

    pub(crate) fn end(&self) {
        assert_eq!(self.hook("SessionEnd", &json!({ "reason": "other" })), Value::Null);
    }

    fn assistant(&mut self, content: &Value) {
        let id = format!("msg_{}_{}", self.session, self.number);
        let usage = json!({ "input_tokens": 1, "output_tokens": 1 });
        let message = json!({
            "id": id, "model": "claude", "role": "assistant", "type": "message", "content": content,
            "stop_reason": "end_turn", "usage": usage,
        });
        self.line("assistant", json!({ "requestId": format!("req_{id}"), "message": message }));
    }

    fn line(&mut self, kind: &str, mut line: Value) {
        let parent = self.number.checked_sub(1).map(|number| format!("u{number}-{}", self.session));
        line["type"] = json!(kind);
        line["uuid"] = json!(format!("u{}-{}", self.number, self.session));
        line["parentUuid"] = json!(parent);
        line["sessionId"] = json!(self.session);
        line["timestamp"] = json!(format!("2026-08-01T10:{:02}:00.000Z", self.number % 60));
        line["cwd"] = json!(project(self.house));
        line["version"] = json!("2.1.300");
        self.number += 1;
        if self.writes == Writes::Nothing {
            return;
        }
        let path = self.transcript();
        fs_err::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let mut file = fs_err::OpenOptions::new().create(true).append(true).open(path).expect("the transcript");
        file.write_all(format!("{line}\n").as_bytes()).expect("a line");
    }
}

/// Of longer outputs hooks get so many bytes, and the model a preview.
const LONGEST_OUTPUT: usize = 30_000;
const PREVIEW: usize = 2_000;

/// What the model sees of a response.
fn shown_of(response: &Value) -> String {
    let text = response["stdout"].as_str().expect("a text");
    match response["persistedOutputPath"].as_str() {
        Some(path) => {
            let preview = &text[..PREVIEW.min(text.len())];
            format!("<persisted-output>\nFull output saved to: {path}\n\n{preview}\n...\n</persisted-output>")
        }
        None => text.to_owned(),
    }
}

/// The directory that commands run in.
pub(crate) fn project(house: &House) -> PathBuf {
    let command = house.command(&[]);
    fs_err::canonicalize(command.get_current_dir().expect("commands run in the project")).expect("a path")
}

/// What an answer adds to the context.
pub(crate) fn context(answer: &Value) -> String {
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}
