//! Tools that are called: what comes back for programs, for agents, and when something is wrong.

use crate::process::{ERAS, Era, Place, quiet};
use expect_test::{Expect, expect};
use serde_json::{Value, json};
use std::process::Command;

#[track_caller]
fn check(actual: &Value, expected: &Expect) {
    expected.assert_eq(&format!("{actual:#}\n"));
}

/// The text that an agent reads.
fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().expect("text")
}

#[test]
fn messages_go_in_and_come_back_in_every_era() {
    for era in ERAS {
        let place = Place::new();
        let mut session = place.open("full", era);
        let messages = json!([
            { "role": "user", "content": "why does the build fail?", "at": "2026-01-02T03:04:05Z", "id": "1" },
            { "role": "assistant", "content": "the linker runs out of memory", "id": "2" },
        ]);
        let stored = session.call("ingest", json!({ "conversation": "builds", "messages": messages }));
        assert_eq!(stored["structuredContent"]["acknowledged"][1]["seq"], 2, "{era:?} {stored}");
        let history = session.call("history", json!({ "conversation": "builds" }));
        let told = text(&history);
        let (before, rest) = told.split_once("[2] assistant received ").expect("the time of receipt");
        assert_eq!(before, "[1] user at 2026-01-02T03:04:05Z\nwhy does the build fail?\n\n");
        assert!(rest.ends_with("Z\nthe linker runs out of memory\n\n"), "{told}");
        let found = session.call("grep", json!({ "pattern": "link(er|ing)" }));
        let id = &stored["structuredContent"]["acknowledged"][1]["message_id"];
        assert_eq!(&found["structuredContent"]["matches"][0]["id"], id, "{era:?} {found}");
        assert_eq!(found["structuredContent"]["total"], 1);
        assert_eq!(session.end(), quiet(), "{era:?}");
    }
}

#[test]
fn a_search_takes_strategies_relations_and_ids() {
    let place = Place::with_project(&[
        ("a.py", "class Vault:\n    def lookup(self):\n        return 1\n"),
        ("b.py", "from a import Vault\n\n\nclass Safe(Vault):\n    pass\n"),
    ]);
    let mut session = place.open("full", Era::Stateless);
    let fused = session.call("search", json!({ "query": "Valut", "strategy": "rrf", "explain": true }));
    let fused = &fused["structuredContent"];
    assert_eq!(fused["corrected"], json!([{ "given": "Valut", "meant": "Vault" }]));
    assert_eq!(fused["results"][0]["parts"][0]["name"], "keyword_rank", "{fused}");
    let with = session.call("search", json!({ "query": "Safe", "expand": ["parents"], "limit": 1 }));
    let related = &with["structuredContent"]["results"][0]["related"][0];
    assert_eq!((&related["relation"], &related["id"]), (&json!("supertype"), &json!("a.py#Vault")), "{with}");
    let related = session.call("search", json!({ "related": "a.py#Vault" }));
    assert_eq!(related["structuredContent"]["results"][0]["path"], "b.py", "{related}");
    for (wrong, says) in [
        (json!({}), "has no word to look for"),
        (json!({ "query": "x", "expand": ["children"] }), "expand"),
        (json!({ "query": "x", "related": "Vault" }), "cannot be combined with a query"),
        (json!({ "related": "no_such_thing" }), "no_such_thing"),
    ] {
        let refused = session.call("search", wrong.clone());
        assert!(refused.to_string().contains(says) && refused["isError"] != json!(false), "{wrong}: {refused}");
    }
    assert_eq!(session.end(), quiet());
}

