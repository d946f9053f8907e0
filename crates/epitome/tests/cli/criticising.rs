//! `critique` from the outside: on the command line, and at the end of an agent's turn.

use super::host::project;
use super::house::House;
use serde_json::{Value, json};

const FILES: &[(&str, &str)] = &[(
    "till/desk.py",
    "class Desk:\n    def total(self, prices):\n        return add(prices)\n\n\ndef add(prices):\n    return sum(prices)\n",
)];

#[test]
fn a_contradicted_draft_ends_with_a_status_of_its_own() {
    let house = House::new(FILES);
    let ended = house.run(&["critique", "`Desk.total(prices)` calls `add`."], "");
    assert_eq!(ended.status, 0, "{}", ended.shown());
    assert!(ended.stdout.starts_with("passed: 4 claims"), "{}", ended.stdout);
    let ended = house.run(&["critique", "-"], "`Desk.refund()` is in `till/desk.py`.\n");
    assert_eq!(ended.status, 1, "{}", ended.shown());
    assert!(ended.stdout.contains("high hallucination: `Desk.refund()`"), "{}", ended.stdout);
    let ended = house.run(&["critique", "`add(prices, tax)` is all.", "--context", "nothing", "--json"], "");
    let told: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!((&told["passed"], &told["issues"][0]["type"]), (&json!(false), &json!("hallucination")), "{told}");
    assert_eq!(told["issues"][0]["span"], json!({ "start": 0, "end": 18 }), "{told}");
}

#[test]
fn the_end_of_a_turn_is_criticised_once_and_only_where_it_is_switched_on() {
    let house = House::new(FILES);
    house.run(&["index"], "");
    let hook = |event: &str, more: &Value| {
        let mut body = json!({ "session_id": "s", "cwd": project(&house) });
        body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        house.run(&["hook", event, "--agent", "claude-code"], &body.to_string()).stdout
    };
    let stop = || hook("Stop", &json!({ "last_assistant_message": "Done. `Desk.refund()` is in `till/desk.py`." }));
    let prompt = || hook("UserPromptSubmit", &json!({ "prompt": "go on" }));
    assert_eq!(stop(), "", "nobody asked for it");
    house.write_home("config/config.toml", b"[hooks]\ncritique = true\ndaemon_seconds = 0\n");
    let told: Value = serde_json::from_str(&stop()).expect("an answer");
    let notice = told["systemMessage"].as_str().unwrap_or_default();
    assert!(notice.starts_with("epitome: the code contradicts the answer: `Desk.refund()`"), "{told}");
    assert_eq!(told.as_object().map(serde_json::Map::len), Some(1), "a turn is never kept from ending: {told}");
    let told = prompt();
    assert!(told.contains("contradicted by the project's symbol table") && told.contains("Desk.refund"), "{told}");
    assert_eq!((prompt(), stop(), prompt()), (String::new(), String::new(), String::new()), "it is told once");
}
