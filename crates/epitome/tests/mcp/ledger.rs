//! Every call of an agent is in the ledger a moment later, whatever becomes of the server.

use crate::process::{Era, Place, Session, quiet};
use serde_json::{Value, json};
use std::process::Command;
use std::time::{Duration, Instant};

/// Long enough for any machine; a call is written within a second.
const PATIENCE: Duration = Duration::from_mins(1);

fn value(place: &Place, arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
    command.env_clear().env("EPITOME_HOME", place.home.path()).arg("--project").arg(place.project.path());
    let output = command.args(["value", "--json"]).args(arguments).output().expect("the binary runs");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Calls of agents that the ledger has, newest first, once there are so many.
fn wait_for_calls(place: &Place, least: usize) -> Vec<Value> {
    let started = Instant::now();
    loop {
        let reply = value(place, &["--entries", "50"]);
        let entries = reply["entries"].as_array().expect("entries").iter();
        let calls: Vec<Value> = entries.filter(|entry| entry["door"] == "mcp").cloned().collect();
        if calls.len() >= least {
            return calls;
        }
        assert!(started.elapsed() < PATIENCE, "only {calls:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn read(session: &mut Session<'_>, mode: &str) {
    let reply = session.call("read", json!({ "targets": ["src/long.rs"], "mode": mode }));
    assert_eq!(reply["isError"], Value::Bool(false), "{reply}");
}

fn long_project() -> Place {
    let lines: String = (0..200).map(|number| format!("    let number{number} = {number} + {number};\n")).collect();
    Place::with_project(&[("src/long.rs", &format!("pub fn long() {{\n{lines}}}\n"))])
}

#[test]
fn a_killed_server_leaves_its_calls_in_the_ledger() {
    let place = long_project();
    let mut session = place.open("core", Era::Handshake("2025-06-18"));
    session.ask("tools/list", json!({}));
    read(&mut session, "map");
    let calls = wait_for_calls(&place, 2);
    session.kill();
    let reading = calls.iter().find(|call| call["tool"] == "read").expect("the reading");
    assert_eq!(
        (&reading["agent"], &reading["mode"], &reading["language"]),
        (&json!("test"), &json!("map"), &json!("rust"))
    );
    assert_eq!((&reading["path"], &reading["certainty"]), (&json!("src/long.rs"), &json!("measured")));
    assert!(reading["session"].as_str().expect("a session").starts_with("mcp-"), "{reading}");
    let number = |call: &Value, name: &str| call[name].as_i64().unwrap_or_else(|| panic!("{name} of {call}"));
    assert!(number(reading, "bytes_avoided") > 1_000 && number(reading, "tokens_avoided") > 500, "{reading}");
    assert_eq!(
        number(reading, "bytes_avoided"),
        number(reading, "bytes_raw") - number(reading, "bytes_shown"),
        "{reading}"
    );
    let schemas = calls.iter().find(|call| call["formula"] == "schemas").expect("the tools cost tokens");
    assert!(number(schemas, "tokens_avoided") < 0, "{schemas}");
}

#[test]
fn reading_a_file_wider_takes_back_what_the_first_reading_spared() {
    let place = long_project();
    let mut session = place.open("core", Era::Handshake("2025-06-18"));
    for mode in ["map", "raw"] {
        read(&mut session, mode);
    }
    session.ask("tools/list", json!({}));
    session.ask("tools/list", json!({}));
    assert_eq!(session.end(), quiet());
    let reply = value(&place, &["--by", "formula", "--entries", "50"]);
    let of = |formula: &str| {
        let totals = reply["totals"].as_array().expect("totals").iter();
        totals
            .filter(|total| total["key"] == formula)
            .map(|total| (total["calls"].clone(), total["bytes_avoided"].as_i64()))
            .next()
    };
    let (_, spared) = of("view").expect("views");
    let (again, taken) = of("reread").expect("it was read again");
    assert_eq!((again, taken), (json!(1), spared.map(|spared| -spared)), "{reply}");
    assert_eq!(of("schemas").map(|(calls, _)| calls), Some(json!(1)), "once a session: {reply}");
    let turns: Vec<&Value> = reply["entries"].as_array().expect("entries").iter().map(|entry| &entry["turn"]).collect();
    assert!(turns.contains(&&json!(1)) && turns.contains(&&json!(2)), "{turns:?}");
}

#[test]
fn a_persons_own_commands_are_kept_apart() {
    let place = long_project();
    let run = |session: Option<&str>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
        command.env_clear().env("EPITOME_HOME", place.home.path()).arg("--project").arg(place.project.path());
        command.envs(session.map(|session| ("EPITOME_LEDGER_SESSION", session)));
        assert!(command.args(["read", "src/long.rs", "--mode", "map"]).output().expect("it runs").status.success());
    };
    run(None);
    let reply = value(&place, &[]);
    assert_eq!((&reply["total"]["calls"], &reply["own_calls"]), (&json!(0), &json!(1)), "{reply}");
    run(Some("a run"));
    let reply = value(&place, &["--by", "session"]);
    assert_eq!((&reply["totals"][0]["key"], &reply["totals"][0]["calls"]), (&json!("a run"), &json!(1)), "{reply}");
}

#[test]
fn questions_are_logged_with_what_became_of_them() {
    let place = Place::new();
    let mut session = place.open("core", Era::Handshake("2025-06-18"));
    let question = "where is check_password defined";
    assert_eq!(session.call("context", json!({ "query": question }))["isError"], Value::Bool(false));
    assert_eq!(session.end(), quiet());
    let reply = value(&place, &["queries"]);
    let [entry] = &reply["entries"].as_array().expect("entries")[..] else { panic!("{reply}") };
    assert_eq!((&entry["query"], &entry["gate"]), (&json!(question), &json!("retrieve")), "{reply}");
    assert!(entry["results"].as_u64().expect("a number") > 0, "{reply}");
    assert_eq!(entry["certainty"], "estimated");
}
