//! A text that a session of Claude Code has before its model's eyes is not sent again: the server is told by hooks whose
//! call it answers, and withholds nothing that is not certain.

use crate::process::{Era, Place, Session, quiet};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const REFERENCE: &str = "[seen in this session, unchanged: ";

fn long_text() -> String {
    let lines: String = (0..80).map(|number| format!("    let number{number} = {number} + {number};\n")).collect();
    format!("pub fn long() {{\n{lines}}}\n")
}

fn long_project() -> Place {
    Place::with_project(&[("src/long.rs", &long_text())])
}

/// A scripted Claude Code with one server, which announces its calls, names them to the server and writes a transcript.
struct Host<'p> {
    place: &'p Place,
    server: Session<'p>,
    /// The number of lines and calls so far, and the newest line.
    number: usize,
    newest: Option<String>,
}

impl<'p> Host<'p> {
    fn new(place: &'p Place) -> Self {
        Self::with_server(place, place.open("core", Era::Handshake("2025-06-18")))
    }

    fn with_server(place: &'p Place, server: Session<'p>) -> Self {
        let mut host = Self { place, server, number: 0, newest: None };
        host.hook("SessionStart", "", &json!({ "source": "startup" }));
        host.prompt("Look at it.");
        host
    }

    fn transcript(&self) -> PathBuf {
        self.place.home.path().join("transcript.jsonl")
    }

    fn hook(&self, event: &str, agent: &str, more: &Value) {
        let project = fs_err::canonicalize(self.place.project.path()).expect("a path");
        let mut body = json!({
            "session_id": "s", "hook_event_name": event, "cwd": project, "transcript_path": self.transcript(),
        });
        if !agent.is_empty() {
            body["agent_id"] = json!(agent);
        }
        for (name, value) in more.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
        command.args(["hook", event, "--agent", "claude-code"]).env_clear().env("EPITOME_HOME", self.place.home.path());
        command.env("HOME", self.place.home.path()).env("EPITOME_HOOKS_DAEMON_SECONDS", "0");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("the binary starts");
        child.stdin.take().expect("a pipe").write_all(body.to_string().as_bytes()).expect("a reader");
        assert!(child.wait().expect("it ends").success(), "{event}");
    }

    fn line(&mut self, kind: &str, more: &Value) {
        self.number += 1;
        let uuid = format!("u{}", self.number);
        let mut line = json!({ "type": kind, "uuid": uuid, "parentUuid": self.newest, "sessionId": "s", "isSidechain": false, "version": "2.1.325" });
        for (name, value) in more.as_object().into_iter().flatten() {
            line[name] = value.clone();
        }
        let mut file =
            fs_err::OpenOptions::new().create(true).append(true).open(self.transcript()).expect("the transcript");
        file.write_all(format!("{line}\n").as_bytes()).expect("a line");
        self.newest = Some(uuid);
    }

    fn prompt(&mut self, text: &str) {
        self.hook("UserPromptSubmit", "", &json!({ "prompt": text }));
        self.line("user", &json!({ "message": { "role": "user", "content": text } }));
    }

    /// Begins a call of a tool, as the transcript of the session has it.
    fn begin_call(&mut self, agent: &str, tool: &str) -> String {
        let call = format!("toolu_{}", self.number);
        if agent.is_empty() {
            let used = json!([{ "type": "tool_use", "id": call, "name": tool, "input": {} }]);
            self.line("assistant", &json!({ "message": { "role": "assistant", "content": used } }));
        }
        call
    }

    fn end_call(&mut self, agent: &str, event: &str, tool: &str, call: &str, output: &Value) {
        let more = json!({ "tool_name": tool, "tool_input": {}, "tool_use_id": call, "tool_response": output });
        self.hook(event, agent, &more);
        if agent.is_empty() {
            let result = json!([{ "type": "tool_result", "tool_use_id": call, "content": "text" }]);
            self.line("user", &json!({ "message": { "role": "user", "content": result } }));
        }
    }

    fn ask_server(&mut self, tool: &str, call: &str, arguments: &Value) -> String {
        let params = json!({ "name": tool, "arguments": arguments, "_meta": { "claudecode/toolUseId": call } });
        let reply = self.server.ask("tools/call", params);
        assert_eq!(reply["result"]["isError"], false, "{reply}");
        reply["result"]["content"][0]["text"].as_str().expect("text").to_owned()
    }

