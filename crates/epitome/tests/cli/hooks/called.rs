//! However a hook is called, the agent goes on: exit status 0, nothing but an answer, and what came is kept.

use super::house::House;
use serde_json::{Value, json};
use std::ffi::{OsStr, OsString};
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStringExt as _;
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Much longer than any deadline of a hook, so that only one that never ends is not done by then.
const HANG_TIMEOUT: Duration = Duration::from_mins(2);

fn body(prompt: &str) -> String {
    json!({ "hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": "/nowhere", "prompt": prompt }).to_string()
}

fn failures(house: &House) -> Vec<String> {
    let text = fs_err::read_to_string(house.home().join("state/hooks.jsonl")).unwrap_or_default();
    let failure =
        |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["failure"].as_str().map(str::to_owned);
    text.lines().filter_map(failure).collect()
}

fn stored(house: &House) -> i64 {
    let drained: Value = serde_json::from_str(&house.run(&["drain", "--json"], "").stdout).expect("JSON");
    drained["stored"].as_i64().expect("a number")
}

#[test]
fn arguments_that_nobody_knows_do_not_hold_an_agent_up() {
    for arguments in [
        &["hook", "UserPromptSubmit", "--bogus"][..],
        &["hook", "--bogus", "UserPromptSubmit"],
        &["hook", "UserPromptSubmit", "extra", "words"],
        &["hook", "UserPromptSubmit", "--agent"],
        &["--bogus", "hook", "UserPromptSubmit"],
        // The body names the event.
        &["hook"],
    ] {
        let house = House::new(&[]);
        assert_eq!(house.run(arguments, &body("hello quokka")).shown(), "", "{arguments:?}");
        assert_eq!(stored(&house), 1, "{arguments:?}");
    }
}

#[test]
fn a_tool_that_failed_is_kept_with_what_went_wrong() {
    let house = House::new(&[]);
    let body = json!({
        "hook_event_name": "PostToolUseFailure", "session_id": "s", "cwd": "/nowhere", "tool_name": "Bash",
        "tool_input": { "command": "make wombat" }, "tool_use_id": "t1", "error": "make: no rule for wombat",
    });
    assert_eq!(house.run(&["hook", "PostToolUseFailure", "--agent", "claude-code"], &body.to_string()).shown(), "");
    assert_eq!(stored(&house), 1);
    let found =
        house.run(&["grep", "no rule for wombat", "--mode", "full_text", "--within", "all", "--json"], "").stdout;
    assert_eq!(serde_json::from_str::<Value>(&found).expect("JSON")["total"], 1, "{found}");
}

#[test]
fn arguments_that_are_no_text_do_not_hold_an_agent_up() {
    let house = House::new(&[]);
    let odd = OsString::from_vec(b"--b\xff".to_vec());
    let mut command = house.command(&["hook", "UserPromptSubmit"]);
    command.arg(OsStr::new(&odd)).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    child.stdin.take().expect("standard input").write_all(body("hello quokka").as_bytes()).expect("it is read");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), output.stdout, output.stderr), (Some(0), Vec::new(), Vec::new()));
    assert_eq!(stored(&house), 1);
}

#[test]
fn a_call_without_the_name_of_an_event_leaves_a_mark() {
    let house = House::new(&[]);
    assert_eq!(house.run(&["hook"], "{}").shown(), "");
    assert_eq!(failures(&house), ["no-event"]);
    let help = house.run(&["hook", "--help"], "");
    assert!(help.status == 0 && help.stdout.contains("Usage: epitome hook"), "{}", help.shown());
}

/// Starts a hook that is told something, and whose standard input stays open until it has ended; what it said.
#[track_caller]
fn kept_open(house: &House, words: &str) -> String {
    let mut command = house.command(&["hook", "UserPromptSubmit"]);
    let mut child: Child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut input = child.stdin.take().expect("standard input");
    input.write_all(words.as_bytes()).expect("it reads");
    input.flush().expect("it reads");
    let mut output = child.stdout.take().expect("standard output");
    let (done, is_done) = mpsc::channel();
    std::thread::spawn(move || {
        let mut said = String::new();
        let _ = output.read_to_string(&mut said);
        done.send((child.wait().expect("it ends").code(), said))
    });
    let (status, said) = is_done.recv_timeout(HANG_TIMEOUT).expect("it ends while its input is open");
    drop(input);
    assert_eq!(status, Some(0));
    said
}

#[test]
fn half_an_object_and_an_input_that_stays_open_do_not_hold_an_agent_up() {
    let house = House::new(&[]);
    let whole = body("hello quokka");
    assert_eq!(kept_open(&house, &whole[..whole.len() / 2]), "");
    assert_eq!(failures(&house), ["unfinished", "no-object"]);
    // What had come is there for whoever wants to look at it.
    let spool = fs_err::read_dir(house.home().join("data/spool")).expect("a spool");
    let kept = spool.filter_map(|entry| fs_err::read_to_string(entry.expect("an entry").path()).ok());
    assert!(kept.collect::<String>().contains("UserPromptSubmit"));
}

#[test]
fn a_whole_object_is_kept_and_answered_while_the_input_stays_open() {
    let house = House::new(&[]);
    let cwd = house.command(&[]).get_current_dir().expect("a directory").to_owned();
    let prompt =
        |session: &str, prompt: &str| json!({ "session_id": session, "cwd": cwd, "prompt": prompt }).to_string();
    assert_eq!(kept_open(&house, &prompt("one", "The quokka decided that harbours need a lighthouse.")), "");
    assert_eq!(stored(&house), 1);
    let told = kept_open(&house, &prompt("two", "What did the quokka decide about harbours?"));
    assert!(told.contains("lighthouse"), "{told}");
    assert_eq!(failures(&house), Vec::<String>::new());
}
