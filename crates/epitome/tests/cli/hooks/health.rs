//! Health: what agents wrote down themselves against what was taken in, hooks that fell silent, a program that moved.

use super::house::House;
use agents::connectors::Connector;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

const TRANSCRIPT: &str = ".claude/projects/-project/monday.jsonl";

/// A house whose Claude Code is connected.
fn connected() -> House {
    let house = House::new(&[]);
    house.write_home(".claude/settings.json", b"{}");
    assert_eq!(house.run(&["init", "--yes"], "").status, 0);
    house
}

/// Writes lines into its transcript, so long ago.
fn write_transcript(house: &House, lines: std::ops::Range<u32>, ago: Duration) {
    let line = |number: u32| {
        json!({
            "type": "user", "uuid": format!("u{number}"), "parentUuid": null, "sessionId": "monday",
            "timestamp": "2026-08-01T10:00:00.000Z", "cwd": "/p", "version": "2.1.300",
            "message": { "role": "user", "content": format!("Line {number} of the pangolin.") },
        })
    };
    let text: String = lines.map(|number| format!("{}\n", line(number))).collect();
    house.write_home(TRANSCRIPT, text.as_bytes());
    set_age(&house.home().join(TRANSCRIPT), ago);
}

#[expect(clippy::disallowed_methods, reason = "the program compares with the real time, too")]
pub(crate) fn set_age(path: &Path, ago: Duration) {
    let file = fs_err::OpenOptions::new().append(true).open(path).expect("a file");
    file.set_modified(SystemTime::now() - ago).expect("a time");
}

fn transcripts(house: &House, arguments: &[&str]) -> String {
    let doctor = house.run(&[&["doctor"], arguments].concat(), "");
    let line = doctor.stdout.lines().find(|line| line.contains("  transcripts  "));
    line.unwrap_or_else(|| panic!("{}", doctor.shown())).to_owned()
}

const HOUR: Duration = Duration::from_hours(1);

#[test]
fn lines_that_nobody_took_in_are_counted_and_taken_in_when_asked() {
    let house = connected();
    write_transcript(&house, 0..3, HOUR);
    assert!(transcripts(&house, &[]).ends_with("claude-code: 1 transcript of 1 behind, by 3 lines"));
    let status = house.run(&["status"], "");
    assert!(status.stdout.contains("in 1 transcript; epitome import\n"), "{}", status.shown());

    assert!(transcripts(&house, &["--fix"]).ends_with("1 transcript taken in; 3 lines were taken in now"));
    assert!(transcripts(&house, &[]).ends_with("claude-code: 1 transcript taken in"));
    assert!(!house.run(&["status"], "").stdout.contains("epitome import"));
    let found: Value =
        serde_json::from_str(&house.run(&["grep", "pangolin", "--within", "all", "--json"], "").stdout).expect("JSON");
    assert_eq!(found["total"], 3);

    write_transcript(&house, 0..5, HOUR);
    assert!(transcripts(&house, &[]).ends_with("claude-code: 1 transcript of 1 behind, by 2 lines"));
    write_transcript(&house, 0..5, Duration::ZERO);
    assert!(transcripts(&house, &[]).ends_with("1 transcript taken in"), "what was just written may be on its way");
}

#[test]
fn an_agent_that_writes_and_calls_no_hook_is_noticed() {
    let house = connected();
    set_age(&house.home().join("data/connections.json"), 3 * HOUR);
    write_transcript(&house, 0..3, HOUR);
    let line = transcripts(&house, &[]);
    assert!(line.starts_with("PROBLEM") && line.ends_with("called no hook: no event ever came"), "{line}");

    house.run(&["hook", "Stop"], &json!({ "session_id": "monday" }).to_string());
    let line = transcripts(&house, &[]);
    assert!(line.contains("3 lines"), "its hooks are heard, so only the lines are told: {line}");
}

#[test]
fn a_single_hook_that_does_not_fire_is_named() {
    let house = connected();
    // Registered before the session began, which has dates of its own.
    let long_ago = Duration::from_hours(24 * 365 * 10);
    set_age(&house.home().join("data/connections.json"), long_ago);
    let line = |number: u32, kind: &str, content: Value| {
        json!({
            "type": kind, "uuid": format!("u{number}"), "parentUuid": null, "sessionId": "monday",
            "timestamp": format!("2026-08-01T10:{number:02}:00.000Z"), "cwd": "/p", "version": "2.1.300",
            "message": { "id": format!("m{number}"), "role": kind, "content": content },
        })
    };
    let call = |number: u32| json!([{ "type": "tool_use", "id": format!("t{number}"), "name": "Bash", "input": {} }]);
    let result =
        |number: u32| json!([{ "type": "tool_result", "tool_use_id": format!("t{number}"), "content": "done" }]);
    let turn = |turn: u32| {
        let at = turn * 4;
        [
            line(at, "user", json!(format!("Look at pangolin {turn}."))),
            line(at + 1, "assistant", call(at)),
            line(at + 2, "user", result(at)),
            line(at + 3, "assistant", json!([{ "type": "text", "text": "It sleeps." }])),
        ]
    };
    let text: String = (0..3).flat_map(turn).map(|line| format!("{line}\n")).collect();
    house.write_home(TRANSCRIPT, text.as_bytes());
    for event in ["SessionStart", "UserPromptSubmit", "Stop"] {
        house.run(&["hook", event], &json!({ "session_id": "monday", "prompt": "x" }).to_string());
    }
    house.run(&["drain"], "");
    let line = transcripts(&house, &[]);
    assert!(
        line.starts_with("PROBLEM")
            && line.contains("claude-code does not call PostToolUse: it never came")
            && line.contains("show 3 tool results since, the last at 2026-08-01T10:10:00"),
        "{line}"
    );
    let said = house.run(&["doctor"], "").stdout;
    assert!(
        said.contains(", never PostToolUse, PostToolUseFailure, PreCompact, PostCompact, SubagentStop, SessionEnd"),
        "{said}"
    );

    house.run(&["hook", "PostToolUse"], &json!({ "session_id": "monday", "tool_name": "Bash" }).to_string());
    assert!(!transcripts(&house, &[]).contains("PostToolUse"));
}

