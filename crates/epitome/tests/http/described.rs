//! What the door says about itself: the description for programs and the metrics.

use crate::process::Place;
use expect_test::{expect, expect_file};
use serde_json::{Value, json};
use std::fmt::Write;

#[test]
fn the_description_is_the_one_that_was_agreed() {
    let place = Place::new();
    let reply = place.serve().get("/openapi.json").send();
    assert_eq!(reply.body, place.serve().get("/openapi.json").send().body);
    let document = reply.ok();
    let mut outline = String::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("methods") {
            let params = fields(&operation["requestBody"]["content"]["application/json"]["schema"]);
            let replied = fields(&operation["responses"]["200"]["content"]["application/json"]["schema"]);
            writeln!(outline, "{method} {path}\n  takes {params}\n  gives {replied}").expect("writing to a string");
        }
    }
    expect_file!["openapi.txt"].assert_eq(&outline);
}

/// The fields of an object with their types; a question mark where one may be left out.
fn fields(schema: &Value) -> String {
    let required = schema["required"].as_array().into_iter().flatten();
    let required: Vec<&str> = required.filter_map(Value::as_str).collect();
    let fields = schema["properties"].as_object().into_iter().flatten().map(|(name, field)| {
        let mark = if required.contains(&name.as_str()) { "" } else { "?" };
        let kind = match &field["type"] {
            Value::String(kind) => kind.clone(),
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("|"),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => "one of several".to_owned(),
        };
        format!("{name}{mark}: {kind}")
    });
    let fields: Vec<String> = fields.collect();
    if fields.is_empty() { "no fields".to_owned() } else { fields.join(", ") }
}

#[test]
fn the_description_has_the_shape_of_openapi() {
    let place = Place::new();
    let document = place.serve().get("/openapi.json").send().ok();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["security"], json!([{ "token": [] }]));
    let mut names = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        let methods = item.as_object().expect("methods");
        assert_eq!(methods.len(), 1, "{path}");
        for (method, operation) in methods {
            assert!(["get", "post"].contains(&method.as_str()), "{path}");
            names.push(operation["operationId"].as_str().expect("a name").to_owned());
            let responses = operation["responses"].as_object().expect("responses");
            assert!(responses.contains_key("200"), "{path}");
            assert_eq!(method == "post", operation.get("requestBody").is_some(), "{path}");
            if method == "post" {
                let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
                assert_eq!(schema["type"], "object", "{path}");
                assert_eq!(schema["additionalProperties"], false, "{path}");
                assert_eq!(responses["200"]["content"]["application/json"]["schema"]["type"], "object", "{path}");
                assert_eq!(path, &format!("/v1/{}", names[names.len() - 1]));
            }
        }
    }
    let mut unique = names.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), names.len());
    resolve(&document, &document);
}

/// Every reference leads somewhere.
fn resolve(value: &Value, document: &Value) {
    match value {
        Value::Object(map) => {
            if let Some(target) = map.get("$ref").and_then(Value::as_str) {
                let pointer = target.strip_prefix('#').expect("a reference within the document");
                assert!(document.pointer(pointer).is_some(), "{target}");
            }
            map.values().for_each(|value| resolve(value, document));
        }
        Value::Array(items) => items.iter().for_each(|value| resolve(value, document)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn metrics_count_what_was_called() {
    let place = Place::new();
    let server = place.serve();
    for query in ["add", "add", "nothing-of-this-name"] {
        server.call("search", &json!({ "query": query })).send();
    }
    server.call("search", &json!({})).send();
    server.call("no-such", &json!({})).send();
    server.call("status", &json!({})).without("authorization").send();
    server.call("verify", &json!({})).send().ok();
    let reply = server.get("/metrics").send();
    assert_eq!(reply.status, 200);
    assert_eq!(reply.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let mut counters: Vec<&str> =
        reply.body.lines().filter(|line| line.contains("_total{") || line.contains("_count")).collect();
    counters.sort_unstable();
    expect![[r#"
        epitome_request_seconds_count{operation="search"} 4
        epitome_request_seconds_count{operation="verify"} 1
        epitome_requests_total{door="http",operation="none",outcome="not_authorised"} 1
        epitome_requests_total{door="http",operation="none",outcome="unknown_operation"} 1
        epitome_requests_total{door="http",operation="search",outcome="invalid_parameter"} 1
        epitome_requests_total{door="http",operation="search",outcome="nothing_found"} 1
        epitome_requests_total{door="http",operation="search",outcome="ok"} 2
        epitome_requests_total{door="http",operation="verify",outcome="ok"} 1
        lcm_search_latency_ms_count 4
    "#]]
    .assert_eq(&(counters.join("\n") + "\n"));
    let mut described: Vec<&str> = reply.body.lines().filter(|line| line.starts_with('#')).collect();
    described.sort_unstable();
    expect![[r#"
        # HELP epitome_request_seconds Time that operations took, by operation
        # HELP epitome_requests_total Requests, by door, operation (none: refused before one was known) and outcome
        # HELP lcm_search_latency_ms Time that searches took (search, grep, recall), in milliseconds
        # TYPE epitome_request_seconds histogram
        # TYPE epitome_requests_total counter
        # TYPE lcm_search_latency_ms histogram
    "#]]
    .assert_eq(&(described.join("\n") + "\n"));
}
