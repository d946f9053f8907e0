//! A client that asks without waiting: everything is answered, and the server stays small.

use crate::process::{Era, Place, quiet};
use serde_json::{Value, json};
use std::collections::HashSet;

/// The bar for a server, in KiB.
const MOST_MEMORY: u64 = 256 << 10;

/// The most memory that a process has had, in KiB.
fn peak_memory(process: u32) -> u64 {
    let status = fs_err::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux says it");
    line.split_whitespace().next().and_then(|number| number.parse().ok()).expect("a number")
}

#[cfg(target_os = "linux")]
#[test]
fn calls_without_a_pause_are_all_answered_in_bounded_memory() {
    let place = Place::new();
    let mut session = place.open("full", Era::Stateless);
    let mut open = HashSet::new();
    for number in 0..1_500 {
        let (tool, arguments) =
            if number % 2 == 0 { ("status", json!({})) } else { ("read", json!({ "targets": ["notes.md"] })) };
        open.insert(session.request("tools/call", json!({ "name": tool, "arguments": arguments })));
    }
    while !open.is_empty() {
        let answer = session.hear();
        assert!(answer["result"]["isError"] != true && answer["error"] == Value::Null, "{answer}");
        assert!(open.remove(&answer["id"].as_u64().expect("an id")), "answered twice: {answer}");
    }
    let peak = peak_memory(session.process());
    assert!(peak < MOST_MEMORY, "{peak} KiB");
    assert_eq!(session.end(), quiet());
}

#[cfg(target_os = "linux")]
#[test]
fn a_line_of_very_many_values_is_refused_before_it_is_parsed() {
    let place = Place::new();
    let mut session = place.open("core", Era::Stateless);
    let meta = crate::process::stateless_meta();
    for values in ["0,", "[],", "{},", "\"\","] {
        let many = values.repeat((15 << 20) / values.len());
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{{\"name\":\"epitome\",\"_meta\":{meta},\
             \"arguments\":{{\"x\":[{many}0]}}}}}}"
        );
        session.write(line.as_bytes());
        assert_eq!(session.hear()["error"], json!({ "code": -32600, "message": "line holds too many values" }));
    }
    let peak = peak_memory(session.process());
    assert!(peak < MOST_MEMORY, "{peak} KiB");
    assert_eq!(session.end(), quiet());
}

#[test]
fn a_call_behind_many_that_were_cancelled_is_answered() {
    let place = Place::new();
    let mut session = place.open("core", Era::Handshake("2025-11-25"));
    for _ in 0..200 {
        let id = session.request("tools/call", json!({ "name": "epitome", "arguments": { "operation": "status" } }));
        session.tell(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
    }
    let last = session.request("tools/list", json!({}));
    while session.hear()["id"] != last {}
    assert_eq!(session.end().status, Some(0));
}
