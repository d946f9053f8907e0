//! Replies are as their tools declare them: some clients refuse any other.

use crate::process::{Era, Place, quiet};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What of a value is not as a schema has it; the parts of JSON Schema that our schemas use.
fn faults(schema: &Value, value: &Value, at: &str) -> Vec<String> {
    let either = ["anyOf", "oneOf"].iter().find_map(|key| schema[*key].as_array());
    if either.is_some_and(|ways| ways.iter().all(|way| !faults(way, value, at).is_empty())) {
        return vec![format!("{at}: {value} is none of {schema}")];
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is_kind = |wanted: &Value| wanted == kind || (wanted == "number" && kind == "integer");
    let wanted = &schema["type"];
    let fits = wanted.is_null() || is_kind(wanted) || wanted.as_array().is_some_and(|kinds| kinds.iter().any(is_kind));
    let is_listed = |allowed: &Value| allowed.as_array().is_none_or(|allowed| allowed.contains(value));
    if !fits || !is_listed(&schema["enum"]) || schema.get("const").is_some_and(|only| only != value) {
        return vec![format!("{at}: {value} is not {schema}")];
    }
    let mut found = Vec::new();
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.get(name).is_none() {
            found.push(format!("{at}: no {name}"));
        }
    }
    for (name, field) in value.as_object().into_iter().flatten() {
        match (schema["properties"].get(name), schema.get("additionalProperties")) {
            (Some(declared), _) => found.extend(faults(declared, field, &format!("{at}/{name}"))),
            (None, Some(Value::Bool(false))) => found.push(format!("{at}: {name} is not declared")),
            (None, Some(other)) => found.extend(faults(other, field, &format!("{at}/{name}"))),
            (None, None) => {}
        }
    }
    for item in value.as_array().into_iter().flatten() {
        found.extend(faults(&schema["items"], item, &format!("{at}/items")));
    }
    found
}

#[test]
fn every_reply_is_as_its_tool_declares_it() {
    let place = Place::new();
    let mut session = place.open("full", Era::Handshake("2025-11-25"));
    let listed = session.ask("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().expect("tools");
    let mut declared: BTreeMap<&str, &Value> = BTreeMap::new();
    for tool in tools {
        declared.insert(tool["name"].as_str().expect("a name"), &tool["outputSchema"]);
    }
    let said = |id: u32, text: &str| json!({ "role": "user", "content": text, "id": id.to_string() });
    let messages: Vec<Value> =
        (0..40).map(|id| said(id, &"The server must listen on port 8080. ".repeat(60))).collect();
    let ingested = session.call("ingest", json!({ "conversation": "talk", "messages": messages }));
    let id = ingested["structuredContent"]["acknowledged"][0]["message_id"].as_str().expect("an id").to_owned();
    let calls = [
        ("ingest", json!({ "conversation": "talk", "messages": [said(1, "again")] })),
        ("index", json!({})),
        ("index", json!({ "rebuild": true })),
        ("read", json!({ "targets": ["notes.md", "nowhere.md", "src/session.rs#check_password"] })),
        ("tree", json!({})),
        ("symbol", json!({ "name": "check_password" })),
        ("symbol", json!({ "name": "no_such_name" })),
        ("relations", json!({ "symbol": "src/session.rs#check_password" })),
        ("impact", json!({ "symbols": ["src/session.rs#check_password"] })),
        ("critique", json!({ "draft": "`check_password(a, b, c, d)` in notes.md calls `made_up_name`." })),
        ("critique", json!({ "draft": "`check_password` is here.", "query": "how is a password checked" })),
        ("briefing", json!({})),
        ("document", json!({})),
        ("document", json!({ "action": "show", "path": "notes.md" })),
        ("coverage", json!({ "sentences": true })),
        ("entity", json!({ "action": "add", "type": "concept", "name": "Login", "metadata": { "a": [1] } })),
        ("entity", json!({ "action": "link", "name": "Login", "target": "src/session.rs#check_password" })),
        ("relations", json!({ "symbol": "src/session.rs#check_password" })),
        ("entity", json!({ "action": "show", "name": "Login", "depth": 3 })),
        ("entity", json!({ "action": "show", "name": "src/session.rs" })),
        ("entity", json!({ "type": "function" })),
        ("search", json!({ "query": "password" })),
        ("search", json!({ "query": "xylophone" })),
        ("context", json!({ "query": "how is a password checked", "budget": 200 })),
        ("remember", json!({ "text": "The server has two disks", "tags": ["disk"], "metadata": { "a": [1] } })),
        ("recall", json!({ "query": "which port" })),
        ("recall", json!({ "query": "how many disks has the server" })),
        ("recall", json!({ "query": "xylophone" })),
        ("grep", json!({ "pattern": "port" })),
        ("grep", json!({ "pattern": "xylophone" })),
        ("history", json!({ "conversation": "talk" })),
        ("history", json!({})),
        ("compact", json!({ "conversation": "talk" })),
        ("compact", json!({ "conversation": "talk" })),
        ("assemble", json!({ "conversation": "talk", "budget": 4_000 })),
        ("describe", json!({ "id": id })),
        ("expand", json!({ "id": id })),
        ("grant", json!({ "conversations": ["talk"] })),
        ("stats", json!({ "verbose": true })),
        ("promote", json!({ "verbose": true })),
        ("memories", json!({ "all": true })),
        ("reflection", json!({ "action": "add", "text": "sums of f32 lose cents", "outcome": "failure" })),
        ("reflection", json!({ "action": "find", "text": "cents" })),
        ("reflection", json!({ "action": "summary" })),
        ("tier", json!({ "action": "add", "text": "totals are cents" })),
        ("tier", json!({ "action": "spill" })),
        ("tier", json!({ "action": "recall", "text": "cents" })),
        (
            "checkpoint",
            json!({ "action": "save", "session": "talk", "state": { "query": "port it", "plan": ["read"] } }),
        ),
        ("checkpoint", json!({ "action": "load" })),
        ("checkpoint", json!({ "action": "list" })),
        ("subscription", json!({ "action": "add", "value": "src/**" })),
        ("subscription", json!({ "action": "list" })),
        ("suggestion", json!({})),
        ("suggestion", json!({ "action": "near", "id": "src/lib.rs:1" })),
        ("window", json!({})),
        ("team", json!({ "action": "list" })),
        ("knowledge", json!({ "action": "import" })),
        ("import", json!({})),
        ("decisions", json!({ "about": "the port" })),
        ("session", json!({ "action": "summarize", "session": "talk" })),
        ("session", json!({ "action": "list" })),
        ("value", json!({})),
        ("modes", json!({})),
        ("status", json!({})),
        ("project", json!({})),
        ("entity", json!({ "action": "remove", "name": "Login" })),
        ("verify", json!({})),
        ("repair", json!({})),
    ];
    let mut answered = BTreeSet::new();
    for (tool, arguments) in calls {
        let reply = session.call(tool, arguments.clone());
        assert_eq!(reply["isError"], json!(false), "{tool} {arguments}: {reply}");
        let content = &reply["structuredContent"];
        assert_eq!(faults(declared[tool], content, ""), [""; 0], "{tool} {arguments}: {content}");
        answered.insert(tool);
    }
    assert!(declared.keys().eq(&answered), "{answered:?} of {:?}", declared.keys());
    assert_eq!(session.end(), quiet());
}
