//! Lines that are no message: each is answered, and the next one is read.

use crate::process::{Era, Place, Session, quiet, stateless_meta};
use serde_json::{Value, json};

/// The server answers what follows as if nothing had been.
#[track_caller]
fn lives(session: &mut Session<'_>) {
    let response = session.ask("tools/list", json!({}));
    assert!(response["result"]["tools"].is_array(), "{response}");
}

#[test]
fn a_line_that_is_no_message_is_answered_and_the_server_lives() {
    let rows: [(&[u8], Value); 7] = [
        (
            b"{\"jsonrpc\":",
            json!({ "code": -32700, "message": "line is no JSON: EOF while parsing a value at line 1 column 11" }),
        ),
        (b"hello", json!({ "code": -32700, "message": "line is no JSON: expected value at line 1 column 1" })),
        (b"\xFF\xFE", json!({ "code": -32700, "message": "line is no JSON: expected value at line 1 column 1" })),
        (b"[]", json!({ "code": -32600, "message": "line is no JSON-RPC 2.0 message" })),
        (b"{}", json!({ "code": -32600, "message": "line is no JSON-RPC 2.0 message" })),
        (b"null", json!({ "code": -32600, "message": "line is no JSON-RPC 2.0 message" })),
        (b"{\"id\": 1, \"method\": 2}", json!({ "code": -32600, "message": "line is no JSON-RPC 2.0 message" })),
    ];
    for era in [Era::Handshake("2025-11-25"), Era::Stateless] {
        let place = Place::new();
        let mut session = place.open("core", era);
        for (line, error) in &rows {
            session.write(line);
            let answer = session.hear();
            assert_eq!(&answer["error"], error, "{era:?} {}", String::from_utf8_lossy(line));
        }
        lives(&mut session);
        assert_eq!(session.end(), quiet(), "{era:?}");
    }
}

#[test]
fn an_answer_carries_the_id_where_the_line_has_one() {
    let place = Place::new();
    let mut session = place.open("core", Era::Stateless);
    session.write(b"{\"id\": \"x\", \"method\": 2}");
    assert_eq!(session.hear()["id"], "x");
    session.write(b"{\"jsonrpc\": \"1.0\", \"id\": 5, \"method\": \"tools/list\"}");
    assert_eq!(session.hear()["id"], 5);
    session.write(b"nonsense");
    assert_eq!(session.hear().get("id"), None);
}

#[test]
fn a_line_of_more_than_sixteen_mebibytes_is_refused_and_the_next_is_read() {
    let place = Place::new();
    let mut session = place.open("core", Era::Stateless);
    session.write(&vec![b'x'; 40 << 20]);
    let answer = session.hear();
    assert_eq!(answer["error"], json!({ "code": -32700, "message": "line is longer than 16 MiB" }));
    lives(&mut session);
    assert_eq!(session.end(), quiet());
}

#[test]
fn a_line_just_short_of_the_limit_is_read() {
    let place = Place::new();
    let mut session = place.open("core", Era::Stateless);
    let mut line = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/call\",\"params\":{{\"name\":\"epitome\",\"_meta\":{}}}}}",
        stateless_meta()
    );
    line.push_str(&" ".repeat((16 << 20) - 1 - line.len()));
    session.write(line.as_bytes());
    assert_eq!(session.hear()["id"], 9);
}

#[test]
fn empty_lines_line_ends_and_byte_order_marks_are_passed_over() {
    let place = Place::new();
    let mut session = place.open("core", Era::Stateless);
    session.write(b"");
    session.write(b"\r");
    let message =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": { "_meta": stateless_meta() } });
    session.write(format!("\u{feff}{message}\r").as_bytes());
    assert_eq!(session.hear()["id"], 1);
    assert_eq!(session.end(), quiet());
}

#[test]
fn notifications_and_answers_that_nobody_waits_for_are_passed_over() {
    let place = Place::new();
    let mut session = place.start("core");
    // Before anything was asked, and after.
    for _ in 0..2 {
        session.tell(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }));
        session.tell(&json!({ "jsonrpc": "2.0", "method": "no/such/notification" }));
        session.tell(&json!({ "jsonrpc": "2.0", "id": 5, "result": {} }));
        session.tell(&json!({ "jsonrpc": "2.0", "id": 5, "error": { "code": 1, "message": "no" } }));
        lives(&mut session);
    }
    assert_eq!(session.end(), quiet());
}

#[test]
fn a_last_line_without_its_newline_is_read_like_any_other() {
    let place = Place::new();
    let params = json!({ "_meta": stateless_meta() });
    let whole = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": params }).to_string();
    for (line, pointer, expected) in [(&*whole, "/id", json!(2)), (&whole[..20], "/error/code", json!(-32700))] {
        let mut session = place.open("core", Era::Stateless);
        lives(&mut session);
        session.write_without_newline(line.as_bytes());
        let ended = session.end();
        let answers: Vec<Value> = ended.unheard.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let found: Vec<Option<&Value>> = answers.iter().map(|answer| answer.pointer(pointer)).collect();
        assert_eq!((found, ended.status, &*ended.talk), (vec![Some(&expected)], Some(0), ""), "{line}");
    }
}
