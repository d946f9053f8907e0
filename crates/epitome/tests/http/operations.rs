//! Every operation once, with the replies that the command line prints.

use crate::process::{Place, Server};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Calls that every project answers, in an order in which each has something to find.
fn calls() -> Vec<(&'static str, Value)> {
    let message = |role: &str, text: &str| json!({ "role": role, "content": text, "id": text });
    let messages = [message("user", "why does add overflow"), message("assistant", "because u64 ends")];
    vec![
        ("index", json!({})),
        ("search", json!({ "query": "add", "limit": 1, "preview": true })),
        ("context", json!({ "query": "how are numbers added", "budget": 500 })),
        ("read", json!({ "targets": ["src/lib.rs:2-3"] })),
        ("symbol", json!({ "name": "ad" })),
        ("relations", json!({ "symbol": "add", "only": ["container"] })),
        ("impact", json!({ "symbols": ["src/lib.rs#add"] })),
        ("critique", json!({ "draft": "`add(left, right, carry)` adds." })),
        ("document", json!({})),
        ("coverage", json!({})),
        ("entity", json!({ "action": "add", "type": "concept", "name": "Sum" })),
        ("tree", json!({ "path": "src" })),
        ("briefing", json!({})),
        ("ingest", json!({ "conversation": "talk", "messages": messages })),
        ("history", json!({ "conversation": "talk" })),
        ("recall", json!({ "query": "why does u64 end?" })),
        ("grep", json!({ "pattern": "over.low" })),
        ("decisions", json!({ "about": "overflow" })),
        ("session", json!({ "action": "list", "state": "active" })),
        ("value", json!({ "spend": true })),
        ("window", json!({})),
        ("modes", json!({})),
        ("stats", json!({})),
        ("status", json!({})),
        ("verify", json!({})),
    ]
}

fn answers(server: &Server) -> Vec<(&'static str, Value)> {
    calls().into_iter().map(|(operation, params)| (operation, server.call(operation, &params).send().ok())).collect()
}

