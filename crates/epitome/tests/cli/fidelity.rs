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
    assert!(shown.starts_with("Memory\n  projects       1\n  conversations  2\n  messages       4, "), "{shown}");
    assert!(shown.contains("Compression\n  compacted      0 of 2 conversations\n"), "{shown}");
    assert!(shown.contains("| # | title | msgs | sums | depth | tokens | ratio | last |\n"), "{shown}");
    assert!(shown.contains(" | talk | 2 | 0 | - | "), "{shown}");
    let stats = json_of(&house, &["stats", "--json"]);
    assert_eq!((&stats["conversations"], &stats["details"]), (&Value::from(2), &Value::Null), "{stats}");
    assert_eq!(json_of(&house, &["stats", "-v", "--json"])["details"].as_array().map(Vec::len), Some(2));
    assert_eq!(json_of(&House::new(&[]), &["stats", "--json"])["conversations"], 0);
}

#[test]
fn stats_is_of_the_project_unless_all_is_asked_for() {
    let house = talked();
    let elsewhere = house.run(&["--project", house.home().to_str().expect("text"), "stats", "--json"], "").stdout;
    let elsewhere: Value = serde_json::from_str(&elsewhere).expect("JSON");
    assert_eq!(
        (&elsewhere["conversations"], &elsewhere["projects"]),
        (&Value::from(0), &Value::from(0)),
        "{elsewhere}"
    );
    let all = house.run(&["--project", house.home().to_str().expect("text"), "stats", "--all", "--json"], "").stdout;
    let all: Value = serde_json::from_str(&all).expect("JSON");
    assert_eq!((&all["conversations"], &all["messages"]), (&Value::from(2), &Value::from(4)), "{all}");
}

#[test]
fn stats_counts_replaced_secrets_by_whose_rule_found_them() {
    let house = House::new(&[(".epitome.toml", "[sensitive]\npatterns = ['customer: CUST-[A-Z]{4}']\n")]);
    assert_eq!(house.run(&["sensitive", "add", "badge", "EMP-[0-9]{6}"], "").status, 0);
    let key = ["ghp_", "Zx9Qw4Er7Ty2Ui5Op8As1Df3Gh6Jk0Lz9Xc2"].concat();
    let lines = format!(
        "{{\"id\":\"1\",\"role\":\"user\",\"content\":\"my badge is EMP-123456 and hers EMP-654321, as told\"}}\n\
         {{\"id\":\"2\",\"role\":\"user\",\"content\":\"the key is {key} and the customer is CUST-ABCD here\"}}\n"
    );
    // The same messages twice are stored once, and counted once.
    for _ in 0..2 {
        assert_eq!(house.run(&["ingest", "--conversation", "talk"], &lines).status, 0);
    }
    let counts = |house: &House| json_of(house, &["stats", "--json"])["secrets"].clone();
    let expected = serde_json::json!({
        "total": 4, "built_in": 1, "yours": 2, "project": 1, "other": 0, "complete": true
    });
    assert_eq!(counts(&house), expected);
    let shown = house.run(&["stats"], "").stdout;
    assert!(shown.contains("Security\n  redactions     4: built-in 1, yours 2, project 1\n"), "{shown}");
    // What a rule replaced stays replaced when the rule goes.
    assert_eq!(house.run(&["sensitive", "remove", "badge"], "").status, 0);
    assert_eq!((&counts(&house)["yours"], &counts(&house)["other"]), (&Value::from(0), &Value::from(2)));
}

