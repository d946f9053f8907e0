//! Hooks as agents want them registered.

use super::{Graft, Program};
use serde_json::{Value, json};

/// Events of Claude Code, and of those who took over its names. Not `PreToolUse`: `PostToolUse` brings the same input
/// together with the result, and one process a call is enough.
pub(super) const CLAUDE: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "PreCompact",
    "PostCompact",
    "Stop",
    "SubagentStop",
    "SessionEnd",
];

/// How long an agent may wait for us. We end ourselves long before that; this is for the case that we cannot.
const SECONDS: u64 = 10;

/// In which unit an agent counts time.
#[derive(Clone, Copy)]
pub(super) enum Unit {
    Seconds,
    Milliseconds,
}

/// Groups of commands per event, as Claude Code has them.
pub(super) fn grouped(program: &Program, agent: &str, events: &[&str], unit: Unit) -> Vec<Graft> {
    let timeout = match unit {
        Unit::Seconds => SECONDS,
        Unit::Milliseconds => SECONDS * 1000,
    };
    let group = |event: &str| {
        let command = program.hook(event, agent);
        json!({ "hooks": [{ "type": "command", "command": command, "timeout": timeout }] })
    };
    events.iter().map(|event| element(event, group(event))).collect()
}

/// Plain commands per event, as Cursor has them.
pub(super) fn plain(program: &Program, agent: &str, events: &[&str]) -> Vec<Graft> {
    events.iter().map(|event| element(event, json!({ "command": program.hook(event, agent) }))).collect()
}

/// A file with nothing but our commands, as Copilot reads them.
pub(super) fn whole(program: &Program, agent: &str, events: &[&str]) -> String {
    let command =
        |event: &str| json!([{ "type": "command", "bash": program.hook(event, agent), "timeoutSec": SECONDS }]);
    let hooks: serde_json::Map<String, Value> =
        events.iter().map(|event| ((*event).to_owned(), command(event))).collect();
    let file = json!({ "version": 1, "hooks": hooks });
    format!("{}\n", serde_json::to_string_pretty(&file).expect("a value can be written to memory"))
}

fn element(event: &str, value: Value) -> Graft {
    Graft::Element { path: vec!["hooks".to_owned(), event.to_owned()], value }
}