#[test]
fn every_operation_is_a_route() {
    let place = Place::new();
    let server = place.serve();
    let answers = answers(&server);
    let of = |name: &str| &answers.iter().find(|(operation, _)| *operation == name).expect("it was called").1;
    let index = json!({ "files": 1, "indexed": 1, "unchanged": 0, "removed": 0, "skipped": [] });
    for (field, expected) in index.as_object().expect("an object") {
        assert_eq!(&of("index")[field], expected, "{field}");
    }
    assert_eq!(of("search")["results"][0]["path"], "src/lib.rs");
    assert_eq!(of("context")["gate"]["retrieve"], true);
    let text = "pub fn add(left: u64, right: u64) -> u64 {\n    left + right\n";
    assert_eq!(of("read")["items"][0]["text"], text);
    assert_eq!(of("symbol")["symbols"][0]["returns"], "u64");
    assert_eq!(of("relations")["relations"][0]["id"], "src/lib.rs");
    assert_eq!(of("impact")["changed"][0]["handle"], of("symbol")["symbols"][0]["handle"]);
    assert_eq!(of("critique")["issues"][0]["severity"], "high");
    assert_eq!((&of("document")["omitted"], &of("coverage")["requirements"]), (&json!(0), &json!([])));
    assert_eq!(of("entity")["entity"]["name"], "Sum");
    assert_eq!(of("tree")["tree"], "lib.rs\n");
    assert_eq!(of("briefing")["languages"][0]["name"], "rust");
    let acknowledged = of("ingest")["acknowledged"].as_array().expect("a list");
    assert_eq!(acknowledged.iter().map(|entry| entry["seq"].as_u64()).collect::<Vec<_>>(), [Some(1), Some(2)]);
    assert_eq!(of("history")["messages"][1]["content"], "because u64 ends");
    assert_eq!(of("recall")["results"][0]["text"], "because u64 ends");
    assert_eq!(of("recall")["results"][0]["source"], "talk#2");
    assert_eq!(of("stats")["messages"], 2);
    assert_eq!(of("grep")["total"], 1);
    assert_eq!(of("grep")["matches"][0]["id"], acknowledged[0]["message_id"]);
    assert_eq!(of("decisions")["decisions"], json!([]));
    assert_eq!(of("session")["sessions"][0]["name"], "talk");
    assert_eq!((&of("value")["spend"]["background"], &of("value")["total"]["dollars"]), (&json!(false), &json!(0.0)));
    // Nor sees what is in the contexts of agents on it.
    assert_eq!(of("window"), &json!({ "results": 0, "tokens": 0, "files": [] }));
    assert_eq!(of("status")["messages"], 2);
    let verified = json!({ "ok": true, "conversations": 1, "lines": 0, "messages": 2, "summaries": 0, "gaps": 0, "sources": [],
            "artifacts": 0, "memories": 0, "records": 0, "problems": [] });
    assert_eq!(of("verify"), &verified);
    // Whoever asks from elsewhere may not have files of this machine read.
    let import = server.call("import", &json!({ "paths": ["/etc/passwd"] })).send().shown();
    assert!(import.starts_with("400 ") && import.contains("this server's disk"), "{import}");

    let talk = &json!({ "conversation": "talk" });
    assert_eq!(server.call("compact", talk).send().ok()["runs"][0]["summaries"], 0, "two messages stay");
    assert_eq!(server.call("assemble", talk).send().ok()["items"][1]["text"], "because u64 ends");
    let message = json!({ "id": acknowledged[0]["message_id"] });
    assert_eq!(server.call("describe", &message).send().ok()["id"], message["id"]);
    let nothing = server.call("expand", &json!({ "id": "sum_0000000000000000" })).send().shown();
    assert!(nothing.starts_with("404 "), "{nothing}");
    let grant = server.call("grant", &json!({ "conversations": ["talk"], "tokens": 10 })).send().ok();
    assert!(grant["grant"].as_str().is_some() || grant["id"].as_str().is_some(), "{grant}");

    assert_eq!(server.call("repair", &json!({})).send().ok()["problems"], json!([]));

    let kept = server.call("remember", &json!({ "text": "the total is a u64" })).send().ok();
    let listed = server.call("memories", &json!({})).send().ok();
    assert_eq!(listed["memories"][0]["memory_id"], kept["memory_id"], "{listed}");
    assert!(kept["memory_id"].is_string(), "{kept}");
    assert_eq!(server.call("promote", talk).send().ok()["promoted"], 0);

    let state = json!({ "query": "port it", "plan": ["read", "write"], "currentStepIndex": 1 });
    let saved = server.call("checkpoint", &json!({ "action": "save", "session": "talk", "state": state })).send().ok();
    let loaded = server.call("checkpoint", &json!({ "action": "load" })).send().ok();
    assert_eq!(
        (&loaded["checkpoints"][0]["id"], &loaded["checkpoints"][0]["state"]),
        (&saved["checkpoints"][0]["id"], &state)
    );
    let lesson = json!({ "action": "add", "text": "sums of f32 lose cents", "outcome": "failure" });
    assert_eq!(server.call("reflection", &lesson).send().ok()["outcome"], "new");
    let found = server.call("reflection", &json!({ "action": "find", "text": "cents" })).send().ok();
    assert_eq!(found["reflections"][0]["outcome"], "failure", "{found}");
    server.call("tier", &json!({ "action": "add", "text": "totals are cents" })).send().ok();
    assert_eq!(server.call("tier", &json!({ "action": "status" })).send().ok()["hot"]["items"], 1);
    let asked = server.call("subscription", &json!({ "action": "add", "value": "src/**" })).send().ok();
    assert_eq!(asked["subscriptions"][0]["status"], "active", "{asked}");
    assert_eq!(server.call("suggestion", &json!({})).send().ok()["suggestions"], json!([]));

    assert_eq!(server.call("team", &json!({ "action": "list" })).send().ok()["items"], json!([]));
    let files = server.call("knowledge", &json!({ "action": "import" })).send().ok();
    assert_eq!(files["omitted"], 0, "{files}");

    let projects = server.call("project", &json!({})).send().ok();
    assert_eq!((&projects["totals"]["messages"], &projects["projects"][0]["messages"]), (&json!(2), &json!(2)));

    let folding = [
        "assemble",
        "checkpoint",
        "compact",
        "describe",
        "expand",
        "grant",
        "knowledge",
        "memories",
        "promote",
        "reflection",
        "remember",
        "repair",
        "subscription",
        "suggestion",
        "team",
        "tier",
    ];
    let called = answers.iter().map(|(name, _)| *name).chain(folding).chain(["import", "project"]);
    let called: BTreeSet<String> = called.map(|name| format!("/v1/{name}")).collect();
    let described = server.get("/openapi.json").send().ok();
    let described = described["paths"].as_object().expect("paths").keys();
    // Events are no operation.
    let described = described.filter(|path| path.starts_with("/v1/") && *path != "/v1/events");
    assert_eq!(called, described.cloned().collect(), "an operation is missing from this test, or from the description");
}

