//! A text that a session of Claude Code has in its context is not sent again: the server reads in the transcript of whoever
//! makes a call what is before it, and withholds nothing that does not stand there as it was sent.

use crate::process::{Era, Place, Session, initialize, quiet};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

const REFERENCE: &str = "[seen in this session, unchanged: ";
const FILE: &str = "src/long.rs";

fn long_text() -> String {
    let lines: String = (0..80).map(|number| format!("    let number{number} = {number} + {number};\n")).collect();
    format!("pub fn long() {{\n{lines}}}\n")
}

fn long_project() -> Place {
    Place::with_project(&[(FILE, &long_text())])
}

fn open_server<'p>(place: &'p Place, profile: &str, variables: &[(&str, &str)]) -> Session<'p> {
    let mut command = place.command(profile);
    command.env("HOME", place.home.path()).envs(variables.iter().copied());
    let mut server = place.spawn(command);
    server.era = Era::Handshake("2025-06-18");
    server.ask("initialize", initialize("2025-06-18"));
    server.tell(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    server
}

/// A scripted agent that names its calls to the server and writes a transcript of its own.
struct Writer {
    transcript: PathBuf,
    /// The newest line, which the next one follows.
    newest: Option<String>,
    lines: u32,
    /// So many minutes ago it works.
    minutes_ago: i64,
}

impl Writer {
    fn new(place: &Place, file: &str) -> Self {
        let transcript = place.home.path().join(".claude/projects/-p").join(file);
        fs_err::create_dir_all(transcript.parent().expect("a folder")).expect("a folder");
        let mut writer = Self { transcript, newest: None, lines: 0, minutes_ago: 0 };
        writer.prompt("Look at it.");
        writer
    }

    fn line(&mut self, kind: &str, more: &Value) {
        self.lines += 1;
        let uuid = format!("{}-{}", self.transcript.display(), self.lines);
        #[expect(clippy::disallowed_methods, reason = "the program compares with the real time, too")]
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis();
        let at = model::Timestamp(i64::try_from(now).expect("a time") - self.minutes_ago * 60_000).to_string();
        let mut line =
            json!({ "type": kind, "uuid": uuid, "parentUuid": self.newest, "sessionId": "s", "timestamp": at });
        for (name, value) in more.as_object().into_iter().flatten() {
            line[name] = value.clone();
        }
        let mut file = fs_err::OpenOptions::new().create(true).append(true).open(&self.transcript).expect("a file");
        file.write_all(format!("{line}\n").as_bytes()).expect("a line");
        self.newest = Some(uuid);
    }

    fn prompt(&mut self, text: &str) {
        self.line("user", &json!({ "message": { "role": "user", "content": text } }));
    }

    /// The model makes a call; its name.
    fn begin_call(&mut self, tool: &str, arguments: &Value) -> String {
        let call = format!("toolu_{}_{}", self.lines, self.transcript.file_stem().expect("a name").display());
        let used = json!([{ "type": "tool_use", "id": call, "name": tool, "input": arguments }]);
        self.line("assistant", &json!({ "message": { "role": "assistant", "content": used } }));
        call
    }

    /// The model gets the text of a result.
    fn end_call(&mut self, call: &str, text: &str) {
        let text = json!([{ "type": "text", "text": text }]);
        let result = json!([{ "type": "tool_result", "tool_use_id": call, "content": text }]);
        self.line("user", &json!({ "message": { "role": "user", "content": result } }));
    }

    /// Calls a tool of the server from beginning to end.
    fn call(&mut self, server: &mut Session<'_>, tool: &str, arguments: &Value) -> String {
        let call = self.begin_call(&format!("mcp__epitome__{tool}"), arguments);
        let text = ask_server(server, tool, &call, arguments);
        self.end_call(&call, &text);
        text
    }

    fn read(&mut self, server: &mut Session<'_>, target: &str) -> String {
        self.call(server, "read", &json!({ "targets": [target] }))
    }
}