    fn call_as(&mut self, agent: &str, tool: &str, arguments: &Value) -> String {
        let name = format!("mcp__epitome__{tool}");
        let call = self.begin_call(agent, &name);
        self.hook("PreToolUse", agent, &json!({ "tool_name": name, "tool_input": arguments, "tool_use_id": call }));
        let text = self.ask_server(tool, &call, arguments);
        self.end_call(agent, "PostToolUse", &name, &call, &json!([{ "type": "text", "text": text }]));
        text
    }

    fn read_as(&mut self, agent: &str, target: &str) -> String {
        self.call_as(agent, "read", &json!({ "targets": [target] }))
    }

    fn read(&mut self, target: &str) -> String {
        self.read_as("", target)
    }
}

#[track_caller]
fn check_whole(text: &str) {
    assert!(text.contains("let number30 = 30 + 30;"), "{text}");
}

#[track_caller]
fn check_reference(text: &str, place: &str) {
    assert_eq!(text, format!("{REFERENCE}{place}; ask again, or with fresh: true, for the text]\n"));
}

#[test]
fn a_text_that_a_session_has_is_not_sent_again_until_it_asks_again() {
    let place = long_project();
    let mut host = Host::new(&place);
    check_whole(&host.read("src/long.rs"));
    check_reference(&host.read("src/long.rs"), "src/long.rs:1-82");
    check_whole(&host.read("src/long.rs"));
    check_reference(&host.read("src/long.rs:20-60"), "src/long.rs:20-60");
    check_whole(&host.read("src/long.rs"));
    check_whole(&host.call_as("", "read", &json!({ "targets": ["src/long.rs"], "fresh": true })));
    // A view is another text.
    assert!(host.call_as("", "read", &json!({ "targets": ["src/long.rs"], "mode": "map" })).contains("long"));
    check_reference(&host.read("src/long.rs"), "src/long.rs:1-82");
    check_whole(&host.read("src/long.rs"));
    let edited = long_text().replace("let number40 = 40 + 40;", "let number40 = 80;");
    fs_err::write(place.project.path().join("src/long.rs"), edited).expect("a file");
    let text = host.read("src/long.rs");
    assert!(text.contains("let number40 = 80;"), "{text}");
    assert_eq!(host.server.end(), quiet());
}

