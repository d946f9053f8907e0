//! Checkpoints, reflections and suggestions over hooks and the command line, as an agent and its user meet them.

use super::host::{Host, Writes};
use super::house::House;
use serde_json::{Value, json};

const ERROR: &str = "error: failed to parse lock file at Cargo.lock";

fn ask(house: &House, arguments: &[&str]) -> Value {
    let ended = house.run(&[arguments, &["--json"][..]].concat(), "");
    serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{}", ended.shown()))
}

fn context(answer: &Value) -> &str {
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default()
}

fn fail(host: &Host<'_>, call: &str) -> Value {
    let input = json!({ "command": "cargo build" });
    let body = json!({ "tool_name": "Bash", "tool_input": input, "tool_use_id": call, "error": ERROR });
    host.hook("PostToolUseFailure", &body)
}

#[test]
fn an_error_that_is_met_again_is_answered_with_what_failed_before() {
    let house = House::new(&[("Cargo.toml", "[package]")]);
    let mut host = Host::new(&house, "one", Writes::Nothing);
    host.start("startup");
    assert_eq!(fail(&host, "t1"), Value::Null, "nothing is known of it");
    let lesson = ["reflection", "add", "sed -i on the lock file", "--outcome", "failure", "--context", ERROR];
    assert_eq!(ask(&house, &lesson)["outcome"], "new");
    let told = fail(&host, "t2");
    assert!(context(&told).contains("tried before, and failed: sed -i on the lock file"), "{told}");
    assert_eq!(fail(&host, "t3"), Value::Null, "it is told once");
}

#[test]
fn qwen_code_is_told_as_well() {
    let house = House::new(&[("Cargo.toml", "[package]")]);
    let lesson = ["reflection", "add", "sed -i on the lock file", "--outcome", "failure", "--context", ERROR];
    assert_eq!(ask(&house, &lesson)["outcome"], "new");
    let body = json!({
        "session_id": "q", "hook_event_name": "PostToolUseFailure", "cwd": house.command(&[]).get_current_dir(),
        "tool_name": "run_shell_command", "tool_input": { "command": "cargo build" }, "tool_use_id": "toolu_1",
        "tool_call_id": "call_1", "error": ERROR,
    });
    let ended = house.run(&["hook", "PostToolUseFailure", "--agent", "qwen-code"], &body.to_string());
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{}", ended.shown()));
    assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "PostToolUseFailure");
    assert!(context(&answer).contains("tried before, and failed: sed -i on the lock file"), "{answer}");
}

#[test]
fn a_command_that_cannot_be_taken_back_is_a_checkpoint_before_it_runs() {
    let house = House::new(&[("Cargo.toml", "[package]")]);
    let mut host = Host::new(&house, "one", Writes::Nothing);
    host.start("startup");
    host.prompt("Publish it.");
    house.run(&["drain"], "");
    let call = |event: &str, command: &str, call: &str| {
        let input = json!({ "command": command });
        let mut body = json!({ "tool_name": "Bash", "tool_input": input, "tool_use_id": call });
        if event == "PostToolUse" {
            body["tool_response"] = json!("done");
        }
        assert_eq!(host.hook(event, &body), Value::Null, "the agent is told nothing of it");
    };
    let made = || {
        let listed = house.run(&["checkpoint", "list", "--json"], "").stdout;
        let listed: Value = serde_json::from_str(&listed).expect("JSON");
        let described = |it: &Value| it["details"]["description"].as_str().map(str::to_owned);
        listed["checkpoints"].as_array().expect("a list").iter().filter_map(described).collect::<Vec<_>>()
    };
    call("PreToolUse", "cargo test", "t1");
    assert!(made().is_empty());
    call("PreToolUse", "git push origin main", "t2");
    assert_eq!(made(), ["before `git push origin main`"], "its result is not known yet");
    call("PostToolUse", "git push origin main", "t2");
    assert_eq!(made(), ["before `git push origin main`"]);
    // An agent that calls no hook before it.
    call("PostToolUse", "rm -r build", "t3");
    assert_eq!(made(), ["at `rm -r build`", "before `git push origin main`"]);
}

