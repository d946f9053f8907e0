//! Resources and the prompt: what clients attach instead of calling tools.

use crate::process::{Era, Place, Session, quiet};
use serde_json::{Value, json};

const ERAS: [Era; 2] = [Era::Handshake("2025-11-25"), Era::Stateless];

fn read(session: &mut Session<'_>, uri: &str) -> Value {
    session.ask("resources/read", json!({ "uri": uri }))
}

#[test]
fn what_has_an_id_or_a_path_is_a_resource() {
    for era in ERAS {
        let place = Place::new();
        let mut session = place.open("full", era);
        let said = json!({ "id": "m1", "role": "user", "content": "The port is 8080." });
        let stored = session.call("ingest", json!({ "conversation": "talk", "messages": [said] }));
        let message = stored["structuredContent"]["acknowledged"][0]["message_id"].as_str().expect("an id").to_owned();

        let shapes = session.ask("resources/templates/list", json!({}));
        let shapes: Vec<&str> = shapes["result"]["resourceTemplates"]
            .as_array()
            .expect("templates")
            .iter()
            .filter_map(|shape| shape["uriTemplate"].as_str())
            .collect();
        assert_eq!(
            shapes,
            [
                "epitome://summary/{id}",
                "epitome://message/{id}",
                "epitome://conversation/{id}",
                "epitome://artifact/{id}",
                "epitome://file/{+path}"
            ]
        );

        let mut check = |uri: &str, expected: &str| {
            let response = read(&mut session, uri);
            let contents = &response["result"]["contents"][0];
            assert_eq!(contents["uri"], uri, "{response}");
            let text = contents["text"].as_str().expect("a text");
            assert!(text.contains(expected), "{uri}: {text}");
        };
        check(&format!("epitome://message/{message}"), "The port is 8080.");
        check("epitome://conversation/talk", "talk");
        check("epitome://file/src/session.rs:1-2", "pub fn check_password");
        check("epitome://tree", "src");
        check("epitome://briefing", "rust");

        for nowhere in ["epitome://summary/sum_0000000000000000", "epitome://file/../../etc/passwd", "other://x"] {
            let response = read(&mut session, nowhere);
            assert_eq!(response["error"]["data"]["uri"], nowhere, "{response}");
        }
        assert_eq!(session.end().status, Some(0));
    }
}

#[test]
fn an_artifact_is_read_byte_for_byte_and_page_by_page() {
    let place = Place::new();
    let mut session = place.open("full", Era::Stateless);
    let log: String = (0..40_000).map(|number| format!("line {number} of a log\n")).collect();
    let said = json!({ "id": "m1", "role": "tool", "content": log });
    session.call("ingest", json!({ "conversation": "talk", "messages": [said] }));
    let shown = session.call("history", json!({ "conversation": "talk" })).to_string();
    let at = shown.find("art_").expect("a mark");
    let id: String = shown[at..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let mut whole = String::new();
    let mut uri = format!("epitome://artifact/{id}");
    loop {
        let page = read(&mut session, &uri);
        let contents = &page["result"]["contents"][0];
        whole.push_str(contents["text"].as_str().unwrap_or_else(|| panic!("{page}")));
        match contents["_meta"]["continue_with"].as_str() {
            Some(next) => uri = next.to_owned(),
            None => break,
        }
    }
    assert!(whole == log, "{} bytes of {}", whole.len(), log.len());
    assert_eq!(session.end(), quiet());
}

#[test]
fn the_prompt_of_a_profile_is_its_instructions() {
    for (profile, name) in [("core", "epitome-system"), ("lvm", "lvm-system"), ("memtrace", "memtrace-system")] {
        for era in ERAS {
            let place = Place::new();
            let mut session = place.open(profile, era);
            let list = session.ask("prompts/list", json!({}));
            assert_eq!(list["result"]["prompts"][0]["name"], name, "{list}");
            let prompt = session.ask("prompts/get", json!({ "name": name }));
            let text = prompt["result"]["messages"][0]["content"]["text"].as_str().expect("a text");
            assert!(text.len() <= 2_048 && text.contains("never an instruction"), "{text}");
            let unknown = session.ask("prompts/get", json!({ "name": "other" }));
            assert_eq!(unknown["error"]["message"], "unknown prompt `other`");
            assert_eq!(session.end().status, Some(0));
        }
    }
}

#[test]
fn a_client_that_subscribed_is_told_of_a_suggestion() {
    let place = Place::new();
    let mut session = place.open("full", Era::Handshake("2025-11-25"));
    session.call("index", json!({}));
    let asked = json!({ "action": "add", "value": "*.rs", "trigger": "cursor_proximity" });
    assert_eq!(session.call("subscription", asked)["isError"], false);
    let subscribed = session.ask("resources/subscribe", json!({ "uri": "epitome://suggestions" }));
    assert_eq!(subscribed["result"], json!({}), "{subscribed}");
    let refused = session.ask("resources/subscribe", json!({ "uri": "epitome://tree" }));
    assert_eq!(refused["error"]["data"]["uri"], "epitome://tree", "{refused}");
    let id = session.request(
        "tools/call",
        json!({ "name": "suggestion", "arguments": { "action": "near", "id": "src/session.rs:2" } }),
    );
    // The notification may come before the answer, and comes once.
    let heard = [session.hear(), session.hear()];
    let told: Vec<&Value> = heard.iter().filter(|message| message["id"] != id).collect();
    assert_eq!(told.len(), 1, "{heard:?}");
    assert_eq!(told[0]["method"], "notifications/resources/updated");
    assert_eq!(told[0]["params"]["uri"], "epitome://suggestions");
    let listed = read(&mut session, "epitome://suggestions");
    let text = listed["result"]["contents"][0]["text"].as_str().expect("a text");
    assert!(text.contains("src/session.rs#check_password"), "{listed}");
    let ended = session.ask("resources/unsubscribe", json!({ "uri": "epitome://suggestions" }));
    assert_eq!(ended["result"], json!({}), "{ended}");
    assert_eq!(session.end().status, Some(0));
}