#[test]
fn code_is_searched_and_packed() {
    let place = Place::new();
    let mut session = place.open("full", Era::Stateless);
    let mut found = session.call("search", json!({ "query": "check_password", "limit": 1 }));
    // How high it scores is the ranking's business.
    assert!(found["structuredContent"]["results"][0]["score"].take().is_number(), "{found}");
    check(
        &found,
        &expect![[r#"
            {
              "resultType": "complete",
              "content": [
                {
                  "type": "text",
                  "text": "src/session.rs:1-4  function check_password\n    matches: check, password · defines the function · name · similar meaning\n"
                }
              ],
              "structuredContent": {
                "results": [
                  {
                    "path": "src/session.rs",
                    "start_line": 1,
                    "end_line": 4,
                    "score": null,
                    "symbol": "src/session.rs#check_password",
                    "kind": "function",
                    "why": "matches: check, password · defines the function · name · similar meaning"
                  }
                ]
              },
              "isError": false,
              "_meta": {
                "io.modelcontextprotocol/serverInfo": {
                  "name": "epitome",
                  "version": "0.2.0"
                }
              }
            }
        "#]],
    );
    let context = session.call("context", json!({ "query": "how is a password checked", "budget": 100 }));
    check(
        &context["structuredContent"]["items"],
        &expect![[r#"
            [
              {
                "source": "src/session.rs:1-4",
                "from": "code",
                "text": "/// Checks a password against its stored hash.\npub fn check_password(given: &str) -> bool {\n    !given.is_empty()\n}\n",
                "tokens": 44,
                "why": "matches: password, checked · name · similar meaning"
              }
            ]
        "#]],
    );
    assert_eq!(session.end(), quiet());
}

#[test]
fn files_are_read() {
    let place = Place::new();
    let mut session = place.open("full", Era::Stateless);
    session.call("index", json!({}));
    let read = session.call("read", json!({ "targets": ["notes.md:3-3"] }));
    check(
        &read["structuredContent"],
        &expect![[r#"
            {
              "items": [
                {
                  "id": "notes.md:3-3",
                  "path": "notes.md",
                  "start_line": 3,
                  "end_line": 3,
                  "text": "The server listens on port 8080.\n",
                  "mode": "raw",
                  "freshness": "fresh",
                  "lossy": false,
                  "original_bytes": 33,
                  "compressed_bytes": 33,
                  "ratio": 1.0,
                  "tokens": 9
                }
              ],
              "omitted": [],
              "tokens": 9
            }
        "#]],
    );
    assert_eq!(text(&read), "The server listens on port 8080.\n");
    assert_eq!(session.end(), quiet());
}

#[test]
fn what_the_caller_got_wrong_is_told_in_the_result() {
    let place = Place::new();
    let mut session = place.open("core", Era::Handshake("2025-11-25"));
    check(
        &session.call("context", json!({ "colour": "red" })),
        &expect![[r#"
            {
              "content": [
                {
                  "type": "text",
                  "text": "unknown field `colour`, expected one of `query`, `budget`, `format`, `anyway`, `strategy`, `expand`, `depth`, `hyde`, `projects`"
                }
              ],
              "isError": true
            }
        "#]],
    );
    check(
        &session.call("read", json!({ "targets": ["no/such.rs"] })),
        &expect![[r#"
            {
              "content": [
                {
                  "type": "text",
                  "text": "file `no/such.rs` does not exist\nhint: paths are relative to the project; epitome search finds files by name"
                }
              ],
              "isError": true
            }
        "#]],
    );
    assert_eq!(session.end(), quiet());
}

#[test]
fn a_tool_that_declares_its_replies_tells_problems_as_text_only() {
    let place = Place::new();
    let mut session = place.open("full", Era::Handshake("2025-11-25"));
    check(
        &session.call("history", json!({ "conversation": "none" })),
        &expect![[r#"
            {
              "content": [
                {
                  "type": "text",
                  "text": "conversation `none` does not exist\nhint: epitome history lists them; epitome import and epitome ingest add to them"
                }
              ],
              "isError": true
            }
        "#]],
    );
    assert_eq!(session.end(), quiet());
}

#[test]
fn a_request_that_cannot_be_a_call_is_refused_by_the_protocol() {
    for era in ERAS {
        let place = Place::new();
        let mut session = place.open("full", era);
        let rows = [
            (json!({ "name": "serch" }), "unknown tool `serch`; did you mean `search`?"),
            (json!({ "name": "format-disk" }), "unknown tool `format-disk`"),
            (json!({ "name": 5 }), "tools/call needs `name` and takes `arguments`, an object"),
            (json!({ "name": "search", "arguments": [] }), "tools/call needs `name` and takes `arguments`, an object"),
        ];
        for (params, message) in rows {
            let response = session.ask("tools/call", params);
            assert_eq!(response["error"], json!({ "code": -32602, "message": message }), "{era:?}");
        }
        let response = session.ask("tools/list", json!({ "cursor": "2" }));
        assert_eq!(response["error"]["message"], "unknown cursor `2`: the list has one page");
        assert_eq!(session.end().status, Some(0), "{era:?}");
    }
}

#[test]
fn an_agent_asks_other_projects_by_name() {
    for era in ERAS {
        let place = Place::new();
        let other = place.home.path().join("accounts");
        fs_err::create_dir_all(&other).expect("creates");
        fs_err::write(other.join("auth.py"), "def check_password(given):\n    return given\n").expect("writes");
        let mut session = place.open("full", era);
        let unknown = session.call("symbol", json!({ "name": "check_password", "projects": ["accounts"] }));
        assert_eq!(unknown["isError"], true, "{era:?} {unknown}");
        assert!(text(&unknown).contains("known are "), "{unknown}");
        let path = other.display().to_string();
        let mut index = Command::new(env!("CARGO_BIN_EXE_epitome"));
        index.env_clear().env("EPITOME_HOME", place.home.path()).args(["index", &path, "--quiet"]);
        assert!(index.output().expect("runs").status.success());
        let found = session.call("symbol", json!({ "name": "check_password", "projects": ["accounts"] }));
        assert_eq!(found["structuredContent"]["symbols"][0]["project"], "accounts", "{era:?} {found}");
        assert!(text(&found).starts_with("accounts:auth.py#check_password"), "{found}");
        let named =
            session.call("project", json!({ "action": "set", "which": "accounts", "description": "who may in" }));
        assert_eq!(named["structuredContent"]["projects"][0]["description"], "who may in", "{era:?} {named}");
        assert_eq!(session.end(), quiet(), "{era:?}");
    }
}
