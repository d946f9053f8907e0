//! `sensitive purge` and `project forget`: the only commands that change what is stored, and what they leave behind.

use super::house::House;
use serde_json::{Value, json};
use std::path::Path;

pub(crate) fn json_of(house: &House, arguments: &[&str]) -> Value {
    let outcome = house.run(arguments, "");
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|_| panic!("{arguments:?}: {}", outcome.shown()))
}

/// Files of our own below a folder that hold some bytes, compressed or not.
fn files_with(folder: &Path, secret: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in walkdir(folder) {
        let bytes = fs_err::read(&entry).expect("our own file");
        let is_there = bytes.windows(secret.len()).any(|window| window == secret);
        if is_there {
            found.push(entry.display().to_string());
        }
    }
    found
}

fn walkdir(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in fs_err::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        if path.is_dir() { files.extend(walkdir(&path)) } else { files.push(path) }
    }
    files
}

/// A conversation with an artifact and a summary, an imported transcript, a memory, an entity, records of a session, a grant
/// and a question, with a badge in each.
fn house_with_badges() -> House {
    fill_with_badges(House::new(&[]))
}

pub(crate) fn fill_with_badges(house: House) -> House {
    let rows = "row of a long table\n".repeat(5_000);
    let lines = [
        json!({ "role": "user", "content": "We use integer cents. My badge is EMP-123456.", "id": "m1" }),
        json!({ "role": "assistant", "content": "I have noted the badge EMP-123456 for the gate.", "id": "m2" }),
        json!({ "role": "user", "content": format!("{rows}EMP-777777 is in the middle\n{rows}"), "id": "m3" }),
        json!({ "role": "user", "content": "nothing to hide", "id": "m4" }),
    ];
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    assert_eq!(house.run(&["ingest", "--conversation", "demo"], &lines).status, 0);
    assert_eq!(house.run(&["remember", "the badge of the gate is EMP-555555"], "").status, 0);
    for arguments in [
        &["add", "Gate EMP-555555", "--type", "concept", "--content", "opens to EMP-555555"][..],
        &["add", "Door", "--type", "concept"],
        &["link", "Gate EMP-555555", "Door"],
    ] {
        assert_eq!(house.run(&[&["entity"], arguments].concat(), "").status, 0);
    }
    let state = "{\"query\":\"the gate of EMP-555555\"}";
    for arguments in [
        &["reflection", "add", "Ask at the gate first", "--outcome", "success", "--context", "with EMP-555555"][..],
        &["checkpoint", "save", "--session", "demo", "--state", state, "--description", "EMP-555555"],
        &["subscription", "add", "EMP-555555", "--pattern", "keyword", "--session", "demo"],
        &["grant", "--conversation", "demo", "--issuer", "EMP-555555"],
    ] {
        let ended = house.run(arguments, "");
        assert_eq!(ended.status, 0, "{}", ended.shown());
    }
    // Questions are kept, too.
    let asked = house.run(&["recall", "what is the badge EMP-555555 for"], "");
    assert_eq!(asked.status, 0, "{}", asked.shown());
    let project = house.command(&[]).get_current_dir().expect("the project").to_owned();
    let line = |id: u32, text: &str| {
        json!({ "type": "user", "uuid": format!("00000000-0000-4000-8000-00000000000{id}"), "sessionId": "s1",
            "timestamp": "2026-01-01T00:00:00Z", "cwd": project, "message": { "role": "user", "content": text } })
        .to_string()
    };
    let transcript = house.home().join("s1.jsonl");
    fs_err::write(&transcript, format!("{}\n{}\n", line(1, "hello"), line(2, "badge EMP-654321"))).expect("a file");
    assert_eq!(house.run(&["import", transcript.to_str().expect("a path")], "").status, 0);
    assert_eq!(house.run(&["sensitive", "add", "badge", "EMP-[0-9]{6}"], "").status, 0);
    house
}