#[test]
fn what_a_source_says_about_a_part_is_kept_and_shown() {
    let house = House::new(&[]);
    let line = r#"{"role":"user","id":"1","content":"fix it","parts":[{"type":"text","text":"remember the rules","is_synthetic":true,"is_ignored":false,"metadata":{"by_host":[1]}},{"type":"tool","tool_name":"Bash","metadata":{"key":"ghp_Zx9Qw4Er7Ty2Ui5Op8As1Df3Gh6Jk0Lz9Xc2"}}]}"#;
    for _ in 0..2 {
        let stored = house.run(&["ingest", "--conversation", "talk"], &format!("{line}\n"));
        assert_eq!(stored.status, 0, "{}", stored.shown());
    }
    let described = json_of(&house, &["describe", "talk#1", "--json"]);
    let parts = described["parts"].as_array().expect("parts");
    assert_eq!(parts.len(), 3, "{described}");
    assert_eq!(
        (&parts[0]["is_synthetic"], &parts[0]["metadata"]),
        (&Value::Null, &Value::Null),
        "the text has no mark"
    );
    assert_eq!((&parts[1]["is_synthetic"], &parts[1]["is_ignored"]), (&Value::from(true), &Value::from(false)));
    assert_eq!(parts[1]["metadata"], serde_json::json!({ "by_host": [1] }));
    let key = parts[2]["metadata"]["key"].as_str().expect("a text");
    assert!(key.starts_with("[secret:github-pat:"), "{key}");
    let shown = house.run(&["describe", "talk#1"], "").stdout;
    assert!(shown.contains(r#"18 bytes, synthetic, {"by_host":[1]}"#), "{shown}");
    let proof = json_of(&house, &["verify", "--json"]);
    assert_eq!(proof["messages"], 1, "{proof}");
    let odd = r#"{"role":"user","parts":[{"type":"text","text":"a","is_ignored":"perhaps"}]}"#;
    let refused = house.run(&["ingest", "--conversation", "talk"], &format!("{odd}\n"));
    assert_ne!(refused.status, 0, "{}", refused.shown());
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
        ended.stdout.starts_with("looked through 1 transcript: 1 problem\n\nhooks that failed: 1\n"),
        "{}",
        ended.stdout
    );
    assert!(ended.stdout.contains("session.jsonl:2 (2026-01-01T00:00:00Z): no space left"), "{}", ended.stdout);
    let found = json_of(&house, &["diagnose", "session.jsonl", "--json"]);
    assert_eq!((&found["problems"][0]["kind"], &found["problems"][0]["line"]), (&"hook".into(), &2.into()), "{found}");
    let twice = format!("{said}\n{failed}\n{failed}\n");
    house.write("session.jsonl", twice.as_bytes());
    let found = json_of(&house, &["diagnose", "session.jsonl", "--json"]);
    let error = &found["sessions"][0]["errors"][0];
    let wanted = serde_json::json!({
        "type": "hook-error", "hookEvent": "Stop", "command": "epitome hook claude-code Stop",
        "timestamp": "2026-01-01T00:00:00Z", "details": "no space left", "count": 2
    });
    assert_eq!((error, &found["sessions"][0]["sessionId"]), (&wanted, &"session".into()), "{found}");
    let totals = serde_json::json!({
        "sessionsScanned": 1, "sessionsWithErrors": 1, "totalErrors": 2, "totalWarnings": 0,
        "mostCommon": { "type": "hook-error", "count": 2 }
    });
    assert_eq!(found["totals"], totals);
    // Nothing went wrong, nothing is there, or what was asked for makes no sense.
    house.write("fine.jsonl", format!("{said}\n").as_bytes());
    assert_eq!(house.run(&["diagnose", "fine.jsonl"], "").status, 0);
    assert_eq!(house.run(&["diagnose"], "").status, 0);
    assert_eq!(house.run(&["diagnose", "none.jsonl"], "").status, 3);
    assert_eq!(house.run(&["diagnose", "--days", "0"], "").status, 2);
}

#[test]
fn diagnose_looks_at_sessions_of_the_project_unless_all_are_asked_for() {
    let house = House::new(&[]);
    let here = crate::host::project(&house).display().to_string();
    let elsewhere = house.home().join("elsewhere");
    fs_err::create_dir_all(&elsewhere).expect("a folder");
    for (name, cwd) in [("here", here.as_str()), ("there", elsewhere.to_str().expect("text"))] {
        let said = serde_json::json!({ "type": "user", "uuid": name, "sessionId": name, "cwd": cwd,
            "timestamp": "2026-01-01T00:00:00Z", "message": { "role": "user", "content": "hello" } });
        let title = serde_json::json!({ "type": "summary", "summary": format!("About {name}"), "leafUuid": name });
        let failed = serde_json::json!({ "type": "attachment", "timestamp": "2026-01-01T00:00:00Z",
            "attachment": { "type": "hook_non_blocking_error", "hookEvent": "Stop", "command": "epitome hook", "stderr": "no" } });
        house.write_home(
            &format!(".claude/projects/{name}/{name}.jsonl"),
            format!("{said}\n{title}\n{failed}\n").as_bytes(),
        );
    }
    let own = json_of(&house, &["diagnose", "--json"]);
    assert_eq!((&own["totals"]["sessionsScanned"], &own["elsewhere"]), (&1.into(), &1.into()), "{own}");
    assert_eq!(own["sessions"][0]["sessionName"], "About here", "{own}");
    let shown = house.run(&["diagnose"], "").stdout;
    assert!(shown.contains("not looked through: 1 transcript of other projects or of none (--all)\n"), "{shown}");
    assert!(shown.ends_with("epitome import takes in what hooks missed\n"), "{shown}");
    let all = json_of(&house, &["diagnose", "--all", "--days", "3", "--json"]);
    assert_eq!((&all["totals"]["sessionsScanned"], &all["totals"]["totalErrors"]), (&2.into(), &2.into()), "{all}");
    // A path that is named is looked at, whatever it is about.
    let path = house.home().join(".claude/projects/there/there.jsonl");
    let named = json_of(&house, &["diagnose", path.to_str().expect("text"), "--json"]);
    assert_eq!(named["totals"]["totalErrors"], 1, "{named}");
}

#[test]
fn status_tells_what_runs_and_when_something_last_happened() {
    let house = talked();
    let status = json_of(&house, &["status", "--json"]);
    let counts = [("conversations", 2), ("messages", 4), ("summaries", 0), ("summary_tokens", 0), ("memories", 0)];
    for (key, wanted) in counts {
        assert_eq!(status[key], wanted, "{key}: {status}");
    }
    assert!(status["last_ingest"].is_string() && status["last_compact"].is_null(), "{status}");
    assert_eq!(status["daemon"], serde_json::json!({ "running": false }));
    assert_eq!((&status["summarizer"], &status["agents"]), (&"built in".into(), &serde_json::json!([])));
    // Another project has nothing, and is told what there is in all.
    let elsewhere = house.run(&["--project", house.home().to_str().expect("text"), "status", "--json"], "").stdout;
    let elsewhere: Value = serde_json::from_str(&elsewhere).expect("JSON");
    assert_eq!((&elsewhere["messages"], &elsewhere["last_ingest"]), (&0.into(), &Value::Null), "{elsewhere}");
    assert_eq!(elsewhere["everything"]["messages"], 4, "{elsewhere}");
    assert_eq!(house.run(&["remember", "the quokka port is 4711"], "").status, 0);
    let chain = [("LCM_SUMMARY_PROVIDER", "anthropic"), ("LCM_SUMMARY_MODEL", "haiku")];
    let shown = house.run_with(&chain, &["status"], "").stdout;
    for line in [
        "conversations  2 with 4 messages, ",
        "summaries      0, 0 tokens\n",
        "memories       1\n",
        "last compact   never\n",
        "summarizer     anthropic/haiku\n",
        "agents         none connected (epitome init)\n",
        "daemon         down; hooks start it where it helps\n",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
}