fn ask_server(server: &mut Session<'_>, tool: &str, call: &str, arguments: &Value) -> String {
    let params = json!({ "name": tool, "arguments": arguments, "_meta": { "claudecode/toolUseId": call } });
    let reply = server.ask("tools/call", params);
    assert_ne!(reply["result"]["isError"], true, "{reply}");
    reply["result"]["content"][0]["text"].as_str().expect("text").to_owned()
}

#[track_caller]
fn check_whole(text: &str) {
    assert!(text.contains("let number30 = 30 + 30;") && !text.contains(REFERENCE), "{text}");
}

#[track_caller]
fn check_reference(text: &str, place: &str) {
    assert_eq!(text, format!("{REFERENCE}{place}; ask again for the text]\n"));
}

#[test]
fn a_text_that_a_session_has_is_not_sent_again_until_it_asks_again() {
    let place = long_project();
    let mut server = open_server(&place, "core", &[]);
    let mut session = Writer::new(&place, "s.jsonl");
    check_whole(&session.read(&mut server, FILE));
    check_reference(&session.read(&mut server, FILE), "src/long.rs:1-82");
    check_whole(&session.read(&mut server, FILE));
    check_reference(&session.read(&mut server, "src/long.rs:20-60"), "src/long.rs:20-60");
    check_whole(&session.read(&mut server, "src/long.rs:20-60"));
    assert_eq!(server.end(), quiet());
}

#[test]
fn a_client_that_shows_the_structured_form_has_the_text_as_well() {
    let place = long_project();
    let mut server = open_server(&place, "full", &[]);
    let mut session = Writer::new(&place, "s.jsonl");
    let arguments = json!({ "targets": [FILE] });
    let mut read = || {
        let call = session.begin_call("mcp__epitome__read", &arguments);
        let params = json!({ "name": "read", "arguments": arguments, "_meta": { "claudecode/toolUseId": call } });
        let reply = server.ask("tools/call", params);
        let structured = reply["result"]["structuredContent"].to_string();
        session.end_call(&call, &structured);
        structured
    };
    check_whole(&read());
    let again = read();
    assert!(again.contains(REFERENCE) && !again.contains("let number30"), "{again}");
    check_whole(&read());
}

#[test]
fn another_view_and_a_file_that_was_changed_are_other_texts() {
    let place = long_project();
    let mut server = open_server(&place, "core", &[]);
    let mut session = Writer::new(&place, "s.jsonl");
    check_whole(&session.read(&mut server, FILE));
    let view = session.call(&mut server, "read", &json!({ "targets": [FILE], "mode": "map" }));
    assert!(view.contains("pub fn long()") && !view.contains(REFERENCE), "{view}");
    let edited = long_text().replace("let number40 = 40 + 40;", "let number40 = 80;");
    fs_err::write(place.project.path().join(FILE), edited).expect("a file");
    let text = session.read(&mut server, FILE);
    assert!(text.contains("let number40 = 80;"), "{text}");
    // The same lines further down.
    fs_err::write(place.project.path().join(FILE), format!("// One more line.\n{}", long_text())).expect("a file");
    check_whole(&session.read(&mut server, "src/long.rs:2-83"));
}

