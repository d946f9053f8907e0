//! A day in each format, as its agent writes it down: a person asks, the host hands on what hooks told it, the model
//! answers, the context is folded with our words in the summary, and a resumed session writes all of it again.

use serde_json::{Value, json};

/// What the person says in each turn.
pub(crate) const PROMPT_TEXT: &str = "keep the parser small";
/// What the model says.
pub(crate) const ANSWER_TEXT: &str = "The parser stays small.";

/// A session that is being written.
struct Day<'a> {
    format: &'a str,
    /// What hooks gave the host, as this host writes it.
    told: &'a str,
    lines: Vec<String>,
    /// Sets the ids of one writing apart from those of another.
    writing: u32,
    last: String,
}

/// The lines of a session of a format with so many compactions and a resume; `told` is what hooks gave in each turn.
pub(crate) fn lines(format: &str, told: &str, compactions: u32) -> Vec<String> {
    let mut day = Day { format, told, lines: Vec::new(), writing: 0, last: String::new() };
    // What comes first in a file says what it is.
    day.begin();
    for writing in 0..2 {
        day.writing = writing;
        for turn in 0..=compactions {
            day.turn(turn);
            if turn < compactions {
                day.fold(turn);
            }
        }
    }
    day.lines
}

/// The ids and the words of one turn.
struct Turn {
    hook: String,
    above: String,
    asked: String,
    answered: String,
    asking: String,
    answer: String,
}

