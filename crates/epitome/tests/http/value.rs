//! The ledger over HTTP: sessions, totals, how things are counted, and live events of calls of any process.

use crate::client::Request;
use crate::process::{Place, Server};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

fn get(server: &Server, path: &str) -> Value {
    server.request("GET", path).send().ok()
}

/// A connection that listens to events, from the moment at which the server hears it.
fn listen(server: &Server) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(server.address).expect("the server listens");
    stream.set_read_timeout(Some(Duration::from_mins(1))).expect("a time limit");
    let head = format!(
        "GET /v1/events HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\n\r\n",
        server.address, server.token
    );
    stream.write_all(head.as_bytes()).expect("the server reads");
    let mut lines = BufReader::new(stream);
    let mut line = String::new();
    while !line.contains("listening") {
        line.clear();
        assert!(lines.read_line(&mut line).expect("the server answers") > 0, "it hung up");
    }
    lines
}

/// The next event that is told.
fn next_event(lines: &mut BufReader<TcpStream>) -> Value {
    let mut line = String::new();
    loop {
        line.clear();
        assert!(lines.read_line(&mut line).expect("an event in time") > 0, "it hung up");
        if let Some(data) = line.strip_prefix("data:") {
            return serde_json::from_str(data.trim()).expect("JSON");
        }
    }
}

/// The next call that is told.
fn next_call(lines: &mut BufReader<TcpStream>) -> Value {
    let event = next_event(lines);
    assert_eq!(event["event"], "tool_call_recorded");
    event["entry"].clone()
}

#[test]
fn calls_of_this_server_and_of_other_processes_are_told_as_they_happen() {
    let place = Place::new();
    let server = place.serve();
    let mut events = listen(&server);
    server.request("POST", "/v1/status").header("epitome-session", "s1").json("{}").send().ok();
    let entry = next_call(&mut events);
    assert_eq!((&entry["door"], &entry["tool"], &entry["session"]), (&json!("http"), &json!("status"), &json!("s1")));
    assert!(place.run(&["tree"]).status.success());
    let entry = next_call(&mut events);
    assert_eq!((&entry["door"], &entry["tool"]), (&json!("cli"), &json!("tree")), "a call of another process");
}

#[test]
fn a_suggestion_is_told_as_it_is_made() {
    let place = Place::new();
    let server = place.serve();
    server.call("index", &json!({})).send().ok();
    let asked = json!({ "action": "add", "value": "*.rs", "trigger": "cursor_proximity" });
    server.call("subscription", &asked).send().ok();
    let mut events = listen(&server);
    let made = server.call("suggestion", &json!({ "action": "near", "id": "src/lib.rs:3" })).send().ok();
    // The calls around it are told as well.
    let told = std::iter::repeat_with(|| next_event(&mut events)).find(|event| event["event"] == "suggestion_made");
    let entry = &told.expect("events go on")["entry"];
    assert_eq!(entry, &made["suggestions"][0]);
    assert_eq!(entry["items"][0], json!({ "kind": "near", "place": "src/lib.rs#add" }));
}

#[test]
fn a_session_its_totals_and_the_formulas_are_there_under_known_names() {
    let place = Place::new();
    let server = place.serve();
    for mode in ["map", "raw"] {
        let body = json!({ "targets": ["src/lib.rs"], "mode": mode }).to_string();
        server.request("POST", "/v1/read").header("epitome-session", "a/b c").json(&body).send().ok();
    }
    let session = get(&server, "/api/value/session/a%2Fb%20c");
    assert_eq!(session["session"], "a/b c");
    assert_eq!(session["trace"].as_array().map(Vec::len), session["calls"].as_u64().map(|calls| calls as usize));
    for name in ["bytes_avoided", "tokens_avoided", "dollars"] {
        assert!(session[name].is_number(), "{name} of {session}");
    }
    // Without the letter behind them times of any number of digits sort as text.
    let time = |name: &str| session[name].as_str().map(|time| time.trim_end_matches('Z'));
    assert!(time("started").is_some() && time("started") <= time("last"), "{session}");
    let all = get(&server, "/api/value/aggregate");
    assert_eq!((&all["scope"], &all["calls"]), (&json!("lifetime"), &session["calls"]), "{all}");
    let by_session = get(&server, "/api/value/aggregate?scope=session&repo=all&days=2");
    assert_eq!(by_session["totals"][0]["key"], "a/b c", "{by_session}");
    let config = get(&server, "/api/value/config");
    assert_eq!((&config["retention_days"], &config["adaptive"]), (&json!(30), &json!(false)), "{config}");
    assert!(config["formulas"].as_array().expect("formulas").len() > 10 && config["prices"][0]["model"].is_string());
    for path in ["/api/value/session/nobody", "/api/value/aggregate?repo=elsewhere"] {
        assert_eq!(server.request("GET", path).send().status, 404, "{path}");
    }
    assert_eq!(server.request("GET", "/api/value/aggregate?scope=week").send().status, 400);
}

#[test]
fn nobody_listens_or_asks_without_the_token_or_from_another_page() {
    let place = Place::new();
    let server = place.serve();
    for path in ["/v1/events", "/ws", "/api/value/aggregate", "/api/value/config", "/api/value/session/x"] {
        let refused = server.request("GET", path).without("authorization").send();
        assert_eq!(refused.status, 401, "{path}");
        let refused = server.request("GET", path).header("origin", "https://evil.example").send();
        assert_eq!(refused.status, 403, "{path}");
    }
}

#[test]
fn a_socket_tells_of_calls_too() {
    let place = Place::new();
    let server = place.serve();
    let request = Request::new(server.address, "GET", "/ws")
        .header("host", &server.address.to_string())
        .header("authorization", &format!("Bearer {}", server.token))
        .header("connection", "upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
    let mut socket = request.open().into_stream();
    socket.set_read_timeout(Some(Duration::from_mins(1))).expect("a time limit");
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        socket.read_exact(&mut byte).expect("the server answers");
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).expect("text");
    assert!(head.starts_with("HTTP/1.1 101") && head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{head}");
    server.request("POST", "/v1/status").json("{}").send().ok();
    // A frame of text: its kind, its length in one, two or eight bytes, and the text.
    let mut frame = [0; 2];
    socket.read_exact(&mut frame).expect("a frame");
    assert_eq!(frame[0], 0x81);
    let length = match frame[1] {
        126 => {
            let mut length = [0; 2];
            socket.read_exact(&mut length).expect("a length");
            usize::from(u16::from_be_bytes(length))
        }
        127 => panic!("too long"),
        short => usize::from(short),
    };
    let mut text = vec![0; length];
    socket.read_exact(&mut text).expect("the text");
    let event: Value = serde_json::from_slice(&text).expect("JSON");
    assert_eq!((&event["event"], &event["entry"]["tool"]), (&json!("tool_call_recorded"), &json!("status")));
}