#[test]
fn what_was_withheld_is_in_the_ledger_as_measured_and_the_window_is_shown() {
    let place = long_project();
    let mut host = Host::new(&place);
    host.read("src/long.rs");
    let whole = host.read("src/long.rs:20-60");
    assert!(whole.starts_with(REFERENCE), "{whole}");
    host.read("src/long.rs:20-60");
    assert_eq!(host.server.end(), quiet());
    let value = |arguments: &[&str]| -> Value {
        let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
        command.env_clear().env("EPITOME_HOME", place.home.path()).arg("--project").arg(place.project.path());
        let output = command.args(["value", "--json"]).args(arguments).output().expect("the binary runs");
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let reply = value(&["--by", "formula", "--entries", "50"]);
    let entries = reply["entries"].as_array().expect("entries");
    let seen: Vec<&Value> = entries.iter().filter(|entry| entry["formula"] == "seen").collect();
    assert_eq!(seen.len(), 1, "{reply}");
    assert_eq!(seen[0]["certainty"], "measured");
    assert!(seen[0]["tokens_avoided"].as_i64().expect("a number") > 300, "{reply}");
    let window = &value(&["--session", "claude-code:s"])["window"];
    assert_eq!((&window["texts"], &window["places"]), (&json!(1), &json!(["src/long.rs:20-60"])), "{window}");
}

#[test]
fn a_compaction_empties_the_window() {
    for event in ["PreCompact", "PostCompact", "SessionStart"] {
        let place = long_project();
        let mut host = Host::new(&place);
        check_whole(&host.read("src/long.rs"));
        host.hook(event, "", &json!({ "trigger": "auto", "source": "compact" }));
        check_whole(&host.read("src/long.rs"));
    }
    // Nobody told of it, but the transcript shows it.
    let place = long_project();
    let mut host = Host::new(&place);
    check_whole(&host.read("src/long.rs"));
    host.line("system", &json!({ "subtype": "compact_boundary", "content": "Conversation compacted" }));
    check_whole(&host.read("src/long.rs"));
    // A transcript that is gone shows nothing.
    check_reference(&host.read("src/long.rs"), "src/long.rs:1-82");
    check_whole(&host.read("src/long.rs"));
    fs_err::remove_file(host.transcript()).expect("a file");
    check_whole(&host.read("src/long.rs"));
}

#[test]
fn a_sub_agent_has_a_window_of_its_own() {
    let place = long_project();
    let mut host = Host::new(&place);
    check_whole(&host.read("src/long.rs"));
    check_whole(&host.read_as("explorer", "src/long.rs"));
    check_whole(&host.read_as("another", "src/long.rs"));
    check_reference(&host.read_as("explorer", "src/long.rs"), "src/long.rs:1-82");
    check_reference(&host.read("src/long.rs"), "src/long.rs:1-82");
}

#[test]
fn what_the_user_took_back_was_not_seen() {
    let place = long_project();
    let mut host = Host::new(&place);
    let before = host.newest.clone();
    check_whole(&host.read("src/long.rs"));
    host.prompt("Go on.");
    check_reference(&host.read("src/long.rs"), "src/long.rs:1-82");
    check_whole(&host.read("src/long.rs"));
    // The next prompt follows the first one: what was said in between is not before the model's eyes.
    host.newest = before;
    host.prompt("Do something else.");
    check_whole(&host.read("src/long.rs"));
}

#[test]
fn nothing_is_withheld_where_anything_is_not_known() {
    let place = long_project();
    let mut host = Host::new(&place);
    let arguments = json!({ "targets": ["src/long.rs"] });
    for _ in 0..3 {
        // Calls that no hook announced, and calls that have no name.
        let call = host.begin_call("", "mcp__epitome__read");
        check_whole(&host.ask_server("read", &call, &arguments));
        host.end_call("", "PostToolUse", "mcp__epitome__read", &call, &json!("text"));
        let reply = host.server.call("read", arguments.clone());
        check_whole(reply["content"][0]["text"].as_str().expect("text"));
    }
    for event in ["PostToolUseFailure", "Stop"] {
        // The session got an error, or nobody said what it got.
        let call = host.begin_call("", "mcp__epitome__read");
        let announced = json!({ "tool_name": "mcp__epitome__read", "tool_input": arguments, "tool_use_id": call });
        host.hook("PreToolUse", "", &announced);
        check_whole(&host.ask_server("read", &call, &arguments));
        host.end_call("", event, "mcp__epitome__read", &call, &json!("text"));
    }
    check_whole(&host.read("src/long.rs"));
}

#[test]
fn it_can_be_switched_off_and_other_systems_tools_know_nothing_of_it() {
    let place = long_project();
    let mut command = place.command("core");
    command.env("EPITOME_HOOKS_WITHHOLD_SEEN", "false");
    let mut server = place.spawn(command);
    server.era = Era::Handshake("2025-06-18");
    server.ask("initialize", crate::process::initialize("2025-06-18"));
    server.tell(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let mut host = Host::with_server(&place, server);
    for _ in 0..2 {
        check_whole(&host.read("src/long.rs"));
    }
    let mut host = Host::with_server(&place, place.open("memtrace", Era::Handshake("2025-06-18")));
    for _ in 0..2 {
        let arguments = json!({ "symbol_id": "src/long.rs", "mode": "raw" });
        check_whole(&host.call_as("", "get_source_window", &arguments));
    }
}

#[test]
fn what_the_agents_own_tool_showed_is_not_sent_again() {
    let place = long_project();
    let mut host = Host::new(&place);
    let file = fs_err::canonicalize(place.project.path().join("src/long.rs")).expect("a path");
    let output = json!({
        "type": "text",
        "file": { "filePath": file, "content": long_text(), "numLines": 82, "startLine": 1, "totalLines": 82 },
    });
    let call = host.begin_call("", "Read");
    host.end_call("", "PostToolUse", "Read", &call, &output);
    check_reference(&host.read("src/long.rs:2-50"), "src/long.rs:2-50");
    let call = host.begin_call("", "Read");
    host.end_call("", "PostToolUse", "Read", &call, &output);
    for _ in 0..3 {
        let call = host.begin_call("", "Bash");
        host.end_call("", "PostToolUse", "Bash", &call, &json!({ "stdout": "done" }));
    }
    // The agent may have cleared it by now, which nobody tells.
    check_whole(&host.read("src/long.rs:2-50"));
}

#[test]
fn an_answer_leaves_out_regions_that_the_session_has() {
    let place = long_project();
    let mut host = Host::new(&place);
    let question = json!({ "query": "what does long do with number30", "budget": 3000 });
    let first = host.call_as("", "context", &question);
    check_whole(&first);
    let second = host.call_as("", "context", &question);
    assert!(second.contains(&format!("{REFERENCE}src/long.rs:1-82;")) && !second.contains("let number30"), "{second}");
    check_whole(&host.call_as("", "context", &question));
    check_reference(&host.read("src/long.rs:10-50"), "src/long.rs:10-50");
}