impl Day<'_> {
    fn put(&mut self, line: &Value) {
        self.lines.push(line.to_string());
    }

    /// A new id, and the one before it.
    fn step(&mut self, name: &str, turn: u32) -> (String, String) {
        let id = format!("{name}{turn}-{}", self.writing);
        let before = std::mem::replace(&mut self.last, id.clone());
        (id, before)
    }

    fn begin(&mut self) {
        match self.format {
            "codex" => self.put(&json!({"type": "session_meta", "payload": {"id": "c-1", "cwd": "/home/user/app"}})),
            "gemini-cli" => self.put(&json!({"sessionId": "g-1", "projectHash": "h"})),
            "opencode" => self.put(&json!({"table": "session", "id": "ses_1", "directory": "/home/user/app"})),
            "copilot-cli" => self.put(&json!({
                "type": "session.start", "id": "e", "timestamp": "t", "data": {"sessionId": "s-1"}
            })),
            "pi" => self.put(&json!({"type": "session", "id": "s-1", "timestamp": "t", "cwd": "/home/user/app"})),
            "droid" => self.put(&json!({"type": "session_start", "id": "s-1", "cwd": "/home/user/app"})),
            "kimi-code" => self.put(&json!({"type": "metadata", "protocol_version": "1.5", "created_at": 1})),
            "kimi-cli" => self.put(&json!({"role": "_system_prompt", "content": "You are an agent."})),
            "aider" => self.lines.push("# aider chat started at 2026-05-22 07:02:20".to_owned()),
            _ => {}
        }
    }

    fn turn(&mut self, turn: u32) {
        let (hook, _) = self.step("h", turn);
        let above = format!("h{turn}-{}", self.writing);
        let (asked, _) = self.step("q", turn);
        let (answered, _) = self.step("a", turn);
        let told = self.told;
        let asking = format!("{PROMPT_TEXT} {turn}");
        let answer = format!("{ANSWER_TEXT} {turn}");
        match self.format {
            "claude-code" => {
                self.put(&json!({"type": "attachment", "uuid": hook, "sessionId": "s-1", "attachment": {"type": "hook_additional_context", "content": [told]}}));
                self.put(&json!({"type": "system", "uuid": format!("s{hook}"), "parentUuid": hook, "subtype": "informational", "content": told}));
                self.put(&json!({"type": "user", "uuid": asked, "parentUuid": above, "sessionId": "s-1", "message": {"role": "user", "content": asking}}));
                self.put(&json!({"type": "assistant", "uuid": answered, "parentUuid": asked, "sessionId": "s-1", "message": {"id": answered, "role": "assistant", "content": [{"type": "text", "text": answer}]}}));
            }
            "codex" => {
                let item = |role: &str, kind: &str, text: &str| json!({"type": "response_item", "payload": {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}});
                self.put(&item("developer", "input_text", told));
                self.put(&item("user", "input_text", &asking));
                self.put(&item("assistant", "output_text", &answer));
            }
            "gemini-cli" => {
                let context = format!("<hook_context>{told}</hook_context>");
                self.put(&json!({"id": asked, "type": "user", "content": [{"text": asking}, {"text": context}]}));
                self.put(&json!({"id": answered, "type": "gemini", "content": answer, "toolCalls": [{"id": asked, "name": "ls", "args": {}, "result": [{"functionResponse": {"id": asked, "response": {"output": format!("a.rs\n\n{context}")}}}]}]}));
            }
            "qwen-code" => {
                let context = format!("<qwen:user-prompt-submit-context>\n{told}\n</qwen:user-prompt-submit-context>");
                self.put(&json!({"type": "user", "uuid": asked, "parentUuid": above, "sessionId": "s-1", "message": {"parts": [{"text": asking}, {"text": context}]}, "systemPayload": {"displayText": asking, "hookContext": told}}));
                self.put(&json!({"type": "assistant", "uuid": answered, "parentUuid": asked, "sessionId": "s-1", "message": {"parts": [{"text": answer}]}}));
            }
            "opencode" => {
                self.put(&json!({"table": "message", "id": asked, "data": {"role": "user"}}));
                self.put(&json!({"table": "part", "id": format!("p{asked}"), "message_id": asked, "data": {"type": "text", "text": asking}}));
                self.put(&json!({"table": "part", "id": hook, "message_id": asked, "data": {"type": "text", "text": told, "synthetic": true}}));
                self.put(&json!({"table": "message", "id": answered, "data": {"role": "assistant"}}));
                self.put(&json!({"table": "part", "id": format!("p{answered}"), "message_id": answered, "data": {"type": "text", "text": answer}}));
            }
            _ => self.turn_of_others(turn, &Turn { hook, above, asked, answered, asking, answer }),
        }
    }

    fn turn_of_others(&mut self, turn: u32, said: &Turn) {
        let Turn { hook, above, asked, answered, asking, answer } = said;
        let told = self.told;
        let both = format!("{told}\n{asking}");
        match self.format {
            "antigravity" => {
                let at = turn * 10 + self.writing * 1000;
                self.put(&json!({"step_index": at, "source": "SYSTEM", "type": "SYSTEM_MESSAGE", "content": told}));
                self.put(
                    &json!({"step_index": at + 1, "source": "USER_EXPLICIT", "type": "USER_INPUT", "content": both}),
                );
                self.put(
                    &json!({"step_index": at + 2, "source": "MODEL", "type": "PLANNER_RESPONSE", "content": answer}),
                );
            }
            "cursor" => {
                self.put(&json!({"table": "bubble", "id": asked, "data": {"type": 1, "text": both}}));
                self.put(&json!({"table": "bubble", "id": answered, "data": {"type": 2, "text": answer}}));
            }
            "copilot-cli" => {
                self.put(
                    &json!({"type": "system.notification", "id": hook, "timestamp": "t", "data": {"content": told}}),
                );
                self.put(&json!({"type": "user.message", "id": asked, "parentId": above, "timestamp": "t", "data": {"content": asking, "transformedContent": both}}));
                self.put(&json!({"type": "assistant.message", "id": answered, "parentId": asked, "timestamp": "t", "data": {"content": answer}}));
            }
            "pi" => {
                self.put(&json!({"type": "custom_message", "id": hook, "parentId": null, "content": told}));
                self.put(&json!({"type": "message", "id": asked, "parentId": above, "message": {"role": "user", "content": both}}));
                self.put(&json!({"type": "message", "id": answered, "parentId": asked, "message": {"role": "assistant", "content": [{"type": "text", "text": answer}]}}));
            }
            "droid" => {
                let reminder = format!("<system-reminder>\n{told}\n</system-reminder>");
                self.put(&json!({"type": "message", "id": asked, "message": {"role": "user", "content": [{"type": "text", "text": reminder}, {"type": "text", "text": asking}]}}));
                self.put(&json!({"type": "message", "id": answered, "parentId": asked, "message": {"role": "assistant", "content": [{"type": "text", "text": answer}]}}));
            }
            "goose" => {
                let row = |id: &str, role: &str, text: &str| json!({"table": "goose_message", "message_id": id, "role": role, "content_json": [{"type": "text", "text": text}], "user_visible": 1});
                self.put(&json!({"table": "goose_message", "message_id": hook, "role": "user", "content_json": [{"type": "text", "text": told}], "user_visible": 0, "turn_context": 1}));
                self.put(&row(asked, "user", &both));
                self.put(&row(answered, "assistant", answer));
            }
            "cline" => self.put(&json!({"updated_at": "t", "agent": "lead", "sessionId": "s-1", "messages": [
                {"id": asked, "role": "user", "content": [{"type": "text", "text": format!("<user_input mode=\"act\">{asking}</user_input>")}, {"type": "text", "text": told}]},
                {"id": answered, "role": "assistant", "content": [{"type": "text", "text": answer}]},
            ]})),
            "kiro" => {
                let said = |kind: &str, id: &str, text: &str| json!({"version": "v1", "kind": kind, "data": {"message_id": id, "content": [{"kind": "text", "data": text}]}});
                self.put(&said("Prompt", asked, &both));
                self.put(&said("AssistantMessage", answered, answer));
            }
            "kimi-code" => {
                let text = |text: &str| json!([{"type": "text", "text": text}]);
                self.put(&json!({"type": "context.append_message", "message": {"role": "user", "id": asked, "content": text(asking), "origin": {"kind": "user"}}}));
                self.put(&json!({"type": "context.append_message", "message": {"role": "user", "content": text(told), "origin": {"kind": "hook_result"}}}));
                self.put(&json!({"type": "context.append_loop_event", "event": {"type": "content.part", "uuid": answered, "part": {"type": "text", "text": answer}}}));
            }
            "swe-agent" => self.put(&json!({"trajectory": [], "history": [
                {"role": "system", "content": told},
                {"role": "user", "content": both},
                {"role": "assistant", "content": answer},
            ]})),
            "aider" => {
                let typed: Vec<String> = both.lines().map(|line| format!("#### {line}  ")).collect();
                self.lines.extend(typed);
                self.lines.push(answer.clone());
            }
            _ => {
                self.put(&json!({"role": "user", "content": both}));
                self.put(&json!({"role": "assistant", "content": answer}));
            }
        }
    }

    /// A compaction whose summary says again what we told.
    fn fold(&mut self, turn: u32) {
        let (id, before) = self.step("f", turn);
        let summary = format!("What was done so far {turn}.\n{}", self.told);
        match self.format {
            "claude-code" => {
                self.put(&json!({"type": "system", "uuid": format!("b{id}"), "parentUuid": before, "subtype": "compact_boundary", "content": "Conversation compacted"}));
                self.put(&json!({"type": "user", "uuid": id, "parentUuid": format!("b{id}"), "sessionId": "s-1", "isCompactSummary": true, "message": {"role": "user", "content": summary}}));
            }
            "codex" => self.put(&json!({"type": "compacted", "payload": {"message": summary}})),
            "gemini-cli" => self.put(&json!({"$set": {"messages": [
                {"id": id, "type": "user", "content": [{"text": summary}]},
                {"id": format!("k{id}"), "type": "gemini", "content": [{"text": "Got it."}]},
            ]}})),
            "qwen-code" => self.put(&json!({"type": "system", "subtype": "chat_compression", "uuid": id, "parentUuid": before, "sessionId": "s-1", "systemPayload": {"compressedHistory": [{"role": "user", "parts": [{"text": summary}]}]}})),
            "opencode" => {
                self.put(&json!({"table": "message", "id": id, "data": {"role": "assistant", "summary": true}}));
                self.put(&json!({"table": "part", "id": format!("p{id}"), "message_id": id, "data": {"type": "text", "text": summary}}));
            }
            "antigravity" => self.put(&json!({"step_index": turn * 10 + 5 + self.writing * 1000, "source": "SYSTEM", "type": "CHECKPOINT", "content": summary})),
            "copilot-cli" => self.put(&json!({"type": "session.compaction_complete", "id": id, "parentId": before, "timestamp": "t", "data": {"success": true, "summaryContent": summary}})),
            "goose" => self.put(&json!({"table": "goose_message", "message_id": id, "role": "user", "content_json": [{"type": "text", "text": summary}], "user_visible": 0})),
            "pi" => self.put(&json!({"type": "compaction", "id": id, "parentId": before, "summary": summary})),
            "kimi-code" => self.put(&json!({"type": "context.apply_compaction", "summary": summary, "compactedCount": 3})),
            "kimi-cli" => self.put(&json!({"role": "user", "content": [
                {"type": "text", "text": "<system>Previous context has been compacted. Here is the compaction output:</system>"},
                {"type": "text", "text": summary},
            ]})),
            // The others write none down.
            _ => {}
        }
    }
}
