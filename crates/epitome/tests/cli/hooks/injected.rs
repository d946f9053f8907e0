//! What hooks told an agent comes back as no fact, no message and no search result, however often the agent wrote it down.

use super::defects::json_of;
use super::host::project;
use super::house::House;
use serde_json::json;

#[path = "../../../../agents/tests/injected/days.rs"]
mod days;

/// As orientation and recall are told.
const INJECTED_TEXT: &str =
    "<epitome>\n- the user requires: never feed the pangolins\n- decided: pangolins sleep at noon\n</epitome>";

/// Formats, and what their files are called.
const FILES: [(&str, &str); 18] = [
    ("claude-code", "day.jsonl"),
    ("codex", "day.jsonl"),
    ("gemini-cli", "day.jsonl"),
    ("qwen-code", "day.jsonl"),
    ("antigravity", "day.jsonl"),
    ("opencode", "day.jsonl"),
    ("cursor", "day.jsonl"),
    ("copilot-cli", "day.jsonl"),
    ("pi", "day.jsonl"),
    ("droid", "day.jsonl"),
    ("goose", "day.jsonl"),
    ("cline", "day.json"),
    ("kiro", "day.jsonl"),
    ("kimi-cli", "day.jsonl"),
    ("kimi-code", "day.jsonl"),
    ("swe-agent", "day.traj"),
    ("aider", "day.md"),
    ("plain", "day.jsonl"),
];

#[test]
fn what_we_told_is_no_fact_no_message_and_no_result_in_any_format() {
    let mut files = Vec::new();
    for (format, name) in FILES {
        // A trajectory is one document, and so is a session of Cline.
        let lines = days::lines(format, INJECTED_TEXT, 10);
        let text = if ["swe-agent", "cline"].contains(&format) { lines[0].clone() } else { lines.join("\n") + "\n" };
        files.push((format!("days/{format}/{name}"), text));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let house = House::new(&files);
    let mut names = Vec::new();
    for (path, _) in &files {
        let imported = json_of(&house, &["import", path]);
        let shown = &imported["conversations"][0];
        assert!(path.contains(shown["agent"].as_str().unwrap_or("?")), "{path}: {shown}");
        assert!(shown["messages"].as_u64() > Some(0), "{path}: {shown}");
        names.push(shown["name"].as_str().expect("a name").to_owned());
    }
    let is_clean = |what: &str, told: &str| assert!(!told.contains("pangolins"), "{what}: {told}");
    for name in &names {
        let folded = house.run(&["compact", name], "").shown();
        is_clean(name, &folded);
        for command in [&["history", "--limit", "500", "--conversation"][..], &["describe"], &["assemble"]] {
            let ended = house.run(&[command, &[name.as_str()]].concat(), "");
            assert_eq!(ended.status, 0, "{name}: {}", ended.shown());
            is_clean(name, &ended.shown());
        }
    }
    for question in ["what about the pangolins?", "what was decided about sleep at noon?", "never feed"] {
        let results = json_of(&house, &["recall", question, "--limit", "50", "--near"]);
        is_clean(question, &results["results"].to_string());
    }
    assert_eq!(house.run(&["grep", "pangolins"], "").status, 3, "nothing is found");
}

/// Gemini CLI hands over what it was told at the start of a session in front of the first prompt.
#[test]
fn a_prompt_with_our_words_in_front_is_kept_as_the_user_said_it() {
    let house = House::new(&[("src/lib.rs", "pub fn fence() {}\n")]);
    let told = INJECTED_TEXT.replace('<', "&lt;").replace('>', "&gt;");
    let prompt = format!("<hook_context>{told}</hook_context>\n\nAlways mend the fence of the llamas first.");
    let body = json!({ "session_id": "g", "cwd": project(&house), "prompt": prompt }).to_string();
    let ended = house.run(&["hook", "BeforeAgent", "--agent", "gemini-cli"], &body);
    assert_eq!((ended.status, ended.stdout.as_str()), (0, ""), "{}", ended.shown());
    house.run(&["drain"], "");
    let said = json_of(&house, &["history", "--conversation", "gemini-cli:g"]);
    assert_eq!(said["messages"][0]["content"], "Always mend the fence of the llamas first.", "{said}");
    let facts = json_of(&house, &["describe", "gemini-cli:g"])["facts"].to_string();
    assert!(facts.contains("llamas") && !facts.contains("pangolins"), "{facts}");
    let results = json_of(&house, &["recall", "what about pangolins and llamas?", "--near"])["results"].to_string();
    assert!(results.contains("llamas") && !results.contains("pangolins"), "{results}");
    assert_eq!(house.run(&["grep", "pangolins"], "").status, 3, "nothing is found");
}
