//! What stays of ours in a file that others write, too: it is in order whatever they add, mended where they altered it, and
//! no permission comes that nobody gave.

use crate::{EXISTING_CONFIG_FILES, HOME, Home, shown};
use agents::connectors::{FilePlan, OperatingSystem, Program};
use std::path::Path;

#[test]
fn what_an_agent_adds_to_its_file_leaves_ours_in_order() {
    let check = |agent: &str, path: &str, change: fn(&str) -> String, expected: bool| {
        let original = Home::of(EXISTING_CONFIG_FILES);
        let mut home = original.clone();
        let records = home.apply(&home.plan(agent, OperatingSystem::Linux, &[]).files);
        let file = Path::new(HOME).join(path);
        home.0.insert(file.clone(), change(&home.0[&file]));
        let again = home.plan(agent, OperatingSystem::Linux, &records);
        assert_eq!(again.files.iter().all(FilePlan::is_done), expected, "{agent}: {}", shown(&again));
        let records = home.apply(&again.files);
        home.undo(&records);
        let left = home.0.get(&file).map_or("", String::as_str);
        assert!(!left.contains("epitome"), "{agent}: {left}");
    };
    // Qwen Code adds the version of its settings at its first start.
    let version = |text: &str| format!("{},\n  \"$version\": 4\n}}", text.trim_end().trim_end_matches('}').trim_end());
    check("qwen-code", ".qwen/settings.json", version, true);
    // Claude Code adds an environment to every server, and people choose a profile.
    check(
        "kiro",
        ".kiro/settings/mcp.json",
        |text| text.replace("\"mcp\"\n", "\"mcp\", \"--profile\", \"full\"\n"),
        true,
    );
    check("kiro", ".kiro/settings/mcp.json", |text| text.replace("\"args\"", "\"env\": {}, \"args\""), true);
    check("codex", ".codex/config.toml", |text| text.replace("args = [", "startup_timeout_sec = 20\nargs = ["), true);
    // Reformatting says nothing else.
    check("codex", ".codex/hooks.json", |text| text.split_whitespace().collect::<Vec<_>>().join(" "), true);
    // What was taken out or altered is not in order, and is mended.
    check("codex", ".codex/hooks.json", |text| text.replace("\"timeout\": 3", "\"timeout\": 30"), false);
    check("codex", ".codex/hooks.json", |_| "{}\n".to_owned(), false);
}

#[test]
fn altered_lines_of_ours_are_written_again_and_not_doubled() {
    let mut home = Home::of(EXISTING_CONFIG_FILES);
    let records = home.apply(&home.plan("claude-code", OperatingSystem::Linux, &[]).files);
    let connected = home.0.clone();
    let path = Path::new(HOME).join(".claude/settings.json");
    let altered = home.0[&path].replace("hook Stop --agent claude-code", "hook Stop --agent claude-code 2>/dev/null");
    assert_ne!(altered, home.0[&path]);
    home.0.insert(path.clone(), altered);
    let again = home.plan("claude-code", OperatingSystem::Linux, &records);
    assert!(!again.files.iter().all(FilePlan::is_done), "{}", shown(&again));
    home.apply(&again.files);
    assert_eq!(home.0[&path].matches(" hook Stop ").count(), 1, "{}", home.0[&path]);
    assert_eq!(home.0[&path], connected[&path]);
}

#[test]
fn tools_that_may_be_called_without_asking_are_said_once_kept_and_taken_out() {
    let tools = || ["context", "read"].map(str::to_owned);
    let program = Program::from_path("/opt/epitome/bin/epitome").with_allowed(tools());
    let settings = "{\n  \"permissions\": { \"allow\": [\"mcp__github\"], \"deny\": [] }\n}\n";
    let original = Home::of(&[(".claude/settings.json", settings)]);
    let path = Path::new(HOME).join(".claude/settings.json");
    let allowed = |home: &Home| -> serde_json::Value {
        let settings: serde_json::Value = serde_json::from_str(&home.0[&path]).expect("it is JSON");
        settings["permissions"]["allow"].clone()
    };

    let mut home = original.clone();
    let plan = home.plan("claude-code", OperatingSystem::Linux, &[]);
    assert!(!plan.allows_tools() && plan.connector.takes_permissions());
    let records = home.apply(&plan.files);
    assert_eq!(allowed(&home), serde_json::json!(["mcp__github"]), "nobody allowed it");

    let plan = home.plan_for(&program, "claude-code", OperatingSystem::Linux, &records);
    assert!(plan.allows_tools());
    let records = home.apply(&plan.files);
    let rules = serde_json::json!(["mcp__github", "mcp__epitome__context", "mcp__epitome__read"]);
    assert_eq!(allowed(&home), rules);
    // Whoever plans without saying so again leaves them.
    let again = home.plan("claude-code", OperatingSystem::Linux, &records);
    assert!(again.allows_tools() && again.files.iter().all(FilePlan::is_done), "{}", shown(&again));

    // One that its user took out does not come back.
    let mut less = home.clone();
    let without = less.0[&path].replace(", \"mcp__epitome__read\"", "");
    assert_ne!(without, less.0[&path]);
    less.0.insert(path.clone(), without);
    let again = less.plan("claude-code", OperatingSystem::Linux, &records);
    assert!(again.files.iter().all(FilePlan::is_done), "{}", shown(&again));

    home.undo(&records);
    assert_eq!(home.0, original.0);
}

#[test]
fn beside_the_plugin_the_rules_name_its_server() {
    let program = Program::from_path("/opt/epitome/bin/epitome").with_allowed(["context".to_owned()]);
    let settings = "{\n  \"enabledPlugins\": { \"epitome@epitome\": true }\n}\n";
    let original = Home::of(&[(".claude/settings.json", settings)]);
    let mut home = original.clone();
    let plan = home.plan_for(&program, "claude-code", OperatingSystem::Linux, &[]);
    assert!(plan.by_plugin && plan.allows_tools() && plan.files.len() == 1, "{}", shown(&plan));
    let records = home.apply(&plan.files);
    let path = Path::new(HOME).join(".claude/settings.json");
    assert!(home.0[&path].contains("\"mcp__plugin_epitome_epitome__context\""), "{}", home.0[&path]);
    assert!(!home.0[&path].contains("hook "), "{}", home.0[&path]);
    let again = home.plan("claude-code", OperatingSystem::Linux, &records);
    assert!(again.files.iter().all(FilePlan::is_done), "{}", shown(&again));
    home.undo(&records);
    assert_eq!(home.0, original.0);
}
