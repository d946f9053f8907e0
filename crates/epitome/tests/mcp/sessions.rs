//! Sessions of another system's profile, and what an agent may have imported.

use crate::process::{Era, Place, json_text, quiet};
use serde_json::json;

#[test]
fn messages_are_stored_and_read_without_a_session() {
    let place = Place::new();
    let mut session = place.open("ctx-sys", Era::Stateless);
    let none = json_text(&session.call("get_history", json!({})));
    assert_eq!(none["messages"], json!([]));
    let metadata = json!({ "model": "m-1", "tokenCount": 7, "responseTimeMs": 12, "toolCalls": ["read"] });
    let first = json!({ "role": "user", "content": "We decided to use port 8080 because 80 is taken." });
    assert_eq!(json_text(&session.call("store_message", first))["acknowledged"][0]["seq"], 1);
    let second = json!({ "role": "assistant", "content": "Noted.", "metadata": metadata });
    assert_eq!(json_text(&session.call("store_message", second))["acknowledged"][0]["seq"], 2);
    let history = json_text(&session.call("get_history", json!({})));
    assert_eq!(history["messages"][1]["metadata"], metadata);
    assert_eq!(history["messages"][0].get("metadata"), None);
    let decided = json_text(&session.call("decision_search", json!({ "query": "which port?" })));
    assert_eq!(decided["decisions"][0]["reason"], "80 is taken");
    assert_eq!(decided["decisions"][0]["status"], "in force");
    assert_eq!(session.end(), quiet());
    // Another process goes on with the same session.
    let mut session = place.open("ctx-sys", Era::Stateless);
    let third = json!({ "role": "user", "content": "And the host?" });
    assert_eq!(json_text(&session.call("store_message", third))["acknowledged"][0]["seq"], 3);
    assert_eq!(session.end(), quiet());
}

#[test]
fn an_agent_imports_from_the_folders_of_agents_and_from_those_that_the_user_allows() {
    let place = Place::new();
    let line = r#"{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","content":"hi"}}"#;
    let own = place.home.path().join(".claude/projects/p");
    let other = place.home.path().join("elsewhere");
    for folder in [&own, &other] {
        fs_err::create_dir_all(folder).expect("a folder");
        fs_err::write(folder.join("s.jsonl"), format!("{line}\n")).expect("a transcript");
    }
    std::os::unix::fs::symlink(&other, own.join("link")).expect("a link");
    let import = |allowed: Option<&str>, path: &std::path::Path| {
        let mut command = place.command("full");
        command.env("HOME", place.home.path());
        if let Some(allowed) = allowed {
            command.env("EPITOME_IMPORT_FOLDERS", allowed);
        }
        let mut session = place.spawn(command);
        let answer = session.call("import", json!({ "paths": [path], "dry_run": true }));
        assert_eq!(session.end(), quiet());
        answer.to_string()
    };
    assert!(import(None, &own).contains("1 transcript"));
    for path in [other.as_path(), &own.join("link"), &other.join("nothing")] {
        let refused = import(None, path);
        assert!(refused.contains("lies in no folder of an agent") && refused.contains("import.folders"), "{refused}");
    }
    assert!(import(Some("~/elsewhere"), &other).contains("1 transcript"));
}