#[test]
fn replies_are_those_of_the_command_line() {
    let place = Place::new();
    let server = place.serve();
    answers(&server);
    let commands: [(&str, &[&str]); 11] = [
        ("search", &["add", "--limit", "1"]),
        ("context", &["how are numbers added", "--budget", "500"]),
        ("read", &["src/lib.rs:2-3"]),
        ("symbol", &["ad"]),
        ("relations", &["add", "--only", "container"]),
        ("impact", &["src/lib.rs#add"]),
        ("tree", &["src"]),
        ("briefing", &[]),
        ("history", &["--conversation", "talk"]),
        ("grep", &["over.low"]),
        ("status", &[]),
    ];
    for (operation, arguments) in commands {
        let output = place.run(&[&["--json", operation], arguments].concat());
        let mut printed: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
        let (_, params) = calls().into_iter().find(|(name, _)| *name == operation).expect("a call of it");
        let mut answered = server.call(operation, &params).send().ok();
        // Each process notes for itself what was used of its answers, and writes it down later; what else runs and is
        // connected on a machine is told to its user only.
        for reply in [&mut printed, &mut answered] {
            let reply = reply.as_object_mut().expect("an object");
            for name in ["feedback", "daemon", "agents"] {
                reply.remove(name);
            }
        }
        assert_eq!(answered, printed, "{operation}");
    }
}

#[test]
fn many_callers_at_once_all_get_their_answer() {
    let place = Place::new();
    let server = place.serve();
    let writers = 8;
    let each = 10;
    std::thread::scope(|scope| {
        for writer in 0..writers {
            let server = &server;
            scope.spawn(move || {
                for number in 0..each {
                    let message = json!({ "role": "user", "content": format!("{writer} says {number}") });
                    let params = json!({ "conversation": "crowd", "messages": [message] });
                    let reply = server.call("ingest", &params).send().ok();
                    assert!(reply["acknowledged"][0]["message_id"].is_string(), "{reply}");
                    assert_eq!(server.call("search", &json!({ "query": "add" })).send().status, 200);
                }
            });
        }
    });
    let history = server.call("history", &json!({ "conversation": "crowd", "limit": 1000 })).send().ok();
    let messages = history["messages"].as_array().expect("messages");
    let numbers: Vec<u64> = messages.iter().filter_map(|message| message["seq"].as_u64()).collect();
    assert_eq!(numbers, (1..=writers * each).collect::<Vec<u64>>());
    let contents: BTreeSet<&str> = messages.iter().filter_map(|message| message["content"].as_str()).collect();
    assert_eq!(contents.len() as u64, writers * each);
    assert_eq!(server.call("verify", &json!({})).send().ok()["ok"], true);
}
