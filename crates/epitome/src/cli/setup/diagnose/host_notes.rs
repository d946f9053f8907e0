//! Finds in what the host of a session noted what went wrong with Epitome: an error of a hook, a lost server, a program
//! that is not there, a hook that ran twice.

use super::problem::{SessionProblem, SessionProblemKind, one_line};
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;

/// A status that is told so many lines behind our command, without naming it, is that of our command.
const STATUS_DISTANCE: u64 = 5;

#[derive(Default)]
pub(super) struct HostNotes {
    /// Events and the calls they belong to, for which a hook of ours ran.
    ran: HashSet<(String, String)>,
    /// Programs that are gone, each of which is told once in a session.
    gone: HashSet<String>,
    /// The line on which the host last ran a hook of ours, with its command.
    ran_at: Option<(u64, String)>,
}

impl HostNotes {
    /// Whether a line may tell the status of our command although it does not name us.
    pub(super) fn is_near_command(&self, number: u64) -> bool {
        self.ran_at.as_ref().is_some_and(|(at, _)| number > *at && number - at <= STATUS_DISTANCE)
    }

    pub(super) fn read_record(&mut self, number: u64, record: &Value) -> Vec<SessionProblem> {
        // What a person or a model says about hooks is no note of the host.
        if matches!(record["type"].as_str(), Some("user" | "assistant" | "message" | "response_item")) {
            return Vec::new();
        }
        let note = note_of(record);
        let text = |name: &str| note[name].as_str().map(one_line).filter(|text| !text.is_empty());
        let at = ["timestamp", "at", "ts"].iter().find_map(|name| record[*name].as_str()).map(str::to_owned);
        let event = text("hookEvent").or_else(|| text("hookName"));
        let command = text("command").or_else(|| self.failed_command(number, note));
        let found = self.read_note(number, note, command.as_deref());
        let problem = |(kind, what): (SessionProblemKind, String)| SessionProblem {
            kind,
            at: at.clone(),
            what: one_line(&what),
            event: event.clone(),
            command: command.clone(),
        };
        found.into_iter().map(problem).collect()
    }

    /// Our command that ran a few lines before, where a note tells of a failure and not of which command.
    fn failed_command(&mut self, number: u64, note: &Value) -> Option<String> {
        let is_failure = note["exitCode"].as_i64().is_some_and(|code| code != 0) && self.is_near_command(number);
        // Taken out: one failure is told of one run.
        is_failure.then(|| self.ran_at.take()).flatten().map(|(_, command)| command)
    }

    fn read_note(&mut self, number: u64, note: &Value, command: Option<&str>) -> Vec<(SessionProblemKind, String)> {
        let command = command.unwrap_or_default();
        let text = ["stderr", "content", "message", "error", "text"].iter().map(|name| text_of(&note[*name]));
        let text = text.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ");
        let holds = |words: &[&str]| words.iter().any(|word| text.contains(word));
        let is_hook = command.contains("epitome hook") || text.contains("epitome hook");
        let failed = note["type"].as_str().unwrap_or_default().contains("error")
            || note["level"] == "error"
            || note["exitCode"].as_i64().is_some_and(|code| code != 0)
            || holds(&["non-blocking status", "hook error"]);
        let lacks_program = ["command not found", "No such file or directory", "unrecognized subcommand"];
        if (is_hook || text.contains("epitome")) && holds(&lacks_program) {
            return vec![(SessionProblemKind::Program, text)];
        }
        if is_hook && holds(&["timed out", "timeout"]) {
            return vec![(SessionProblemKind::Late, text)];
        }
        if is_hook && failed {
            return vec![(SessionProblemKind::Hook, if text.is_empty() { format!("{command} failed") } else { text })];
        }
        let is_lost = ["disconnected", "Connection closed", "failed to connect", "failed to start", "not connected"];
        if text.contains("MCP server") && text.contains("epitome") && holds(&is_lost) {
            return vec![(SessionProblemKind::Server, text)];
        }
        if !is_hook {
            return Vec::new();
        }
        if !command.is_empty() {
            self.ran_at = Some((number, command.to_owned()));
        }
        let gone = gone_program(command).filter(|program| self.gone.insert((*program).to_owned()));
        let gone = gone.map(|program| {
            (SessionProblemKind::Program, format!("hooks of this session ran {program}, which is not there any more"))
        });
        // The same event of the same call, for which a hook of ours ran before.
        let event = ["hookEvent", "hookName"].iter().find_map(|name| note[*name].as_str());
        let call = ["toolUseID", "tool_use_id"].iter().find_map(|name| note[*name].as_str());
        let twice = event.zip(call).filter(|(event, call)| !self.ran.insert(((*event).into(), (*call).into())));
        let twice =
            twice.map(|(event, call)| (SessionProblemKind::Twice, format!("{event} ran twice for {call}: {command}")));
        gone.into_iter().chain(twice).collect()
    }
}

/// The program of a command, where it is named by its whole path and is not there any more.
fn gone_program(command: &str) -> Option<&str> {
    let program = command.split_whitespace().next()?.trim_matches(['"', '\'']);
    let path = Path::new(program);
    (path.is_absolute() && program.contains("epitome") && !path.exists()).then_some(program)
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
