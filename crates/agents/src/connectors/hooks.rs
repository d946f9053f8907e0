//! Builds the hook entries that connectors write into agents' settings, in the forms that agents expect: groups of
//! commands or plain commands for each event, hook files and scripts. Each runs `epitome hook`, with a timeout in the
//! agent's unit.

use super::program::shell_word;
use super::{Graft, Program};
use crate::event_kind_named;
use model::EventKind;
use serde_json::{Value, json};

/// Events of Claude Code. A tool that failed has an event of its own.
pub(crate) const CLAUDE: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PreCompact",
    "PostCompact",
    "Stop",
    "SubagentStop",
    "SessionEnd",
];

/// The tool that an agent runs commands with. Of other tools `PostToolUse` brings the same input together with the result,
/// and one process a call is enough; a command that cannot be taken back is to be known before it runs.
const SHELL: &str = "Bash";

/// How long an agent may wait for us. We end ourselves long before that; this is for the case that we cannot.
pub(crate) const HOOK_TIMEOUT_SECONDS: u64 = 10;

/// In which unit an agent counts time.
#[derive(Clone, Copy)]
pub(crate) enum TimeoutUnit {
    Seconds,
    Milliseconds,
}

/// Groups of commands per event, as Claude Code has them.
pub(crate) fn grouped_hooks(program: &Program, agent: &str, events: &[&str], unit: TimeoutUnit) -> Vec<Graft> {
    grouped_hooks_within(program, agent, events, |_| match unit {
        TimeoutUnit::Seconds => HOOK_TIMEOUT_SECONDS,
        TimeoutUnit::Milliseconds => HOOK_TIMEOUT_SECONDS * 1000,
    })
}

/// The same for an agent that gives some events less time, in its own unit.
pub(crate) fn grouped_hooks_within(
    program: &Program,
    agent: &str,
    events: &[&str],
    timeout: impl Fn(&str) -> u64,
) -> Vec<Graft> {
    let group = |event: &str| {
        let timeout = timeout(event);
        let command = program.hook_command(event, agent);
        let mut group = json!({ "hooks": [{ "type": "command", "command": command, "timeout": timeout }] });
        if event_kind_named(event) == EventKind::Call {
            group["matcher"] = SHELL.into();
        }
        group
    };
    events.iter().map(|event| hook_element(event, group(event))).collect()
}

/// Plain commands per event, as Cursor has them.
pub(crate) fn plain_hooks(program: &Program, agent: &str, events: &[&str]) -> Vec<Graft> {
    events.iter().map(|event| hook_element(event, json!({ "command": program.hook_command(event, agent) }))).collect()
}

/// The same without a word on the screen, as Windsurf has them.
pub(crate) fn silent_hooks(program: &Program, agent: &str, events: &[&str]) -> Vec<Graft> {
    let command = |event: &str| json!({ "command": program.hook_command(event, agent), "show_output": false });
    events.iter().map(|event| hook_element(event, command(event))).collect()
}

/// One command, as most agents write it.
pub(crate) fn command_hook(program: &Program, agent: &str, event: &str) -> Value {
    json!({ "type": "command", "command": program.hook_command(event, agent), "timeout": HOOK_TIMEOUT_SECONDS })
}

/// A file with nothing but our groups of commands, as plugins have them.
pub(crate) fn grouped_file(program: &Program, agent: &str, events: &[&str]) -> String {
    let group = |event: &str| json!([{ "hooks": [command_hook(program, agent, event)] }]);
    let hooks: serde_json::Map<String, Value> =
        events.iter().map(|event| ((*event).to_owned(), group(event))).collect();
    render_json(&json!({ "hooks": hooks }))
}

/// A file with a list of our triggers, as Kiro reads them.
pub(crate) fn trigger_file(program: &Program, agent: &str, triggers: &[&str]) -> String {
    let hook = |trigger: &&str| {
        let action = json!({ "type": "command", "command": program.hook_command(trigger, agent) });
        json!({ "name": format!("epitome-{trigger}"), "trigger": trigger, "action": action, "timeout": HOOK_TIMEOUT_SECONDS })
    };
    render_json(&json!({ "version": "v1", "hooks": triggers.iter().map(hook).collect::<Vec<_>>() }))
}

/// A program of its own for one event, as Auggie runs them.
pub(crate) fn hook_script(program: &Program, agent: &str, event: &str) -> String {
    format!("#!/bin/sh\n{}\n", program.hook_command(event, agent))
}

/// The same for Cline, which requires an answer on standard output.
pub(crate) fn answering_script(program: &Program, agent: &str, event: &str) -> String {
    format!("{}printf '{{\"cancel\": false}}\\n'\n", hook_script(program, agent, event))
}

/// A script by its path, as Auggie has them. The conversation is passed on at the end of a turn, and only if the hook
/// asks for it.
pub(crate) fn script_hook(path: &str, event: &str) -> Graft {
    let mut group = json!({ "hooks": [{ "type": "command", "command": shell_word(path), "timeout": HOOK_TIMEOUT_SECONDS * 1000 }] });
    // Auggie runs a hook for tools only if its matcher names them, and passes on the conversation of a turn only if a
    // hook asks for it.
    match event {
        "PostToolUse" => group["matcher"] = ".*".into(),
        "Stop" => group["metadata"] = json!({ "includeConversationData": true }),
        _ => {}
    }
    hook_element(event, group)
}

/// A file with nothing but our commands, as Copilot reads them.
pub(crate) fn command_file(program: &Program, agent: &str, events: &[&str]) -> String {
    let command = |event: &str| json!([{ "type": "command", "bash": program.hook_command(event, agent), "timeoutSec": HOOK_TIMEOUT_SECONDS }]);
    let hooks: serde_json::Map<String, Value> =
        events.iter().map(|event| ((*event).to_owned(), command(event))).collect();
    render_json(&json!({ "version": 1, "hooks": hooks }))
}

/// The events that a text runs us with: as a command, or by the function of a plugin.
pub(crate) fn events_in(text: &str) -> Vec<String> {
    let is_name = |word: &&str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let commands = text.split(" hook ").skip(1).filter_map(|rest| rest.split_once(" --agent ")).map(|(event, _)| event);
    // Our plugin for OpenCode is a program: it hands events on by calling `tell("…")`, or maps names in one table.
    let told = text.split("tell(\"").skip(1).filter_map(|rest| rest.split('"').next());
    let named = text
        .lines()
        .filter(|line| line.contains("const names = {"))
        .flat_map(|line| line.split(": \"").skip(1).filter_map(|rest| rest.split('"').next()));
    commands.chain(told).chain(named).filter(is_name).map(str::to_owned).collect()
}

fn render_json(value: &Value) -> String {
    format!("{}\n", serde_json::to_string_pretty(value).expect("a value can be written to memory"))
}

fn hook_element(event: &str, value: Value) -> Graft {
    Graft::Element { path: vec!["hooks".to_owned(), event.to_owned()], value }
}