#[test]
fn a_program_that_moved_is_written_again() {
    let house = House::new(&[]);
    house.write_home(".claude/settings.json", b"{}");
    let old = house.home().join("old-epitome");
    let built = Path::new(env!("CARGO_BIN_EXE_epitome"));
    if fs_err::hard_link(built, &old).is_err() {
        fs_err::copy(built, &old).expect("a copy");
    }
    let mut init = Command::new(&old);
    init.args(["init", "--yes", "--agent", "claude-code"]).current_dir(house.home()).env_clear();
    init.env("HOME", house.home()).env("EPITOME_HOME", house.home());
    let init = init.stdin(Stdio::null()).output().expect("it runs");
    assert!(init.status.success(), "{}", String::from_utf8_lossy(&init.stderr));
    let settings = || fs_err::read_to_string(house.home().join(".claude/settings.json")).expect("the file");
    assert!(settings().contains("old-epitome hook"), "{}", settings());

    let doctor = house.run(&["doctor"], "");
    assert!(doctor.stdout.contains("was changed or removed"), "{}", doctor.shown());
    house.run(&["doctor", "--fix"], "");
    assert!(!settings().contains("old-epitome") && settings().contains(" hook Stop"), "{}", settings());
    house.run(&["disconnect"], "");
    assert_eq!(settings(), "{}");
}

/// A program of an agent, in a folder of npm's, or one that only says its version itself.
fn install(house: &House, path: &str, text: &str) -> std::path::PathBuf {
    house.write_home(path, text.as_bytes());
    let program = house.home().join(path);
    fs_err::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("permissions");
    program
}

#[test]
fn a_program_that_is_newer_than_what_was_tried_is_named_and_is_no_problem() {
    let house = House::new(&[]);
    let bin = house.home().join("bin");
    fs_err::create_dir_all(&bin).expect("a folder");
    // Installed by npm: the program is not run, which would leave a file.
    let ran = house.home().join("ran");
    let script = format!("#!/bin/sh\ntouch {}\n", ran.display());
    let gemini = install(&house, "lib/node_modules/@google/gemini-cli/bundle/gemini.js", &script);
    house.write_home(
        "lib/node_modules/@google/gemini-cli/package.json",
        br#"{ "name": "@google/gemini-cli", "version": "99.1.0" }"#,
    );
    std::os::unix::fs::symlink(gemini, bin.join("gemini")).expect("a link");
    // A description of something else is not believed.
    house.write_home("package.json", br#"{ "name": "home", "version": "99.9.9" }"#);
    install(&house, "bin/codex", "#!/bin/sh\necho codex-cli 0.1.0\n");
    let tried = Connector::from_name("claude-code").and_then(Connector::tried).expect("it was");
    install(&house, "bin/claude", &format!("#!/bin/sh\necho '{} (Claude Code)'\n", tried.version));
    // One that does not end is not waited for.
    install(&house, "bin/qwen", "#!/bin/sh\nexec sleep 600\n");

    let path = format!("{}:/usr/bin:/bin", bin.display());
    let doctor = house.run_with(&[("PATH", &path)], &["doctor", "--json"], "");
    let report: Value = serde_json::from_str(&doctor.stdout).expect("JSON");
    let checks = report["checks"].as_array().expect("checks").iter();
    let versions: Vec<&Value> = checks.filter(|check| check["check"] == "agent version").collect();
    assert!(versions.iter().all(|check| check["ok"] == true), "{report}");
    let told: Vec<&str> = versions.iter().filter_map(|check| check["what"].as_str()).collect();
    let has = |expected: &str| assert!(told.iter().any(|told| told.contains(expected)), "{expected}: {told:?}");
    has("Gemini CLI 99.1.0 is newer than ");
    has(", with which epitome was tried");
    has("Codex 0.1.0 is older than ");
    has(&format!("Claude Code {}, with which epitome was tried", tried.version));
    has("does not say which version it is");
    assert_eq!(told.len(), 4, "an agent that is not here is not told of: {told:?}");
    assert!(!ran.exists(), "what npm installed is not run");
}
