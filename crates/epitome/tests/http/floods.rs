//! Clients that open connections and say nothing, or not enough: everybody else is served.

use crate::process::{Place, Server};
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::Duration;

/// A connection with half a request on it.
fn half_open(server: &Server) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).expect("the server listens");
    stream.set_read_timeout(Some(Duration::from_mins(1))).expect("a socket");
    stream.write_all(b"POST /v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ").expect("the server reads");
    stream
}

/// Whether the server closed a connection; waits until it does.
fn is_closed(mut stream: TcpStream) -> bool {
    // A connection that is torn down is an error to its reader, and as good as an end.
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Ok(_) => true,
        Err(error) => !matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut),
    }
}

#[test]
fn half_open_connections_give_way_to_those_that_ask() {
    let place = Place::new();
    let server = place.serve();
    let mut held: Vec<TcpStream> = (0..300).map(|_| half_open(&server)).collect();
    assert_eq!(server.get("/health").without("authorization").send().status, 200);
    server.call("status", &json!({})).send().ok();
    assert!(is_closed(held.remove(0)), "the oldest had to go");
    // The newest has its time, and no more.
    assert!(is_closed(held.pop().expect("one")), "a request must begin and end in time");
    server.call("status", &json!({})).send().ok();
}

#[test]
fn a_server_that_may_open_few_files_still_answers() {
    let place = Place::new();
    // Started by hand, because the limit is a matter of the shell.
    let mut command = std::process::Command::new("sh");
    let line = r#"ulimit -n 128; exec "$0" "$@""#;
    command.args(["-c", line, env!("CARGO_BIN_EXE_epitome"), "--project"]).arg(place.project.path());
    command.args(["serve", "--address", "127.0.0.1:0"]).env("EPITOME_HOME", place.home.path());
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let server = place.adopt(child);
    let _held: Vec<TcpStream> = (0..200).map(|_| half_open(&server)).collect();
    assert_eq!(server.get("/health").without("authorization").send().status, 200);
    server.call("status", &json!({})).send().ok();
}

#[test]
fn a_body_of_very_many_values_is_refused_before_it_is_parsed() {
    let place = Place::new();
    let server = place.serve();
    let body = format!("{{\"query\":[{}0]}}", "0,".repeat(4 << 20));
    let reply = server.request("POST", "/v1/search").json(&body).send();
    assert_eq!(reply.status, 413, "{}", reply.body);
    assert!(reply.body.contains("too many values"), "{}", reply.body);
}
