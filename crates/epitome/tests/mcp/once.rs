//! Replies are sent once and keep to their budget: what an agent pays for is the text, with all that stands in it.

use crate::process::{Era, Place, Session, json_text, quiet};
use model::{TokenCount, count_tokens};
use serde_json::{Value, json};
use std::path::Path;

const BUDGETS: [u32; 5] = [200, 500, 1_000, 2_000, 4_000];

/// A project with the files of a folder of this repository.
fn copied(folder: &str) -> Place {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let mut files = Vec::new();
    gather(&root, &root, &mut files);
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Place::with_project(&files)
}

fn gather(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) {
    for entry in fs_err::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            gather(root, &path, files);
        } else if let Ok(text) = fs_err::read_to_string(&path) {
            files.push((path.strip_prefix(root).expect("below it").to_string_lossy().into_owned(), text));
        }
    }
}

/// Calls a tool of `core` and gives the text, which is all there is.
fn text(session: &mut Session<'_>, tool: &str, arguments: &Value) -> String {
    let result = session.call(tool, arguments.clone());
    assert_eq!(result["isError"], false, "{tool} {arguments}: {result}");
    assert_eq!(result.get("structuredContent"), None, "{tool} {arguments}");
    assert_eq!(result["content"].as_array().map(Vec::len), Some(1), "{tool} {arguments}");
    result["content"][0]["text"].as_str().expect("text").to_owned()
}

#[track_caller]
fn check_budget(text: &str, budget: u32, what: &Value) {
    let tokens = count_tokens(text);
    assert!(tokens <= TokenCount(budget), "{what}: {tokens} tokens for {budget}\n{text}");
}

#[test]
fn the_text_of_an_answer_keeps_to_its_budget_whatever_stands_in_it() {
    let questions = [
        "how are passwords checked",
        "where is a budget kept and how is an answer packed?",
        "list all errors",
        "why did we decide to keep the ledger?",
        "what does Sesion do? and how is a file watched?",
        "hello",
    ];
    for folder in ["examples/shop", "crates/engine/src"] {
        let place = copied(folder);
        let mut session = place.open("core", Era::Stateless);
        let said: Vec<Value> = (0..40)
            .map(|number| {
                let told = "the ledger is kept because a budget must be told. ".repeat(1 + number % 7);
                json!({ "role": if number % 2 == 0 { "user" } else { "assistant" }, "content": format!("{number}: {told}") })
            })
            .collect();
        let said = json!({ "operation": "ingest", "arguments": { "conversation": "talk", "messages": said } });
        text(&mut session, "epitome", &said);
        let paths: Vec<String> =
            text(&mut session, "epitome", &json!({ "operation": "search", "query": "cart password read budget" }))
                .lines()
                .filter_map(|line| Some(line.split_once(':')?.0.to_owned()))
                .filter(|path| !path.starts_with(' '))
                .collect();
        for budget in BUDGETS {
            for question in questions {
                let asked = json!({ "query": question, "budget": budget });
                check_budget(&text(&mut session, "context", &asked), budget, &asked);
                let asked = json!({ "operation": "recall", "arguments": asked });
                check_budget(&text(&mut session, "epitome", &asked), budget, &asked);
            }
            let asked = json!({ "targets": paths, "budget": budget });
            check_budget(&text(&mut session, "read", &asked), budget, &asked);
            for (operation, mut arguments) in [
                ("assemble", json!({ "conversation": "talk" })),
                ("expand", json!({ "id": "talk#7" })),
                ("briefing", json!({})),
            ] {
                arguments["budget"] = json!(budget);
                let asked = json!({ "operation": operation, "arguments": arguments });
                check_budget(&text(&mut session, "epitome", &asked), budget, &asked);
            }
        }
        assert_eq!(session.end(), quiet());
    }
}

#[test]
fn an_answer_tells_its_true_size() {
    let place = copied("examples/shop");
    let mut session = place.open("core", Era::Handshake("2025-11-25"));
    for budget in BUDGETS {
        let answer = text(&mut session, "context", &json!({ "query": "how are passwords checked", "budget": budget }));
        let told = answer.lines().find_map(|line| line.strip_suffix(" tokens")).expect("its size");
        assert_eq!(told, count_tokens(&answer).to_string(), "{answer}");
    }
    assert_eq!(session.end(), quiet());
}

#[test]
fn a_tool_that_declares_its_replies_sends_both_forms() {
    let place = Place::new();
    let mut session = place.open("full", Era::Stateless);
    let result = session.call("context", json!({ "query": "how is a password checked", "budget": 500 }));
    let text = result["content"][0]["text"].as_str().expect("text");
    assert!(text.contains("check_password"), "{result}");
    assert_eq!(result["structuredContent"]["items"][0]["source"], "src/session.rs:1-4", "{result}");
    assert_eq!(result["structuredContent"]["tokens"], count_tokens(text).0);
    assert_eq!(session.end(), quiet());
}

#[test]
fn another_system_s_tools_send_its_json_once() {
    let place = Place::new();
    for (profile, tool, arguments, pointer, expected) in [
        ("ctx-sys", "context_query", json!({ "query": "how is a password checked" }), "/items/0/from", json!("code")),
        ("memtrace", "find_code", json!({ "query": "check_password" }), "/results/0/path", json!("src/session.rs")),
        ("lvm", "get_skeleton", json!({ "filePath": "notes.md" }), "/items/0/path", json!("notes.md")),
        ("lcm", "lcm_store", json!({ "text": "herons nest in March" }), "/stored", json!(true)),
    ] {
        let mut session = place.open(profile, Era::Stateless);
        let reply = json_text(&session.call(tool, arguments));
        assert_eq!(reply.pointer(pointer), Some(&expected), "{profile}: {reply}");
        let tools = session.ask("tools/list", json!({}));
        assert!(!tools.to_string().contains("outputSchema"), "{profile}");
        let refused = session.call(tool, json!({ "no such parameter": 1 }));
        assert_eq!(
            (&refused["isError"], refused.get("structuredContent")),
            (&json!(true), None),
            "{profile}: {refused}"
        );
        assert_eq!(session.end(), quiet());
    }
}

#[test]
fn the_text_tells_that_a_symbol_has_another_name_than_the_one_asked_for() {
    let place = Place::new();
    let mut session = place.open("core", Era::Stateless);
    let near = json!({ "operation": "symbol", "arguments": { "name": "check_pasword" } });
    assert!(text(&mut session, "epitome", &near).contains("near the one asked for"));
    let exact = json!({ "operation": "symbol", "arguments": { "name": "check_password" } });
    assert!(!text(&mut session, "epitome", &exact).contains("near the one asked for"));
    assert_eq!(session.end(), quiet());
}
