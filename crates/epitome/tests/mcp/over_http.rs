//! The same over HTTP where it differs: a client stops a call by closing its stream, or by saying so in its session.

use crate::long_work::large;
use crate::process::{Place, initialize, stateless_meta};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const REPLY_TIMEOUT: Duration = Duration::from_mins(1);

/// A serving process that ends with its value.
struct Server {
    child: Child,
    address: String,
    token: String,
}

impl Server {
    fn start(place: &Place) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
        command.env_clear().env("EPITOME_HOME", place.home.path()).arg("--project").arg(place.project.path());
        command.args(["serve", "--profile", "full", "--address", "127.0.0.1:0"]).stderr(Stdio::null());
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the binary starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let ready: Value = serde_json::from_str(&line).expect("one JSON line");
        let address = ready["url"].as_str().and_then(|url| url.strip_prefix("http://")).expect("an address").to_owned();
        let token = fs_err::read_to_string(place.home.path().join("state/token")).expect("the token");
        Self { child, address, token: token.trim().to_owned() }
    }

    /// Sends a request; the reply is read from what is returned.
    fn send(&self, line: &str, headers: &[(&str, &str)], body: &str) -> BufReader<TcpStream> {
        let length = body.len().to_string();
        let token = format!("Bearer {}", self.token);
        let own =
            [("host", &*self.address), ("connection", "close"), ("authorization", &token), ("content-length", &length)];
        let headers = own.iter().chain(headers).map(|(name, value)| format!("{name}: {value}\r\n"));
        let head = format!("{line} HTTP/1.1\r\n{}", headers.collect::<String>());
        let mut stream = TcpStream::connect(&self.address).expect("the server listens");
        stream.set_read_timeout(Some(REPLY_TIMEOUT)).expect("a limit");
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).expect("the server reads");
        BufReader::new(stream)
    }

    fn post(&self, headers: &[(&str, &str)], message: &Value) -> BufReader<TcpStream> {
        let own = [("accept", "application/json, text/event-stream"), ("content-type", "application/json")];
        self.send("POST /mcp", &[&own, headers].concat(), &message.to_string())
    }

    /// Calls `index` without a session; by its first progress the work has begun.
    fn index_under_way(&self) -> BufReader<TcpStream> {
        let mut meta = stateless_meta();
        meta["progressToken"] = json!(1);
        let params = json!({ "name": "index", "arguments": {}, "_meta": meta });
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "index")];
        let mut reply = self.post(&headers, &call);
        await_progress(&mut reply);
        reply
    }

    /// Asks it to stop, as a service manager would.
    fn terminate(&self) {
        let status = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(status.expect("there is `kill`").success());
    }

    /// Waits until a call of `index` has ended and says how.
    fn outcome_of_index(&self) -> String {
        let deadline = Instant::now() + REPLY_TIMEOUT;
        while Instant::now() < deadline {
            let mut metrics = String::new();
            self.send("GET /metrics", &[], "").read_to_string(&mut metrics).expect("text");
            let counted =
                metrics.lines().find(|line| line.starts_with("epitome_requests_total") && line.contains("index"));
            if let Some(counted) = counted {
                return counted.to_owned();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the call does not end");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads a reply until its first progress, by which the work has begun.
fn await_progress(reply: &mut BufReader<TcpStream>) {
    let mut line = String::new();
    while !line.contains("notifications/progress") {
        line.clear();
        assert_ne!(reply.read_line(&mut line).expect("a line"), 0, "the reply ends without progress");
    }
}

const CANCELLED_METRIC_LINE: &str = r#"epitome_requests_total{door="mcp",operation="index",outcome="cancelled"} 1"#;

#[test]
fn closing_the_stream_stops_the_work_of_a_client_without_a_session() {
    let place = large(12_000);
    let server = Server::start(&place);
    drop(server.index_under_way());
    assert_eq!(server.outcome_of_index(), CANCELLED_METRIC_LINE);
}

#[test]
fn a_server_that_is_told_twice_to_stop_stops_the_work_and_says_so() {
    let place = large(12_000);
    let server = Server::start(&place);
    let mut reply = server.index_under_way();
    server.terminate();
    // The second signal must not melt into the first.
    while TcpStream::connect(&server.address).is_ok() {
        std::thread::sleep(Duration::from_millis(1));
    }
    server.terminate();
    let mut rest = String::new();
    reply.read_to_string(&mut rest).expect("text");
    let told = rest.lines().filter(|line| line.contains("\"isError\":true") && line.contains("\"id\":1"));
    assert_eq!(told.count(), 1, "{rest}");
}

#[test]
fn a_notification_stops_the_work_of_a_client_with_a_session() {
    let place = large(12_000);
    let server = Server::start(&place);
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize("2025-11-25") });
    let mut reply = String::new();
    server.post(&[], &hello).read_to_string(&mut reply).expect("text");
    let session = reply.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).expect("a session");
    let headers = [("mcp-session-id", session), ("mcp-protocol-version", "2025-11-25")];
    let params = json!({ "name": "index", "arguments": {}, "_meta": { "progressToken": "a" } });
    let mut reply =
        server.post(&headers, &json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params }));
    await_progress(&mut reply);
    let enough = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 2 } });
    let mut accepted = String::new();
    server.post(&headers, &enough).read_to_string(&mut accepted).expect("text");
    assert!(accepted.starts_with("HTTP/1.1 202"), "{accepted}");
    assert_eq!(server.outcome_of_index(), CANCELLED_METRIC_LINE);
}