#[test]
fn the_plan_of_an_agent_becomes_checkpoints_by_itself() {
    let house = House::new(&[("Cargo.toml", "[package]")]);
    let mut host = Host::new(&house, "one", Writes::Nothing);
    host.start("startup");
    host.prompt("Port the parser to the new grammar.");
    let plan = |status: &str, call: &str| {
        let todos = json!([{ "content": "read it", "status": status }, { "content": "write it", "status": "pending" }]);
        let body = json!({ "tool_name": "TodoWrite", "tool_input": { "todos": todos }, "tool_use_id": call, "tool_response": "ok" });
        assert_eq!(host.hook("PostToolUse", &body), Value::Null, "an agent is told nothing of it");
    };
    plan("in_progress", "t1");
    plan("completed", "t2");
    assert_eq!(host.hook("PreCompact", &json!({ "trigger": "auto" })), Value::Null);
    house.run(&["drain"], "");
    let listed = ask(&house, &["checkpoint", "list"]);
    let told: Vec<&str> = listed["checkpoints"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|it| it["details"]["description"].as_str())
        .collect();
    assert_eq!(
        told,
        ["before the context was compacted", "1 of 2 steps are done", "the plan changed: 0 of 2 steps are done"]
    );
    let loaded = house.run(&["checkpoint", "resume"], "").stdout;
    assert!(loaded.contains("[x] read it") && loaded.contains("[ ] write it"), "{loaded}");
    assert!(loaded.contains("asked: Port the parser"), "{loaded}");
    let proof = house.run(&["verify"], "");
    assert!(proof.status == 0 && proof.stdout.contains("3 session records there and unchanged"), "{}", proof.shown());
}

#[test]
fn a_word_that_a_prompt_mentions_is_told_with_the_next_prompt_and_never_unasked() {
    let source = "pub fn parse_header(line: &str) -> usize {\n    line.len()\n}\n";
    let house = House::new(&[("Cargo.toml", "[package]"), ("src/lib.rs", source)]);
    assert_eq!(house.run(&["index"], "").status, 0);
    let mut host = Host::new(&house, "one", Writes::Nothing);
    host.start("startup");
    assert_eq!(
        ask(&house, &["subscription", "add", "parse_header", "--pattern", "keyword"])["subscriptions"][0]["status"],
        "active"
    );
    host.prompt("Why does parse_header count bytes?");
    house.run(&["drain"], "");
    let told = host.prompt("And what about the tests of it?");
    assert!(told.contains("`parse_header` was mentioned") && told.contains("src/lib.rs#parse_header"), "{told}");
    assert!(!host.prompt("Go on with the tests then.").contains("was mentioned"), "it is told once");
    let listed = ask(&house, &["suggestion", "list", "--include-delivered"]);
    assert_eq!(listed["suggestions"][0]["status"], "delivered");
    assert_eq!(house.run(&["suggestion", "list"], "").status, 3);
}

#[test]
fn what_is_saved_survives_a_backup() {
    let house = House::new(&[("Cargo.toml", "[package]")]);
    let state = r#"{"query":"port it","plan":["read","write"],"currentStepIndex":1}"#;
    let saved = ask(&house, &["checkpoint", "save", "--session", "mine", "--state", state]);
    let id = saved["checkpoints"][0]["id"].as_str().expect("an id").to_owned();
    let file = house.home().join("b.backup");
    let file = file.to_str().expect("a path");
    let written = house.run(&["backup", "create", file], "");
    assert_eq!(written.status, 0, "{}", written.shown());
    let other = House::new(&[]);
    let restored = other.run(&["backup", "load", file], "");
    assert_eq!(restored.status, 0, "{}", restored.shown());
    assert_eq!(ask(&other, &["checkpoint", "load", &id])["checkpoints"][0]["state"]["query"], "port it");
}

#[test]
fn the_cursor_of_an_editor_is_told_to_the_next_prompt() {
    let source = "pub fn parse_header(line: &str) -> usize {\n    line.len()\n}\n";
    let house = House::new(&[("Cargo.toml", "[package]"), ("src/lib.rs", source)]);
    assert_eq!(house.run(&["index"], "").status, 0);
    let mut host = Host::new(&house, "one", Writes::Nothing);
    host.start("startup");
    assert_eq!(house.run(&["suggestion", "near", "src/lib.rs:2"], "").status, 3, "nobody asked");
    let asked = ["subscription", "add", "src/**", "--trigger", "cursor_proximity"];
    assert_eq!(ask(&house, &asked)["subscriptions"][0]["trigger_type"], "cursor_proximity");
    let made = ask(&house, &["suggestion", "near", "src/lib.rs:2"]);
    assert_eq!(made["suggestions"][0]["items"][0], json!({ "kind": "near", "place": "src/lib.rs#parse_header" }));
    let told = host.prompt("Why is this so slow?");
    assert!(told.contains("the cursor is at src/lib.rs#parse_header"), "{told}");
    let daily = ask(&house, &["subscription", "add", "function", "--pattern", "entity_type", "--every", "1d"]);
    assert_eq!(
        (&daily["subscriptions"][0]["trigger_type"], &daily["subscriptions"][0]["every_s"]),
        (&json!("schedule"), &json!(86_400))
    );
    let shown = house.run(&["subscription", "list"], "").stdout;
    assert!(shown.contains("active · schedule every 1 day · every session"), "{shown}");
    let refused = house.run(&["subscription", "add", "src/**", "--every", "daily"], "");
    assert!(refused.stderr.contains("is no stretch of time"), "{}", refused.shown());
}