#[test]
fn what_is_withheld_is_in_the_ledger_as_measured_and_the_window_is_shown() {
    let place = long_project();
    let mut server = open_server(&place, "core", &[]);
    let mut session = Writer::new(&place, "s.jsonl");
    session.read(&mut server, FILE);
    check_reference(&session.read(&mut server, "src/long.rs:20-60"), "src/long.rs:20-60");
    assert_eq!(server.end(), quiet());
    let value = |arguments: &[&str]| -> Value {
        let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
        command.env_clear().env("EPITOME_HOME", place.home.path()).env("HOME", place.home.path());
        command.arg("--project").arg(place.project.path()).args(["value", "--json"]).args(arguments);
        serde_json::from_slice(&command.output().expect("the binary runs").stdout).expect("JSON")
    };
    let reply = value(&["--entries", "50"]);
    let entries = reply["entries"].as_array().expect("entries");
    let seen: Vec<&Value> = entries.iter().filter(|entry| entry["formula"] == "seen").collect();
    assert_eq!(seen.len(), 1, "{reply}");
    assert_eq!(seen[0]["certainty"], "measured");
    assert!(seen[0]["tokens_avoided"].as_i64().expect("a number") > 300, "{reply}");
    let window = &value(&["--session", "claude-code:s"])["window"];
    assert_eq!(window["results"], 2, "{window}");
    assert_eq!(window["entries"][1]["about"], "src/long.rs:20-60", "{window}");
    assert!(window["entries"][0]["tokens"].as_u64() > window["entries"][1]["tokens"].as_u64(), "{window}");
    assert_eq!(value(&["--session", "claude-code:of-yesterday"])["window"], Value::Null);
}

#[test]
fn a_compaction_and_a_pause_empty_the_window() {
    let place = long_project();
    let mut server = open_server(&place, "core", &[]);
    let mut session = Writer::new(&place, "s.jsonl");
    check_whole(&session.read(&mut server, FILE));
    session.line("system", &json!({ "subtype": "compact_boundary", "content": "Conversation compacted" }));
    check_whole(&session.read(&mut server, FILE));
    check_reference(&session.read(&mut server, FILE), "src/long.rs:1-82");
    let mut session = Writer::new(&place, "another.jsonl");
    session.minutes_ago = 7;
    check_whole(&session.read(&mut server, FILE));
    session.minutes_ago = 0;
    session.prompt("I am back.");
    check_whole(&session.read(&mut server, FILE));
    check_reference(&session.read(&mut server, FILE), "src/long.rs:1-82");
}

#[test]
fn a_sub_agent_has_a_window_of_its_own() {
    let place = long_project();
    let mut server = open_server(&place, "core", &[]);
    let mut session = Writer::new(&place, "s.jsonl");
    let mut helper = Writer::new(&place, "s/subagents/agent-1.jsonl");
    let mut another = Writer::new(&place, "s/subagents/agent-2.jsonl");
    check_whole(&session.read(&mut server, FILE));
    check_whole(&helper.read(&mut server, FILE));
    check_whole(&another.read(&mut server, FILE));
    check_reference(&helper.read(&mut server, FILE), "src/long.rs:1-82");
    check_reference(&session.read(&mut server, FILE), "src/long.rs:1-82");
}

#[test]
fn what_the_user_took_back_was_not_seen() {
    let place = long_project();
    let mut server = open_server(&place, "core", &[]);
    let mut session = Writer::new(&place, "s.jsonl");
    let before = session.newest.clone();
    check_whole(&session.read(&mut server, FILE));
    // The next prompt follows the first one: what was said in between is not in the context.
    session.newest = before;
    session.prompt("Do something else.");
    check_whole(&session.read(&mut server, FILE));
}

#[test]
fn a_reply_that_reached_the_model_otherwise_was_not_seen() {
    let place = long_project();
    let mut server = open_server(&place, "core", &[]);
    let mut session = Writer::new(&place, "s.jsonl");
    let arguments = json!({ "targets": [FILE] });
    for shortened in ["Output too large, saved to a file", "[Request interrupted by user]", ""] {
        let call = session.begin_call("mcp__epitome__read", &arguments);
        check_whole(&ask_server(&mut server, "read", &call, &arguments));
        session.end_call(&call, shortened);
    }
    // Its result is not written.
    let call = session.begin_call("mcp__epitome__read", &arguments);
    check_whole(&ask_server(&mut server, "read", &call, &arguments));
    check_whole(&session.read(&mut server, FILE));
}

