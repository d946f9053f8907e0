//! Commands that other systems of the kind have, too: what memory holds, what went wrong in sessions, one conversation
//! verified alone.

use crate::house::House;
use serde_json::Value;

fn talked() -> House {
    let house = House::new(&[]);
    let lines = "{\"role\":\"user\",\"content\":\"one apple\"}\n{\"role\":\"assistant\",\"content\":\"two pears\"}\n";
    for name in ["talk", "other"] {
        assert_eq!(house.run(&["ingest", "--conversation", name], lines).status, 0);
    }
    house
}

fn json_of(house: &House, arguments: &[&str]) -> Value {
    let ended = house.run(arguments, "");
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {} {}", ended.stdout, ended.stderr))
}

#[test]
fn stats_counts_what_memory_holds() {
    let house = talked();
    let shown = house.run(&["stats", "--verbose"], "").stdout;
    assert!(shown.starts_with("conversations  2 with 4 messages, "), "{shown}");
    assert!(shown.contains("folded         0 conversations: 0 summaries made\n"), "{shown}");
    assert!(shown.contains("talk: 2 messages, "), "{shown}");
    let stats = json_of(&house, &["stats", "--json"]);
    assert_eq!((&stats["conversations"], &stats["details"]), (&Value::from(2), &Value::Null), "{stats}");
    assert_eq!(json_of(&house, &["stats", "-v", "--json"])["details"].as_array().map(Vec::len), Some(2));
    assert_eq!(json_of(&House::new(&[]), &["stats", "--json"])["conversations"], 0);
}

#[test]
fn one_conversation_is_verified_alone_and_planned_for() {
    let house = talked();
    let one = json_of(&house, &["verify", "talk", "--plan", "--json"]);
    assert_eq!((&one["conversations"], &one["messages"], &one["plan"]), (&1.into(), &2.into(), &serde_json::json!([])));
    assert_eq!(json_of(&house, &["verify", "--conversation", "talk", "--json"])["conversations"], 1);
    assert_eq!(json_of(&house, &["verify", "--json"])["plan"], Value::Null);
    assert_eq!(house.run(&["verify", "nobody"], "").status, 3);
    assert_eq!(house.run(&["verify", "talk", "--conversation", "other"], "").status, 2);
}

#[test]
fn diagnose_finds_what_went_wrong_in_a_session() {
    let house = House::new(&[]);
    let failed = r#"{"type":"attachment","timestamp":"2026-01-01T00:00:00Z","attachment":{"type":"hook_non_blocking_error","hookEvent":"Stop","command":"epitome hook claude-code Stop","stderr":"no space left"}}"#;
    let said = r#"{"type":"user","uuid":"a","sessionId":"s","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"the epitome hook failed"}}"#;
    house.write("session.jsonl", format!("{said}\n{failed}\n").as_bytes());
    let ended = house.run(&["diagnose", "session.jsonl"], "");
    assert_eq!(ended.status, 6, "{} {}", ended.stdout, ended.stderr);
    assert!(
        ended.stdout.starts_with("looked through 1 transcript of the last 7 days: 1 problem\nhooks that failed: 1"),
        "{}",
        ended.stdout
    );
    assert!(ended.stdout.contains("session.jsonl:2 (2026-01-01T00:00:00Z): no space left"), "{}", ended.stdout);
    let found = json_of(&house, &["diagnose", "session.jsonl", "--json"]);
    assert_eq!((&found["problems"][0]["kind"], &found["problems"][0]["line"]), (&"hook".into(), &2.into()), "{found}");
    // Nothing went wrong, nothing is there, or what was asked for makes no sense.
    house.write("fine.jsonl", format!("{said}\n").as_bytes());
    assert_eq!(house.run(&["diagnose", "fine.jsonl"], "").status, 0);
    assert_eq!(house.run(&["diagnose"], "").status, 0);
    assert_eq!(house.run(&["diagnose", "none.jsonl"], "").status, 3);
    assert_eq!(house.run(&["diagnose", "--days", "0"], "").status, 2);
    assert_eq!(house.run(&["diagnose", "--days", "3", "--all"], "").status, 2);
}
