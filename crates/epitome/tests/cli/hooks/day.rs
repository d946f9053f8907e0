//! A day with an agent, hook by hook, against the real binary: every promise about hooks is held to here.

use super::daemon::with_daemon;
use super::host::{Host, Writes, context, project};
use super::house::House;
use serde_json::{Value, json};

const FILES: &[(&str, &str)] =
    &[("src/parser.rs", "/// Parses a header.\npub fn parse_header(text: &str) -> usize {\n    text.len()\n}\n")];

const RULE: &str = "Never push to the main branch without asking me first.";

pub(crate) fn json_of(house: &House, arguments: &[&str]) -> Value {
    let arguments = [arguments, &["--json"]].concat();
    let ended = house.run(&arguments, "");
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {}", ended.shown()))
}

/// Takes in what hooks left behind, until nothing waits for the last lines of a transcript any more.
pub(crate) fn drain_all(house: &House) {
    let begun = std::time::Instant::now();
    while json_of(house, &["drain"])["waiting"] != 0 {
        assert!(begun.elapsed() < std::time::Duration::from_mins(1), "something waits for ever");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}

/// How often something was said, in all conversations.
pub(crate) fn times(house: &House, text: &str) -> u64 {
    let found = json_of(house, &["grep", text, "--mode", "full_text", "--within", "all"]);
    found["total"].as_u64().expect("a number")
}

fn build_log() -> String {
    (1..=600).map(|number| format!("   Compiling crate-{number} v0.1.{number} (registry)\n")).collect()
}

#[test]
fn a_day_with_an_agent_loses_nothing_and_tells_what_matters() {
    a_day(&House::new(FILES));
}

#[test]
fn a_day_is_the_same_with_a_daemon() {
    a_day(&with_daemon(FILES, 600));
}

fn a_day(house: &House) {
    let mut first = Host::new(house, "monday", Writes::Transcript);
    assert_eq!(first.start("startup"), Value::Null, "nothing is known yet");
    assert_eq!(first.prompt(&format!("{RULE} Why does the quixotic header parser fail?")), "");

    // A long output is shown in brief, and all of it is there.
    let log = build_log();
    let shown = first.bash("cargo build", &log);
    assert!(shown.len() < log.len() / 4, "{shown}");
    let handle = shown.split("expand ").nth(1).and_then(|rest| rest.split(']').next()).expect("a handle").to_owned();
    assert_eq!(first.bash("ls", "Cargo.toml\n"), "Cargo.toml\n");
    first.say("The quixotic header parser counts bytes instead of characters.");

    // Compaction loses the rule; the guard brings it back, once.
    let after = first.compact("The header parser was discussed; it counts bytes instead of characters.");
    assert!(context(&after).contains("Never push to the main branch"), "{after}");
    assert!(after["systemMessage"].as_str().expect("a line for the user").contains("restored"), "{after}");
    assert_eq!(first.start("compact"), Value::Null, "what was restored is not told twice");
    first.end();

    assert_eq!(json_of(house, &["drain"])["waiting"], 0);
    let whole = json_of(house, &["expand", &handle, "--budget", "100000"]);
    assert!(whole["items"][0]["text"].as_str().expect("a text").contains(log.trim_end()), "{whole}");
    for said in ["quixotic header parser fail", "counts bytes instead of characters quixotic"] {
        assert_eq!(times(house, said), 1, "{said}");
    }

    // What was told counts as cost, what was shown in brief as saving, each with its sign.
    let value = json_of(house, &["value", "--by", "formula"]);
    let avoided = |formula: &str| {
        let totals = value["totals"].as_array().expect("totals");
        let total = totals.iter().find(|total| total["key"] == formula).unwrap_or_else(|| panic!("{value}"));
        total["tokens_avoided"].as_i64().expect("a number")
    };
    assert!(avoided("brief") > 5_000 && avoided("injection") < 0, "{value}");

    assert_eq!(value["compactions"], json!({ "times": 1, "kept": 0, "lost": 1, "restored": 1 }), "{value}");
    let before = avoided("expansion");
    let again = json_of(house, &["value", "--by", "formula"]);
    assert_eq!(again["totals"], value["totals"], "looking costs nothing");
    json_of(house, &["expand", &handle, "--budget", "100000"]);
    let value = json_of(house, &["value", "--by", "formula"]);
    let told = value["totals"].as_array().expect("totals").iter().find(|total| total["key"] == "expansion");
    let told = told.and_then(|total| total["tokens_avoided"].as_i64()).expect("a number");
    assert!(told < before - 5_000, "reading it after all costs what was spared: {told}, before {before}");

    // The next day the project, the rule and what was found are told; nothing twice.
    let mut second = Host::new(house, "tuesday", Writes::Transcript);
    let orientation = context(&second.start("startup"));
    assert!(orientation.contains("Never push to the main branch"), "{orientation}");
    assert_eq!(context(&second.start("startup")), orientation, "the same state is told in the same bytes");
    assert_eq!(second.start("resume"), Value::Null, "what was told is replayed with the rest");
    let recalled = second.prompt("What about the quixotic header parser and its bytes?");
    assert!(recalled.contains("counts bytes instead of characters"), "{recalled}");
    assert_eq!(second.prompt("What about the quixotic header parser and its bytes?"), "", "not again");
    assert_eq!(second.prompt("Thanks, good night!"), "", "nothing was said about that");
    let printed = second.prompt("Which version did compiling crate-300 from the registry print?");
    assert!(printed.contains("some lines of an output:\n  Compiling crate-"), "{printed}");
    second.end();
    assert_eq!(house.run(&["verify"], "").status, 0);
}

/// Of an output over 30 KB a hook gets the beginning, and where the agent keeps all of it.
#[test]
fn an_output_that_the_agent_keeps_in_a_file_is_kept_whole_and_can_be_had_at_once() {
    let house = with_daemon(FILES, 0);
    let mut host = Host::new(&house, "long", Writes::Transcript);
    host.prompt("Print the table.");
    let table: String =
        (1..=1_200).map(|row| format!("row {row} of a table that is very long: alpha beta gamma\n")).collect();
    let shown = host.bash("seq 1200", &table);
    assert!(shown.contains("row 1200 of") && !shown.contains("persisted-output"), "{shown}");
    let handle = shown.split("expand ").nth(1).and_then(|rest| rest.split(']').next()).expect("a handle").to_owned();
    // The session goes on: nobody waits for its end.
    json_of(&house, &["drain"]);
    let whole = json_of(&house, &["expand", &handle, "--budget", "100000"]);
    assert!(whole["items"][0]["text"].as_str().expect("a text").contains(table.trim_end()), "{whole}");
    // The agent would have shown two kilobytes by itself.
    let value = json_of(&house, &["value"]);
    assert!(value["total"]["tokens_avoided"].as_i64().expect("a number") <= 0, "{value}");

    // Data is not shortened, and kept whole all the same.
    let data = format!("[{}]", vec![r#"{"key": "value of a long list"}"#; 2_000].join(","));
    let shown = host.bash("cat data.json", &data);
    assert!(shown.contains("persisted-output"), "{shown}");
    json_of(&house, &["drain"]);
    let found = json_of(&house, &["grep", "value of a long list", "--limit", "50"]);
    let ids = found["matches"].as_array().expect("matches").iter().filter_map(|found| found["id"].as_str());
    let texts =
        ids.map(|id| json_of(&house, &["expand", id, "--budget", "100000"])["items"][0]["text"].to_string().len());
    assert!(texts.max().unwrap_or_default() >= data.len(), "{found}");
    host.end();
    assert_eq!(house.run(&["verify"], "").status, 0);
}

#[test]
fn a_project_that_is_indexed_is_told_to_a_new_session_and_to_no_other() {
    let git = (".git/HEAD", "ref: refs/heads/main\n");
    let readme = ("README.md", "# Headers\n\nReads headers.\n");
    let small = House::new(&[FILES[0], git, readme]);
    small.run(&["index"], "");
    let told = Host::new(&small, "new", Writes::Nothing).start("startup");
    assert_eq!(told, Value::Null, "a few files are seen at a glance");

    let modules: Vec<String> = (1..=10).map(|number| format!("src/part{number}.rs")).collect();
    let mut files = vec![FILES[0], git, readme];
    files.extend(modules.iter().map(|path| (path.as_str(), "pub fn part() {}\n")));
    let house = House::new(&files);
    let mut host = Host::new(&house, "new", Writes::Nothing);
    assert_eq!(host.start("startup"), Value::Null, "nothing is indexed while an agent waits");
    house.run(&["index"], "");
    let told = context(&host.start("startup"));
    assert!(told.contains("This project, from its index:") && told.contains("rust 11 files"), "{told}");
    assert_eq!(context(&host.start("clear")), told);
    assert_eq!(host.start("resume"), Value::Null);
    let off = house.run_with(
        &[("EPITOME_HOOKS_ORIENTATION_TOKENS", "0")],
        &["hook", "SessionStart"],
        &json!({ "session_id": "new", "cwd": project(&house), "source": "startup" }).to_string(),
    );
    assert_eq!(off.stdout, "");
}

/// A question about the past also looks for outputs of tools. That none of them has a word of it takes no message away.
#[test]
fn a_question_about_the_past_is_answered_beside_outputs_about_something_else() {
    let house = House::new(FILES);
    let mut earlier = Host::new(&house, "earlier", Writes::Nothing);
    earlier.prompt("The port of the zebra server was settled: it is 7411.");
    earlier.bash("true", "okapi\n");
    assert_eq!(json_of(&house, &["drain"])["stored"], 2);
    house.run(&["recall", "zebra"], "");
    let told = Host::new(&house, "later", Writes::Nothing).prompt("How was the port of the zebra server settled?");
    assert!(told.contains("7411"), "{told}");
}

#[test]
fn without_a_transcript_every_event_is_kept_once() {
    let house = House::new(FILES);
    let mut host = Host::new(&house, "headless", Writes::Nothing);
    host.start("startup");
    for number in 0..5 {
        host.prompt(&format!("Please look at zebra{number}."));
        host.bash("true", &format!("okapi{number}\n"));
    }
    assert_eq!(json_of(&house, &["drain"])["stored"], 10);
    assert_eq!(json_of(&house, &["drain"]), json!({ "events": 0, "stored": 0, "waiting": 0, "quarantined": 0 }));
    for number in 0..5 {
        assert_eq!((times(&house, &format!("zebra{number}")), times(&house, &format!("okapi{number}"))), (1, 1));
    }
}

#[test]
fn a_hook_that_is_registered_twice_tells_once_and_other_words_are_kept_beside() {
    let house = House::new(FILES);
    let host = Host::new(&house, "twice", Writes::Nothing);
    let said = |prompt: &str| host.hook("UserPromptSubmit", &json!({ "prompt": prompt, "prompt_id": "p1" }));
    said("The ibex climbs.");
    said("The ibex climbs.");
    house.run(&["drain"], "");
    assert_eq!(times(&house, "ibex"), 1);
    said("The ibex rests.");
    house.run(&["drain"], "");
    assert_eq!(times(&house, "ibex"), 2);
}

#[test]
fn an_event_whose_transcript_comes_later_waits_for_it() {
    let house = House::new(FILES);
    let mut host = Host::new(&house, "slow", Writes::Transcript);
    host.prompt("The first of them.");
    host.hook("UserPromptSubmit", &json!({ "prompt": "The gazelle came late." }));
    assert_eq!(json_of(&house, &["drain"])["waiting"], 1);
    host.prompt("The gazelle came late.");
    assert_eq!(json_of(&house, &["drain"])["waiting"], 0);
    assert_eq!(times(&house, "gazelle"), 1);
    host.hook("UserPromptSubmit", &json!({ "prompt": "The heron never came." }));
    host.end();
    drain_all(&house);
    assert_eq!(times(&house, "heron"), 1, "the session is over, so it is stored itself");
}

/// A new session calls its first hooks before there is a transcript.
#[test]
fn a_transcript_that_is_not_begun_yet_is_waited_for() {
    let house = House::new(FILES);
    let mut host = Host::new(&house, "new", Writes::Transcript);
    host.hook("UserPromptSubmit", &json!({ "prompt": "The heron came first." }));
    assert_eq!(json_of(&house, &["drain"])["waiting"], 1);
    host.prompt("The heron came first.");
    drain_all(&house);
    assert_eq!(times(&house, "heron"), 1);
    // One that never comes is not waited for when the session is over.
    let host = Host::new(&house, "none", Writes::Transcript);
    host.hook("UserPromptSubmit", &json!({ "prompt": "The gazelle came alone." }));
    host.end();
    drain_all(&house);
    assert_eq!(times(&house, "gazelle"), 1);
}

/// Claude Code ends its hooks before it has written its last lines.
#[test]
fn the_last_lines_of_a_session_are_waited_for() {
    let house = House::new(FILES);
    let mut host = Host::new(&house, "hasty", Writes::Transcript);
    host.prompt("The first of them.");
    host.hook("UserPromptSubmit", &json!({ "prompt": "The heron came last." }));
    host.end();
    house.run(&["drain"], "");
    host.prompt("The heron came last.");
    drain_all(&house);
    assert_eq!(times(&house, "heron"), 1);
}

#[test]
fn whatever_comes_the_agent_is_never_bothered_and_doctor_tells() {
    let house = House::new(FILES);
    let check = |event: &str, body: &str| {
        let ended = house.run(&["hook", event, "--agent", "claude-code"], body);
        assert_eq!((ended.status, ended.stdout.as_str(), ended.stderr.as_str()), (0, "", ""), "{event}");
    };
    check("UserPromptSubmit", "{ not json");
    check("PostToolUse", "");
    check("NeverHeardOf", "{\"session_id\": \"x\"}");
    check("Stop", "[1, 2]");
    check("UserPromptSubmit", "{\"prompt\": 3, \"cwd\": \"/does/not/exist\"}");
    house.run(&["drain"], "");
    let doctor = house.run(&["doctor"], "");
    assert_eq!(doctor.status, 6, "{}", doctor.shown());
    assert!(doctor.stdout.contains("no JSON object"), "{}", doctor.stdout);
    assert!(doctor.stdout.contains("3 events could not be read and were put aside"), "{}", doctor.stdout);
    assert!(doctor.stdout.contains("HOME/data is private"), "{}", doctor.stdout);

    // Where nothing can be written, nothing is said either.
    let nowhere = house.run_with(&[("EPITOME_HOME", "/dev/null/none")], &["hook", "Stop"], "{}");
    assert_eq!((nowhere.status, nowhere.stdout.as_str()), (0, ""));
}

/// A prompt whose transcript cannot be read is stored from the event, and doctor says nothing is amiss with hooks.
#[cfg(unix)]
#[test]
fn an_unreadable_transcript_costs_nothing() {
    let house = House::new(FILES);
    let folder = house.home().join("folder.jsonl");
    fs_err::create_dir_all(&folder).expect("a folder");
    for (session, transcript) in [("a", folder.as_path()), ("b", std::path::Path::new("/dev/null/none.jsonl"))] {
        let said = |event: &str, prompt: &str| {
            let body = json!({ "session_id": session, "transcript_path": transcript, "cwd": project(&house), "prompt": prompt });
            let ended = house.run(&["hook", event, "--agent", "claude-code"], &body.to_string());
            assert_eq!((ended.status, ended.stdout.as_str(), ended.stderr.as_str()), (0, "", ""), "{event}");
        };
        said("UserPromptSubmit", &format!("kept{session}word"));
        said("SessionEnd", "");
        house.run(&["drain"], "");
        assert_eq!(times(&house, &format!("kept{session}word")), 1, "{}", transcript.display());
    }
}

/// The agent goes on, and who asks is told what could not be kept and why.
#[cfg(target_os = "linux")]
#[test]
fn a_full_spool_is_told_and_bothers_nobody() {
    let house = House::new(FILES);
    let spool = house.home().join("data/spool");
    fs_err::create_dir_all(&spool).expect("a folder");
    std::os::unix::fs::symlink("/dev/full", spool.join("events.spool")).expect("a link");
    let body = json!({ "session_id": "f", "cwd": project(&house), "prompt": "fullword" }).to_string();
    let ended = house.run(&["hook", "UserPromptSubmit", "--agent", "claude-code"], &body);
    assert_eq!((ended.status, ended.stdout.as_str(), ended.stderr.as_str()), (0, "", ""));
    fs_err::remove_file(spool.join("events.spool")).expect("removed");
    let doctor = house.run(&["doctor"], "");
    assert_eq!(doctor.status, 6, "{}", doctor.shown());
    assert!(
        doctor.stdout.contains("could not be written to the spool, and is lost: the disk is full"),
        "{}",
        doctor.stdout
    );
}

#[test]
fn secrets_are_gone_before_the_spool_is_written() {
    let house = House::new(FILES);
    let key = ["ghp_", "Zx8Kq2mZ9rT4vB6nW1cYdHs7Lf3GpJ5aQeR0"].concat();
    let host = Host::new(&house, "secret", Writes::Nothing);
    host.hook("UserPromptSubmit", &json!({ "prompt": format!("my token is {key}") }));
    let spool = fs_err::read_to_string(house.home().join("data/spool/events.spool")).expect("the spool");
    assert!(spool.contains("my token is [secret:"), "{spool}");
    assert!(!spool.contains(&key));
}

/// A hook of an agent, and that what it said is stored once.
#[track_caller]
fn check_said(house: &House, agent: &str, event: &str, body: &Value, said: &str) {
    let ended = house.run(&["hook", event, "--agent", agent], &body.to_string());
    assert_eq!((ended.status, ended.stdout.as_str(), ended.stderr.as_str()), (0, "", ""), "{agent} {event}");
    house.run(&["drain"], "");
    assert_eq!(times(house, said), 1, "{agent} {event}");
}

#[test]
fn other_agents_are_understood_in_their_own_words() {
    let house = House::new(FILES);
    let project = project(&house);
    check_said(
        &house,
        "codex",
        "UserPromptSubmit",
        &json!({ "session_id": "c", "cwd": project, "prompt": "codexword", "turn_id": "t", "transcript_path": null }),
        "codexword",
    );
    check_said(
        &house,
        "cursor",
        "beforeSubmitPrompt",
        &json!({ "conversation_id": "k", "workspace_roots": [project], "prompt": "cursorword" }),
        "cursorword",
    );
    check_said(
        &house,
        "gemini-cli",
        "AfterAgent",
        &json!({ "session_id": "g", "cwd": project, "prompt_response": "geminiword" }),
        "geminiword",
    );
    check_said(
        &house,
        "copilot-cli",
        "postToolUse",
        &json!({ "sessionId": "p", "cwd": project, "toolName": "bash", "toolArgs": {}, "toolResult": { "textResultForLlm": "copilotword" } }),
        "copilotword",
    );
}

#[test]
fn agents_that_only_listen_are_understood_in_theirs() {
    let house = House::new(FILES);
    let project = project(&house);
    check_said(
        &house,
        "windsurf",
        "pre_user_prompt",
        &json!({ "agent_action_name": "pre_user_prompt", "trajectory_id": "w", "tool_info": { "user_prompt": "surfword" } }),
        "surfword",
    );
    check_said(
        &house,
        "windsurf",
        "post_run_command",
        &json!({ "trajectory_id": "w", "tool_info": { "command_line": "echo surfcommand", "cwd": project } }),
        "surfcommand",
    );
    check_said(
        &house,
        "windsurf",
        "post_cascade_response",
        &json!({ "trajectory_id": "w", "tool_info": { "response": "surfanswer" } }),
        "surfanswer",
    );
    check_said(
        &house,
        "cline",
        "UserPromptSubmit",
        &json!({ "hookName": "UserPromptSubmit", "taskId": "t", "workspaceRoots": [project], "userPromptSubmit": { "prompt": "clineword" } }),
        "clineword",
    );
    check_said(
        &house,
        "cline",
        "PostToolUse",
        &json!({ "taskId": "t", "workspaceRoots": [project], "postToolUse": { "toolName": "execute_command", "parameters": {}, "result": "clineresult" } }),
        "clineresult",
    );
    check_said(
        &house,
        "kiro",
        "UserPromptSubmit",
        &json!({ "hook_event_name": "userPromptSubmit", "session_id": "q", "cwd": project, "prompt": "kiroword" }),
        "kiroword",
    );
    check_said(
        &house,
        "goose",
        "PostToolUse",
        &json!({ "session_id": "o", "cwd": project, "tool_name": "developer__shell", "tool_response": "gooseword" }),
        "gooseword",
    );
    check_said(
        &house,
        "opencode",
        "PostToolUse",
        &json!({ "session_id": "n", "cwd": project, "tool_name": "bash", "tool_use_id": "c", "tool_response": "openword" }),
        "openword",
    );
}

#[test]
fn a_connected_agent_is_proved_to_work() {
    let house = House::new(FILES);
    house.write_home(".claude/settings.json", b"{}");
    house.run(&["init", "--yes"], "");
    Host::new(&house, "alive", Writes::Nothing).start("startup");
    house.run(&["drain"], "");
    let doctor = house.run(&["doctor"], "");
    let line = doctor.stdout.lines().find(|line| line.contains("claude-code")).expect("a line about it");
    assert!(line.starts_with("ok") && line.contains("2 files in order; last event SessionStart at "), "{line}");

    house.write_home(".claude/settings.json", b"{}");
    assert!(house.run(&["doctor"], "").stdout.contains("was changed or removed"));
    assert!(house.run(&["doctor", "--fix"], "").stdout.contains("2 files in order"));
    assert!(house.run(&["doctor"], "").stdout.contains("2 files in order"));
}
