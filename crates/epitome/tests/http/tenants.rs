//! Several tenants on one PostgreSQL: each token sees its own, through operations and through MCP.

use crate::mcp::stateless_call;
use crate::process::{Place, Server};
use serde_json::{Value, json};
use testkit::postgres::PostgresCluster;

/// A place whose server keeps its rows in `cluster`.
pub(crate) fn place(cluster: &PostgresCluster) -> Place {
    let place = Place::new();
    let made = place.run(&["--json", "database", "init", cluster.url()]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let made: Value = serde_json::from_slice(&made.stdout).expect("one JSON object");
    place.variable("EPITOME_DATABASE_URL", made["url"].as_str().expect("where to connect"))
}

fn new_token(place: &Place, tenant: &str) -> String {
    let made = place.run(&["serve", "token", "--tenant", tenant]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    String::from_utf8(made.stdout).expect("text").trim().to_owned()
}

/// What a token reads of the conversation `plans`: its messages, or the status of the refusal.
fn plans(server: &Server, token: &str) -> Result<Vec<String>, u16> {
    let bearer = format!("Bearer {token}");
    let reply = server.call("history", &json!({ "conversation": "plans" })).header("authorization", &bearer).send();
    let tool = stateless_call(server, "history", &json!({ "conversation": "plans" })).header("authorization", &bearer);
    let tool = tool.send().message();
    let contents = |reply: &Value| -> Vec<String> {
        let messages = reply["messages"].as_array().into_iter().flatten();
        messages.filter_map(|message| message["content"].as_str()).map(str::to_owned).collect()
    };
    assert_eq!(
        contents(&tool["result"]["structuredContent"]),
        contents(&serde_json::from_str(&reply.body).expect("JSON"))
    );
    if reply.status == 200 { Ok(contents(&reply.ok())) } else { Err(reply.status) }
}

fn say(server: &Server, token: &str, text: &str) {
    let params = json!({ "conversation": "plans", "messages": [{ "role": "user", "content": text }] });
    server.call("ingest", &params).header("authorization", &format!("Bearer {token}")).send().ok();
}

#[test]
fn each_token_sees_its_own_tenant_and_no_other() {
    let cluster = PostgresCluster::start();
    let place = place(&cluster);
    let a = new_token(&place, "team-a");
    let a_again = new_token(&place, "team-a");
    let b = new_token(&place, "team-b");
    let server = place.serve_with(&["--profile", "full"]);
    let own = server.token.clone();
    say(&server, &a, "a takes the hill");
    assert_eq!(plans(&server, &a), Ok(vec!["a takes the hill".to_owned()]));
    assert_eq!(plans(&server, &a_again), Ok(vec!["a takes the hill".to_owned()]));
    assert_eq!(plans(&server, &b), Err(404));
    assert_eq!(plans(&server, &own), Err(404));
    say(&server, &b, "b holds the bridge");
    assert_eq!(plans(&server, &a), Ok(vec!["a takes the hill".to_owned()]));
    assert_eq!(plans(&server, &b), Ok(vec!["b holds the bridge".to_owned()]));
    let found = |token: &str| {
        let params = json!({ "pattern": "the", "mode": "full_text" });
        server.call("grep", &params).header("authorization", &format!("Bearer {token}")).send().ok()["total"].clone()
    };
    assert_eq!([found(&a), found(&b), found(&own)], [json!(1), json!(1), json!(0)]);
}

#[test]
fn tokens_of_members_see_what_is_theirs_and_what_is_shared() {
    let cluster = PostgresCluster::start();
    let place = place(&cluster);
    let token = |arguments: &[&str]| {
        let made = place.run(&[&["serve", "token", "--tenant", "team-a"][..], arguments].concat());
        String::from_utf8(made.stdout).expect("text").trim().to_owned()
    };
    let [ana, bob, anybody] = [&["--member", "ana"][..], &["--member", "bob"], &[]].map(token);
    let server = place.serve();
    let ask = |token: &str, operation: &str, params: Value| {
        server.call(operation, &params).header("authorization", &format!("Bearer {token}")).send().ok()
    };
    let remembered = |token: &str| -> Vec<String> {
        let listed = ask(token, "memories", json!({}));
        let memories = listed["memories"].as_array().into_iter().flatten();
        memories.filter_map(|memory| memory["content"].as_str()).map(str::to_owned).collect()
    };
    let kept = ask(&ana, "remember", json!({ "text": "the launch is in May" }));
    ask(&anybody, "remember", json!({ "text": "prices are whole cents" }));
    assert_eq!(remembered(&ana).len(), 2);
    assert_eq!(remembered(&bob), ["prices are whole cents"], "a token without a member keeps what is of all");
    let shared = ask(&ana, "team", json!({ "action": "share", "ids": [kept["memory_id"]] }));
    assert_eq!(shared["items"][0]["author"], "ana", "{shared}");
    ask(&bob, "subscription", json!({ "action": "add", "value": "ana", "pattern": "author" }));
    assert_eq!(remembered(&bob).len(), 2);
    // A caller from elsewhere is shown files and accepts none.
    let refused = server.call("knowledge", &json!({ "action": "import", "all": true })).send();
    assert_eq!(refused.status, 400, "{}", refused.body);
    let refused = server.call("knowledge", &json!({ "action": "export" })).send();
    assert_eq!(refused.status, 400, "{}", refused.body);
}

#[test]
fn health_says_when_the_store_does_not_answer() {
    let cluster = PostgresCluster::start_durable();
    let place = place(&cluster);
    let server = place.serve();
    assert_eq!(server.get("/health").without("authorization").send().status, 200);
    drop(cluster);
    let reply = server.get("/health").without("authorization").send();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(reply.shown(), format!(r#"503 {{"status":"unavailable","version":"{version}"}}"#));
}