#[test]
fn a_purge_leaves_no_secret_and_a_store_that_proves_itself() {
    let house = house_with_badges();
    let before = json_of(&house, &["verify", "--json"]);
    assert_eq!(before["ok"], true, "{before}");
    let shown = house.run(&["sensitive", "purge"], "");
    assert_eq!(shown.status, 6, "{}", shown.shown());
    assert!(shown.stderr.contains("nothing was changed"), "{}", shown.shown());
    assert!(house.run(&["history", "--conversation", "demo"], "").stdout.contains("EMP-123456"));

    let purge = json_of(&house, &["sensitive", "purge", "--yes", "--json"]);
    assert_eq!((&purge["leftover"], purge["secrets"].as_u64() >= Some(5)), (&Value::Null, true), "{purge}");
    assert!(purge["transcripts"][0].as_str().is_some_and(|path| path.ends_with("s1.jsonl")), "{purge}");
    assert_eq!(house.run(&["sensitive", "scan"], "").status, 0);
    let history = house.run(&["history", "--conversation", "demo", "--json"], "").stdout;
    assert!(!history.contains("EMP-") && history.contains("integer cents"), "{history}");
    let memories = house.run(&["memories"], "").stdout;
    assert!(memories.contains("the badge of the gate is [secret:badge:"), "{memories}");

    let door = house.run(&["entity", "show", "Door"], "").stdout;
    assert!(door.contains("concept Gate [secret:badge:"), "links follow an entity that is called otherwise: {door}");

    let after = json_of(&house, &["verify", "--json"]);
    assert_eq!((&after["ok"], &after["messages"]), (&json!(true), &before["messages"]), "{after}");
    let reasons: Vec<&str> =
        after["rewrites"].as_array().expect("a list").iter().filter_map(|it| it["reason"].as_str()).collect();
    assert!(reasons.len() >= 4 && reasons.iter().all(|reason| *reason == "purged"), "{after}");
    assert!(house.run(&["verify"], "").stdout.contains("purged on purpose at "));
    // The transcript of the agent is not ours; everything else on the disk is without the words.
    for secret in [&b"EMP-123456"[..], b"EMP-777777", b"EMP-555555"] {
        assert_eq!(files_with(&house.home(), secret), [""; 0], "{}", String::from_utf8_lossy(secret));
    }
    // What is imported again is what is stored now: no message is new.
    let again = house.run(&["import", house.home().join("s1.jsonl").to_str().expect("a path"), "--json"], "").stdout;
    assert!(again.contains(r#""standing":"same""#) && again.contains(r#""new_messages":0"#), "{again}");
    assert_eq!(house.run(&["verify"], "").status, 0);
    let second = house.run(&["sensitive", "purge", "--yes"], "");
    assert_eq!(second.stdout, "no secrets are stored; nothing was changed\n");
}

#[test]
fn an_artifact_keeps_its_length_and_the_messages_that_name_it_lead_to_it() {
    let house = house_with_badges();
    assert_eq!(house.run(&["sensitive", "purge", "--yes"], "").status, 0);
    let history = json_of(&house, &["history", "--conversation", "demo", "--json"]);
    let text = history["messages"][2]["content"].as_str().expect("a text");
    let at = text.find("art_").expect("the message names its artifact");
    let id: String = text[at..].chars().take_while(|sign| sign.is_alphanumeric() || *sign == '_').collect();
    let shown = house.run(&["describe", &format!("{id}:99995-100025")], "");
    assert_eq!(shown.status, 0, "{}", shown.shown());
    assert!(shown.stdout.contains("********** is in"), "{}", shown.shown());
}

#[test]
fn a_project_is_forgotten_only_when_that_is_said() {
    let house = house_with_badges();
    let elsewhere = tempfile::tempdir().expect("a folder");
    let other = elsewhere.path().to_str().expect("a path");
    let line = json!({ "role": "user", "content": "of another project", "id": "o1" }).to_string();
    assert_eq!(house.run(&["--project", other, "ingest", "--conversation", "other"], &line).status, 0);
    let refused = house.run(&["project", "forget"], "");
    assert_eq!(refused.status, 2, "{}", refused.shown());
    let told = house.run(&["project", "forget", "--data"], "");
    assert!(told.status == 0 && told.stdout.contains("would be removed for good"), "{}", told.shown());
    let before = json_of(&house, &["verify", "--json"]);
    let done = house.run(&["project", "forget", "--data", "--yes"], "");
    assert_eq!(done.status, 0, "{}", done.shown());
    let after = json_of(&house, &["verify", "--json"]);
    assert_eq!(
        (&after["ok"], &after["messages"], &after["artifacts"]),
        (&json!(true), &json!(1), &json!(0)),
        "{after}"
    );
    assert!(before["messages"].as_u64() > Some(1));
    assert_eq!(after["rewrites"].as_array().map(Vec::len), Some(2), "{after}");
    assert_eq!(after["rewrites"][0]["reason"], "forgotten");
    assert_eq!(house.run(&["memories"], "").status, 3, "there is no memory");
    let other = house.run(&["--project", other, "history", "--conversation", "other"], "");
    assert!(other.stdout.contains("of another project"), "{}", other.shown());
}