#[test]
fn calls_made_at_once_leave_the_second_a_reference_and_the_third_the_text() {
    let place = long_project();
    let mut server = open_server(&place, "core", &[]);
    let mut session = Writer::new(&place, "s.jsonl");
    let arguments = json!({ "targets": [FILE] });
    let calls = [(); 3].map(|()| session.begin_call("mcp__epitome__read", &arguments));
    let first = ask_server(&mut server, "read", &calls[0], &arguments);
    check_whole(&first);
    session.end_call(&calls[0], &first);
    check_reference(&ask_server(&mut server, "read", &calls[1], &arguments), "src/long.rs:1-82");
    check_whole(&ask_server(&mut server, "read", &calls[2], &arguments));
}

#[test]
fn a_server_knows_only_of_its_own_replies() {
    let place = long_project();
    let mut server = open_server(&place, "core", &[]);
    let mut second = open_server(&place, "core", &[]);
    let mut session = Writer::new(&place, "s.jsonl");
    check_whole(&session.read(&mut server, FILE));
    check_whole(&session.read(&mut second, FILE));
    check_reference(&session.read(&mut second, FILE), "src/long.rs:1-82");
    // Who got a reference from one of them asks again, whichever it asks.
    check_whole(&session.read(&mut server, FILE));
    server.kill();
    let mut server = open_server(&place, "core", &[]);
    check_whole(&session.read(&mut server, FILE));
    check_reference(&session.read(&mut server, FILE), "src/long.rs:1-82");
}

#[test]
fn nothing_is_withheld_where_no_transcript_shows_the_call() {
    let place = long_project();
    let mut server = open_server(&place, "core", &[]);
    let mut session = Writer::new(&place, "s.jsonl");
    let arguments = json!({ "targets": [FILE] });
    check_whole(&session.read(&mut server, FILE));
    check_whole(&ask_server(&mut server, "read", "toolu_of_nobody", &arguments));
    let unnamed = server.call("read", arguments.clone());
    check_whole(unnamed["content"][0]["text"].as_str().expect("text"));
    fs_err::remove_file(&session.transcript).expect("a file");
    check_whole(&session.read(&mut server, FILE));
}

#[test]
fn it_can_be_switched_off_and_other_names_and_the_command_line_give_every_text() {
    let place = long_project();
    let mut session = Writer::new(&place, "s.jsonl");
    let mut server = open_server(&place, "core", &[("EPITOME_CONTEXT_WITHHOLD_SEEN", "false")]);
    for _ in 0..2 {
        check_whole(&session.read(&mut server, FILE));
    }
    let mut server = open_server(&place, "memtrace", &[]);
    for _ in 0..2 {
        check_whole(&session.call(&mut server, "get_source_window", &json!({ "symbol_id": FILE, "mode": "raw" })));
    }
    let mut server = open_server(&place, "core", &[]);
    for _ in 0..2 {
        let arguments = json!({ "operation": "read", "arguments": { "targets": [FILE] } });
        check_whole(&session.call(&mut server, "epitome", &arguments));
    }
    check_whole(&session.read(&mut server, FILE));
    let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
    command.env_clear().env("EPITOME_HOME", place.home.path()).env("HOME", place.home.path());
    let output = command.arg("--project").arg(place.project.path()).args(["read", FILE]).output().expect("it runs");
    check_whole(&String::from_utf8(output.stdout).expect("text"));
}

#[test]
fn an_answer_leaves_out_regions_that_the_session_has() {
    let place = long_project();
    let mut server = open_server(&place, "core", &[]);
    let mut session = Writer::new(&place, "s.jsonl");
    let question = json!({ "query": "what does long do with number30", "budget": 3000 });
    let first = session.call(&mut server, "context", &question);
    check_whole(&first);
    let second = session.call(&mut server, "context", &question);
    assert!(second.contains(&format!("{REFERENCE}src/long.rs:1-82;")) && !second.contains("let number30"), "{second}");
    check_whole(&session.call(&mut server, "context", &question));
    check_reference(&session.read(&mut server, "src/long.rs:10-50"), "src/long.rs:10-50");
}
