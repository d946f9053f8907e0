//! Finds in the lines of one transcript what went wrong with Epitome. Only what the host of a session wrote counts: a
//! conversation may well be about hooks that fail.

use serde_json::Value;
use std::collections::HashSet;
use std::io::{self, BufRead, BufReader, Read};

/// Something that went wrong.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SessionProblem {
    pub(super) kind: SessionProblemKind,
    /// When, in the words of the transcript.
    pub(super) at: Option<String>,
    /// What the host wrote, on one line, cut.
    pub(super) what: String,
    /// The event of the hook it is about.
    pub(super) event: Option<String>,
    /// The command that the host ran.
    pub(super) command: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SessionProblemKind {
    /// A hook of ours failed.
    Hook,
    /// The server was lost or never reached.
    Server,
    /// A call of one of our tools was refused.
    Call,
    /// The program was not found, or is too old for what was asked.
    Program,
    /// A hook ran twice for one event.
    Twice,
}

impl SessionProblemKind {
    pub(super) const ALL: [Self; 5] = [Self::Hook, Self::Server, Self::Call, Self::Program, Self::Twice];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Server => "server",
            Self::Call => "call",
            Self::Program => "program",
            Self::Twice => "twice",
        }
    }

    /// The name of the type in reports that are read by programs of other systems.
    pub(super) fn type_name(self) -> &'static str {
        match self {
            Self::Hook => "hook-error",
            Self::Server => "mcp-disconnect",
            Self::Call => "call-refused",
            Self::Program => "old-binary",
            Self::Twice => "duplicate-hook",
        }
    }

    /// Whether it is a warning: nothing was lost by it.
    pub(super) fn is_warning(self) -> bool {
        matches!(self, Self::Program | Self::Twice)
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Hook => "hooks that failed",
            Self::Server => "the MCP server was lost",
            Self::Call => "calls that were refused",
            Self::Program => "the program was not found or is too old",
            Self::Twice => "hooks that ran twice for one event",
        }
    }

    pub(super) fn fix(self) -> &'static str {
        match self {
            Self::Hook => "epitome doctor says whether hooks work now",
            Self::Server => "epitome doctor makes the handshake; restart the agent",
            Self::Call => "read what was refused; epitome mcp --help names the profiles",
            Self::Program => "install the newest epitome where the agent finds it, then epitome init",
            Self::Twice => "remove either the plugin or the hooks: epitome disconnect",
        }
    }
}

/// Characters that are shown of what a host wrote.
const SHOWN_CHARACTERS: usize = 200;
/// A longer line holds content, not a note of the host.
const LONGEST_LINE: u64 = 16 << 20;

/// The problems in the lines of a transcript, each with the number of its line.
pub(super) fn scan_lines(lines: Box<dyn Read + Send>) -> io::Result<Vec<(u64, SessionProblem)>> {
    let mut reader = BufReader::new(lines);
    let mut scan = SessionScan::default();
    let mut found = Vec::new();
    let mut number = 0;
    loop {
        let mut line = Vec::new();
        if reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(found);
        }
        number += 1;
        // Most lines do not name us, and need not be parsed; a result names only the call it belongs to.
        let is_ours = memchr::memmem::find(&line, b"epitome").is_some() || scan.answers_call(&line);
        if let Some(value) = is_ours.then(|| serde_json::from_slice::<Value>(&line).ok()).flatten() {
            found.extend(scan.read_record(&value).into_iter().map(|problem| (number, problem)));
        }
    }
}

#[derive(Default)]
struct SessionScan {
    /// Calls of our tools that have no result yet.
    calls: HashSet<String>,
    /// Events and the calls they belong to, for which a hook of ours ran.
    ran: HashSet<(String, String)>,
}

impl SessionScan {
    fn answers_call(&self, line: &[u8]) -> bool {
        self.calls.iter().any(|id| memchr::memmem::find(line, id.as_bytes()).is_some())
    }

    fn read_record(&mut self, record: &Value) -> Vec<SessionProblem> {
        let at = ["timestamp", "at", "ts"].iter().find_map(|name| record[*name].as_str()).map(str::to_owned);
        let mut found = self.read_calls(record);
        let by_host = !matches!(record["type"].as_str(), Some("user" | "assistant" | "message" | "response_item"));
        if by_host {
            found.extend(self.read_note(record));
        }
        let note = note_of(record);
        let text = |name: &str| note[name].as_str().map(one_line).filter(|text| by_host && !text.is_empty());
        let event = text("hookEvent").or_else(|| text("hookName"));
        let command = text("command");
        let problem = |(kind, what): (SessionProblemKind, String)| SessionProblem {
            kind,
            at: at.clone(),
            what: one_line(&what),
            event: event.clone(),
            command: command.clone(),
        };
        found.into_iter().map(problem).collect()
    }

    /// Calls of our tools, and results that say that one failed.
    fn read_calls(&mut self, record: &Value) -> Vec<(SessionProblemKind, String)> {
        let parts = record["message"]["content"].as_array().into_iter().flatten();
        let mut found = Vec::new();
        for part in parts {
            let is_ours =
                part["name"].as_str().is_some_and(|name| name.starts_with("mcp__") && name.contains("epitome"));
            if let (true, Some(id)) = (is_ours, part["id"].as_str()) {
                self.calls.insert(id.to_owned());
            }
            let answered = part["tool_use_id"].as_str().is_some_and(|id| self.calls.remove(id));
            if answered && part["is_error"] == true {
                let text = text_of(&part["content"]);
                let is_lost = ["not connected", "Connection closed", "-32000", "disconnected"];
                let kind = if is_lost.iter().any(|word| text.contains(word)) {
                    SessionProblemKind::Server
                } else {
                    SessionProblemKind::Call
                };
                found.push((kind, text));
            }
        }
        found
    }

