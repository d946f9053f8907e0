//! Starting and stopping.

use crate::process::Place;
use expect_test::expect;
use serde_json::{Value, json};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

const POLL_INTERVAL: Duration = Duration::from_millis(10);

#[test]
fn a_start_prints_one_line_for_programs_and_the_rest_for_people() {
    let place = Place::new();
    let server = place.serve();
    let url = format!("http://{}", server.address);
    let line: Value = serde_json::from_str(&server.line).expect("JSON");
    assert_eq!(line, json!({ "url": url, "mcp": format!("{url}/mcp") }));
    server.terminate();
    let (status, said) = server.ended();
    assert!(status.success(), "{status}");
    let said = said.replace(&place.home.path().display().to_string(), "HOME").replace(&url, "URL");
    expect![[r#"
        listening on URL, MCP at URL/mcp; Ctrl-C stops
        the dashboard is at URL/
        the token is in HOME/state/token; a first call:
          curl -d '{}' -H 'Content-Type: application/json' \
            -H "Authorization: Bearer $(cat HOME/state/token)" URL/v1/status
    "#]]
    .assert_eq(&said);
}

#[test]
fn a_request_under_way_is_finished_before_the_end() {
    let place = Place::new();
    let server = place.serve();
    let message = json!({ "role": "user", "content": "last words" });
    let body = json!({ "conversation": "end", "messages": [message] }).to_string();
    let (first, rest) = body.split_at(10);
    let mut open = server.request("POST", "/v1/ingest").json(&body).open();
    open.write(first.as_bytes());
    // An answer on a second connection shows that the first has been taken too.
    assert_eq!(server.get("/health").send().status, 200);
    server.terminate();
    while TcpStream::connect(server.address).is_ok() {
        std::thread::sleep(POLL_INTERVAL);
    }
    open.write(rest.as_bytes());
    let reply = open.reply().ok();
    assert_eq!(reply["acknowledged"][0]["seq"], 1);
    let (status, _) = server.ended();
    assert!(status.success(), "{status}");
    let history = place.serve().call("history", &json!({ "conversation": "end" })).send().ok();
    assert_eq!(history["messages"][0]["content"], "last words");
}

#[test]
fn work_stops_when_its_caller_goes_away() {
    let source = "pub fn one() -> u64 {\n    1\n}\n".repeat(200);
    let files: Vec<(String, &str)> = (0..2000).map(|number| (format!("src/f{number}.rs"), source.as_str())).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let place = Place::with_project(&files);
    let server = place.serve();
    let leave = || {
        let mut open = server.request("POST", "/v1/index").json("{}").open();
        open.write(b"{}");
        assert_eq!(server.get("/health").send().status, 200);
    };
    let counted = || {
        let text = server.get("/metrics").send().body;
        let is_it = |line: &&str| line.contains("operation=\"index\"") && line.contains("outcome");
        text.lines().find(is_it).map(str::to_owned)
    };
    // A caller that is gone before anybody read what it wants leaves nothing behind; then another one goes away.
    let counted = (0..20).find_map(|_| {
        leave();
        (0..100).find_map(|_| {
            std::thread::sleep(POLL_INTERVAL);
            counted()
        })
    });
    let counted = counted.expect("it is counted");
    assert!(
        counted.starts_with(r#"epitome_requests_total{door="http",operation="index",outcome="cancelled"} "#),
        "{counted}"
    );
    assert_eq!(server.call("status", &json!({})).send().ok()["index_ready"], false);
}

#[test]
fn a_taken_port_is_an_error_that_says_what_to_do() {
    let place = Place::new();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("an address").to_string();
    expect![[r"
        error: cannot listen on ADDRESS: Address already in use (os error 98)
        hint: stop what listens there, or choose another port with --address (port 0 takes a free one)
        exit status 1
    "]]
    .assert_eq(&place.failure(&["serve", "--address", &address]).replace(&address, "ADDRESS"));
}

#[test]
fn an_address_for_other_machines_must_be_asked_for() {
    let place = Place::new();
    expect![[r"
        error: cannot listen on 0.0.0.0:0: other machines could connect, and nothing is encrypted
        hint: listen on 127.0.0.1 behind a proxy that speaks TLS, or trust the network with --allow-remote
        exit status 2
    "]]
    .assert_eq(&place.failure(&["serve", "--address", "0.0.0.0:0"]));
    expect![[r"
        error: cannot listen on [::]:0 with test fixtures: they are for this machine only
        exit status 2
    "]]
    .assert_eq(&place.failure(&["serve", "--address", "[::]:0", "--allow-remote", "--conformance-fixtures"]));
    let server = place.serve_with(&["--allow-remote"]);
    assert_eq!(server.get("/health").send().status, 200);
}

#[test]
fn an_unknown_profile_is_an_error_before_anything_listens() {
    let place = Place::new();
    expect![[r"
        error: unknown profile `ful`
        hint: did you mean `full`?
        exit status 2
    "]]
    .assert_eq(&place.failure(&["serve", "--address", "127.0.0.1:0", "--profile", "ful"]));
}
