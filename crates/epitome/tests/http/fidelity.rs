//! What programs that know lcm expect of the server: its tools as routes, what busy and forbidden look like.

use crate::process::{Place, Server};
use serde_json::{Value, json};

fn talked() -> (Place, Server) {
    let place = Place::new();
    let server = place.serve();
    let messages: Vec<Value> = (0..6)
        .map(|number| json!({ "role": "user", "id": format!("m{number}"), "content": format!("apple {number}") }))
        .collect();
    server.call("ingest", &json!({ "conversation": "talk", "messages": messages })).send().ok();
    (place, server)
}

#[test]
fn tools_of_lcm_are_routes() {
    let (_place, server) = talked();
    let found = server.call("lcm_grep", &json!({ "pattern": "apple", "limit": 900 })).send().ok();
    assert_eq!(found["matches"].as_array().map(Vec::len), Some(6), "{found}");
    assert!(found["matches"][0]["conversationId"].is_string(), "{found}");
    let one = server.call("lcm_grep", &json!({ "pattern": "apple", "limit": 0 })).send().ok();
    assert_eq!(one["matches"].as_array().map(Vec::len), Some(1), "the least is one: {one}");
    let stats = server.call("lcm_stats", &json!({ "verbose": true })).send().ok();
    assert_eq!((&stats["messages"], &stats["conversationDetails"][0]["name"]), (&json!(6), &json!("talk")), "{stats}");
    let described = server.call("lcm_describe", &json!({ "id": found["matches"][0]["id"] })).send().ok();
    assert_eq!((&described["type"], &described["role"]), (&json!("message"), &json!("user")), "{described}");
    // Refused in the words of the tool.
    let refused = server.call("lcm_grep", &json!({ "query": "apple" })).send().shown();
    assert!(refused.starts_with("400 ") && refused.contains("missing parameter `pattern`"), "{refused}");
    let neither = server.call("lcm_expand_query", &json!({ "prompt": "which apple?" })).send().shown();
    assert!(neither.starts_with("400 ") && neither.contains("missing parameter `query` or `summaryIds`"), "{neither}");
    let unknown = server.call("lcm_gerp", &json!({})).send().shown();
    assert!(unknown.starts_with("404 ") && unknown.contains("did you mean `lcm_grep`?"), "{unknown}");
    // It looks at the machine of the server, so it is no route.
    assert_eq!(server.call("lcm_doctor", &json!({})).send().status, 404);
}

#[test]
fn whoever_comes_while_somebody_folds_is_told_when_to_come_again() {
    let (place, server) = talked();
    let id = server.call("describe", &json!({ "id": "talk" })).send().ok()["id"].as_str().expect("an id").to_owned();
    let leases = place.state("../data").join("leases");
    fs_err::create_dir_all(&leases).expect("our own folder");
    // What a process that folds holds; when it dies, the system lets go.
    let lock = fs_err::File::create(leases.join(format!("context-{id}.lock"))).expect("our own file");
    lock.lock().expect("nobody has it");
    let busy = server.call("compact", &json!({ "conversation": "talk" })).send();
    assert_eq!((busy.status, busy.header("retry-after")), (409, Some("5")), "{}", busy.shown());
    assert!(busy.shown().contains(r#""code":"busy""#), "{}", busy.shown());
    drop(lock);
    assert_eq!(server.call("compact", &json!({ "conversation": "talk" })).send().status, 200);
}

#[test]
fn what_a_grant_does_not_allow_is_forbidden() {
    let (_place, server) = talked();
    let params = json!({ "id": "talk#1", "grant": "grant_0000000000000000" });
    let refused = server.call("expand", &params).send();
    assert_eq!(refused.status, 403, "{}", refused.shown());
    // Another token would not help, so none is asked for.
    assert_eq!(refused.header("www-authenticate"), None);
}
