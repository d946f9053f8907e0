//! MCP over HTTP behind the same door: both eras of the protocol, with the token and not without.

use crate::client::Request;
use crate::process::{Place, Server};
use serde_json::{Value, json};

/// A message to MCP as a client sends it.
pub(crate) fn post(server: &Server, message: &Value) -> Request {
    server.request("POST", "/mcp").header("accept", "application/json, text/event-stream").json(&message.to_string())
}

/// A call of a tool in the era without sessions: everything is in the one request.
pub(crate) fn stateless_call(server: &Server, tool: &str, arguments: &Value) -> Request {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    let message = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
    post(server, &message)
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", tool)
}

fn initialize() -> Value {
    let client = json!({ "name": "test", "version": "1" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params })
}

/// Opens a session and gives its id.
fn session(server: &Server) -> String {
    let reply = post(server, &initialize()).send();
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(reply.message()["result"]["serverInfo"]["name"], "epitome");
    let session = reply.header("mcp-session-id").expect("a session").to_owned();
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(in_session(server, &session, &initialized).send().status, 202);
    session
}

fn in_session(server: &Server, session: &str, message: &Value) -> Request {
    post(server, message).header("mcp-session-id", session).header("mcp-protocol-version", "2025-11-25")
}

#[test]
fn a_client_with_a_session_calls_tools() {
    let place = Place::new();
    let server = place.serve();
    let session = session(&server);
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" });
    let reply = in_session(&server, &session, &list).send().message();
    let names: Vec<&str> =
        reply["result"]["tools"].as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["context", "read", "epitome"]);
    let params = json!({ "name": "read", "arguments": { "targets": ["src/lib.rs:2-2"] } });
    let call = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params });
    let reply = in_session(&server, &session, &call).send().message();
    let text = "pub fn add(left: u64, right: u64) -> u64 {\n";
    assert_eq!(reply["result"]["content"][0]["text"], text, "{reply}");
}

#[test]
fn a_client_without_a_session_calls_tools() {
    let place = Place::new();
    let server = place.serve_with(&["--profile", "full"]);
    let reply = stateless_call(&server, "status", &json!({})).send();
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(reply.header("mcp-session-id"), None);
    let expected = server.call("status", &json!({})).send().ok();
    assert_eq!(reply.message()["result"]["structuredContent"], expected);
}

#[test]
fn calls_over_mcp_are_counted_by_operation() {
    let place = Place::new();
    let server = place.serve();
    let search = json!({ "operation": "search", "arguments": { "query": "add" } });
    for (tool, arguments) in [("read", json!({ "targets": ["src/lib.rs"] })), ("epitome", search)] {
        assert_eq!(stateless_call(&server, tool, &arguments).send().status, 200);
    }
    let metrics = server.get("/metrics").send().body;
    let mut counted: Vec<&str> = metrics.lines().filter(|line| line.contains("door=\"mcp\"")).collect();
    counted.sort_unstable();
    let expected = ["read", "search"]
        .map(|operation| format!(r#"epitome_requests_total{{door="mcp",operation="{operation}",outcome="ok"}} 1"#));
    assert_eq!(counted, expected);
}

#[test]
fn the_guards_of_the_door_hold_for_mcp() {
    let place = Place::new();
    let server = place.serve_with(&["--profile", "full"]);
    let session = session(&server);
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" });
    let eras: [&dyn Fn() -> Request; 3] =
        [&|| post(&server, &initialize()), &|| in_session(&server, &session, &list), &|| {
            stateless_call(&server, "status", &json!({}))
        }];
    for request in eras {
        assert_eq!(request().send().status, 200);
        let refused = request().without("authorization").send();
        assert_eq!((refused.status, refused.header("www-authenticate")), (401, Some("Bearer")));
        assert_eq!(request().header("origin", "https://evil.example").send().status, 403);
        assert_eq!(request().header("host", "evil.example").send().status, 403);
        let own = format!("http://{}", server.address);
        assert_eq!(request().header("origin", &own).send().status, 200);
        let localhost = format!("localhost:{}", server.address.port());
        assert_eq!(request().header("host", &localhost).send().status, 200);
    }
}

#[test]
fn a_standing_stream_does_not_keep_the_server_from_stopping() {
    let place = Place::new();
    let server = place.serve();
    let session = session(&server);
    let stream = server.request("GET", "/mcp").header("accept", "text/event-stream");
    let stream = stream.header("mcp-session-id", &session).header("mcp-protocol-version", "2025-11-25");
    let mut open = stream.open();
    let mut head = [0; 12];
    open.read_exact(&mut head);
    assert_eq!(&head, b"HTTP/1.1 200");
    server.terminate();
    let (status, said) = server.ended();
    assert!(status.success(), "{status}");
    assert!(!said.contains("not done"), "{said}");
}

#[test]
fn the_conformance_suite_gets_in_without_a_token_and_only_to_mcp() {
    let place = Place::new();
    let server = place.serve_with(&["--conformance-fixtures"]);
    assert_eq!(post(&server, &initialize()).without("authorization").send().status, 200);
    let foreign = post(&server, &initialize()).without("authorization").header("origin", "https://evil.example");
    assert_eq!(foreign.send().status, 403);
    assert_eq!(server.call("status", &json!({})).without("authorization").send().status, 401);
}