    /// What the host noted: an error of a hook, a lost server, a program that is not there.
    fn read_note(&mut self, record: &Value) -> Vec<(SessionProblemKind, String)> {
        let note = note_of(record);
        let command = note["command"].as_str().unwrap_or_default();
        let text = ["stderr", "content", "message", "error", "text"].iter().map(|name| text_of(&note[*name]));
        let text = text.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ");
        let is_hook = command.contains("epitome hook") || text.contains("epitome hook");
        let kind = note["type"].as_str().unwrap_or_default();
        let failed = kind.contains("error")
            || note["level"] == "error"
            || note["exitCode"].as_i64().is_some_and(|code| code != 0)
            || ["non-blocking status", "hook error", "timed out"].iter().any(|word| text.contains(word));
        let lacks_program = ["command not found", "No such file or directory", "unrecognized subcommand"];
        if (is_hook || text.contains("epitome")) && lacks_program.iter().any(|word| text.contains(word)) {
            return vec![(SessionProblemKind::Program, text)];
        }
        if is_hook && failed {
            return vec![(SessionProblemKind::Hook, if text.is_empty() { format!("{command} failed") } else { text })];
        }
        let is_server = text.contains("MCP server") && text.contains("epitome");
        let is_lost = ["disconnected", "Connection closed", "failed to connect", "failed to start", "not connected"];
        if is_server && is_lost.iter().any(|word| text.contains(word)) {
            return vec![(SessionProblemKind::Server, text)];
        }
        // The same event of the same call, for which a hook of ours ran before.
        let event = ["hookEvent", "hookName"].iter().find_map(|name| note[*name].as_str());
        let call = ["toolUseID", "tool_use_id"].iter().find_map(|name| note[*name].as_str());
        if let (true, Some(event), Some(call)) = (is_hook, event, call)
            && !self.ran.insert((event.to_owned(), call.to_owned()))
        {
            return vec![(SessionProblemKind::Twice, format!("{event} ran twice for {call}: {command}"))];
        }
        Vec::new()
    }
}

/// What the host noted: the attachment of a record, or the record itself.
fn note_of(record: &Value) -> &Value {
    record.get("attachment").filter(|note| note.is_object()).unwrap_or(record)
}

/// The words of a value that is a text, or a list of parts with texts.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join(" "),
        Value::Object(fields) => fields.get("message").map(text_of).unwrap_or_default(),
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}

/// On one line, without what could drive a terminal.
fn one_line(text: &str) -> String {
    let mut shown: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    shown.retain(|letter| !letter.is_control());
    if let Some((cut, _)) = shown.char_indices().nth(SHOWN_CHARACTERS) {
        shown.truncate(cut);
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(lines: &[Value], wanted: &[(u64, SessionProblemKind, &str)]) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let found = scan_lines(Box::new(io::Cursor::new(text.into_bytes()))).expect("reads");
        let found: Vec<_> = found.iter().map(|(line, problem)| (*line, problem.kind, problem.what.as_str())).collect();
        assert_eq!(found, wanted);
    }

    #[test]
    fn what_a_host_notes_about_us_is_found() {
        check(
            &[
                json!({"type":"attachment","attachment":{"type":"hook_non_blocking_error","command":"epitome hook","stderr":"boom\n\u{1b}[31m","hookEvent":"Stop"}}),
                json!({"type":"system","level":"error","content":"MCP server \"epitome\" disconnected"}),
                json!({"type":"system","content":"/bin/sh: epitome: command not found"}),
            ],
            &[
                (1, SessionProblemKind::Hook, "boom [31m"),
                (2, SessionProblemKind::Server, "MCP server \"epitome\" disconnected"),
                (3, SessionProblemKind::Program, "/bin/sh: epitome: command not found"),
            ],
        );
    }

    #[test]
    fn a_call_that_was_refused_is_found_by_its_result() {
        let call = |id: &str, name: &str| json!({"type":"assistant","message":{"content":[{"type":"tool_use","id":id,"name":name}]}});
        let result = |id: &str, is_error: bool, text: &str| json!({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":id,"is_error":is_error,"content":text}]}});
        check(
            &[
                call("a", "mcp__epitome__recall"),
                result("a", true, "unknown parameter `q`"),
                call("b", "mcp__plugin_epitome_epitome__read"),
                result("b", false, "fine"),
                call("c", "mcp__epitome__read"),
                result("c", true, "MCP error -32000: Connection closed"),
                call("d", "Bash"),
                result("d", true, "epitome failed"),
            ],
            &[
                (2, SessionProblemKind::Call, "unknown parameter `q`"),
                (6, SessionProblemKind::Server, "MCP error -32000: Connection closed"),
            ],
        );
    }

    #[test]
    fn a_hook_that_runs_twice_for_one_event_is_found() {
        let ran = |call: &str| json!({"type":"attachment","attachment":{"type":"hook_success","command":"epitome hook claude-code","hookEvent":"PostToolUse","toolUseID":call}});
        check(
            &[ran("a"), ran("b"), ran("a")],
            &[(3, SessionProblemKind::Twice, "PostToolUse ran twice for a: epitome hook claude-code")],
        );
    }

    #[test]
    fn what_people_say_about_hooks_is_no_problem() {
        check(
            &[
                json!({"type":"user","message":{"content":"why does `epitome hook` exit with hook error: command not found?"}}),
                json!({"type":"assistant","message":{"content":[{"type":"text","text":"MCP server epitome disconnected, I think"}]}}),
                json!({"type":"attachment","attachment":{"type":"hook_success","command":"epitome hook","hookEvent":"Stop"}}),
                json!("epitome hook error"),
            ],
            &[],
        );
    }
}
