//! What a server takes of the machine's memory.

#![cfg(target_os = "linux")]

use crate::process::{Era, Place, quiet};
use serde_json::json;

#[test]
fn a_server_is_given_no_huge_pages() {
    let place = Place::new();
    let mut session = place.open("core", Era::Stateless);
    session.call("context", json!({ "query": "how is a password checked" }));
    let status = fs_err::read_to_string(format!("/proc/{}/status", session.process())).expect("the process runs");
    assert!(status.contains("THP_enabled:\t0"), "{status}");
    let memory = fs_err::read_to_string(format!("/proc/{}/smaps_rollup", session.process())).expect("the process runs");
    let huge = memory.lines().find(|line| line.starts_with("AnonHugePages:")).expect("a line");
    assert_eq!(huge.split_whitespace().nth(1), Some("0"), "{memory}");
    assert_eq!(session.end(), quiet());
}
