//! A whole day of every agent that calls hooks, in its own published words: one table an agent (`tests/days/`), played
//! against the real binary between `init` and `disconnect`.
//!
//! A row is an event with its body, what it says that must be stored exactly once (`says`), and what the agent must be
//! told (`told`; nothing, where that is missing). `writes` is a line that the agent adds to its own transcript, `as` an
//! agent whose registration runs the hook, and `night` the hour in which everything is taken in. A transcript that would
//! lie inside of `src/lib.rs`, which is a file, can never come: nobody waits for it.

use super::connecting::files;
use super::day::{json_of, times};
use super::host::project;
use super::house::House;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Write as _;

#[test]
fn antigravity() {
    a_day_of("antigravity", include_str!("../../days/antigravity.jsonl"));
}

#[test]
fn auggie() {
    a_day_of("auggie", include_str!("../../days/auggie.jsonl"));
}

#[test]
fn claude_code() {
    a_day_of("claude-code", include_str!("../../days/claude-code.jsonl"));
}

#[test]
fn cline() {
    a_day_of("cline", include_str!("../../days/cline.jsonl"));
}

#[test]
fn codex() {
    a_day_of("codex", include_str!("../../days/codex.jsonl"));
}

#[test]
fn copilot_cli() {
    a_day_of("copilot-cli", include_str!("../../days/copilot-cli.jsonl"));
}

#[test]
fn cursor() {
    a_day_of("cursor", include_str!("../../days/cursor.jsonl"));
}

#[test]
fn gemini_cli() {
    a_day_of("gemini-cli", include_str!("../../days/gemini-cli.jsonl"));
}

#[test]
fn goose() {
    a_day_of("goose", include_str!("../../days/goose.jsonl"));
}

#[test]
fn kiro() {
    a_day_of("kiro", include_str!("../../days/kiro.jsonl"));
}

#[test]
fn opencode() {
    a_day_of("opencode", include_str!("../../days/opencode.jsonl"));
}

#[test]
fn qwen_code() {
    a_day_of("qwen-code", include_str!("../../days/qwen-code.jsonl"));
}

#[test]
fn vs_code() {
    a_day_of("vs-code", include_str!("../../days/vs-code.jsonl"));
}

#[test]
fn windsurf() {
    a_day_of("windsurf", include_str!("../../days/windsurf.jsonl"));
}

fn a_day_of(agent: &str, table: &str) {
    let house = House::new(&[("src/lib.rs", "pub fn parse() {}\n")]);
    let before = files(&house);
    let init = house.run(&["init", "--yes", "--agent", agent], "");
    assert_eq!(init.status, 0, "{}", init.shown());
    let registered = registered(&house);

    let mut called = BTreeSet::new();
    let mut said = Vec::new();
    let mut written = BTreeSet::new();
    for line in table.lines() {
        let row: Value = serde_json::from_str(&placed(&house, line)).expect("a row is JSON");
        if let Some(path) = row["writes"].as_str() {
            written.insert(path.to_owned());
            append(&house, path, row["line"].as_str().expect("a line"));
        } else if row["night"] == true {
            assert_eq!(json_of(&house, &["drain"])["waiting"], 0, "{agent}");
        } else {
            called.extend(row["as"].is_null().then(|| row["event"].as_str().expect("an event").to_owned()));
            play(&house, agent, &row);
        }
        said.extend(row["says"].as_str().map(str::to_owned));
    }
    assert_eq!(called, registered, "the day of {agent} has every event that is registered, and no other");
    assert_eq!(json_of(&house, &["drain"])["waiting"], 0, "{agent}");
    for word in said {
        assert_eq!(times(&house, &word), 1, "{agent} said {word} once");
    }
    assert_eq!(house.run(&["verify"], "").status, 0, "{agent}");
    let doctor = house.run(&["doctor"], "").stdout;
    let about = doctor.lines().find(|line| line.contains(&format!("  {agent}  "))).expect("a line about the agent");
    assert!(about.starts_with("ok") && about.contains("last event") && !about.contains("never"), "{about}");

    for path in written {
        let file = house.home().join(&path);
        fs_err::remove_file(&file).expect("the agent's own file");
        file.ancestors().skip(1).take_while(|folder| fs_err::remove_dir(folder).is_ok()).for_each(drop);
    }
    let gone = house.run(&["disconnect"], "");
    assert_eq!(gone.status, 0, "{}", gone.shown());
    assert_eq!(files(&house), before, "{agent} has its files again as they were");
}

/// Calls a hook as the agent does, and holds what it answers against the row.
fn play(house: &House, agent: &str, row: &Value) {
    let event = row["event"].as_str().expect("an event");
    // VS Code has no hooks of its own: it runs those of others.
    let of = row["as"].as_str().unwrap_or(if agent == "vs-code" { "copilot-cli" } else { agent });
    let ended = house.run(&["hook", event, "--agent", of], &row["body"].to_string());
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""), "{agent} {event}");
    match row["told"].as_str() {
        None => assert_eq!(ended.stdout.trim_end(), row["answer"].as_str().unwrap_or_default(), "{agent} {event}"),
        Some(told) => {
            let answer: Value = serde_json::from_str(&ended.stdout)
                .unwrap_or_else(|error| panic!("{agent} {event} was to be told {told}: {error}: {}", ended.stdout));
            let specific = &answer["hookSpecificOutput"]["additionalContext"];
            let context = specific.as_str().or_else(|| answer["additionalContext"].as_str()).expect("a context");
            assert!(context.contains(told) && context.chars().count() <= 10_000, "{agent} {event}: {context}");
        }
    }
}

/// The events that the agent was told to call us with.
fn registered(house: &House) -> BTreeSet<String> {
    let kept = fs_err::read_to_string(house.home().join("data/connections.json")).expect("connections");
    let kept: Value = serde_json::from_str(&kept).expect("JSON");
    let mut events = BTreeSet::new();
    for connection in kept["connections"].as_array().expect("a list") {
        let path = connection["path"].as_str().expect("a path");
        let text = fs_err::read_to_string(path).expect("a file of the agent");
        let commands = text.split(" hook ").skip(1).filter_map(|rest| rest.split_once(" --agent "));
        events.extend(commands.map(|(event, _)| event.to_owned()).filter(|event| event.len() < 32));
        // A plugin of OpenCode calls by a function.
        let quoted = text.split('"').skip(1).step_by(2);
        let is_event =
            |word: &&str| ["UserPromptSubmit", "PostToolUse", "SessionStart", "Stop", "SessionEnd"].contains(word);
        events.extend(quoted.filter(is_event).map(str::to_owned).filter(|_| path.contains("/opencode/plugins/")));
    }
    events
}

fn placed(house: &House, line: &str) -> String {
    let home = house.home().display().to_string();
    line.replace("$PROJECT", &project(house).display().to_string()).replace("$HOME", &home)
}

fn append(house: &House, path: &str, line: &str) {
    let path = house.home().join(path);
    fs_err::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let mut file = fs_err::OpenOptions::new().create(true).append(true).open(path).expect("the transcript");
    file.write_all(format!("{line}\n").as_bytes()).expect("a line");
}
