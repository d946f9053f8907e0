//! The plugin for Claude Code: its files are what Claude Code reads, and name only what there is.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn plugin() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugin")
}

fn read(path: &str) -> String {
    fs_err::read_to_string(plugin().join(path)).expect("a file of the plugin")
}

fn json(path: &str) -> Value {
    serde_json::from_str(&read(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every Markdown file, with its path.
fn pages() -> Vec<(PathBuf, String)> {
    let commands =
        fs_err::read_dir(plugin().join("commands")).expect("commands").map(|entry| entry.expect("an entry").path());
    let skills = ["recall", "self-test"].map(|name| plugin().join("skills").join(name).join("SKILL.md"));
    let paths = commands.chain(skills);
    paths.map(|path| (path.clone(), fs_err::read_to_string(path).expect("a page"))).collect()
}

fn is_command(words: &[&str]) -> bool {
    let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
    command.args(words).arg("--help").env_clear().output().expect("the binary runs").status.success()
}

#[test]
fn its_manifests_name_this_version_and_the_plugin() {
    assert_eq!(json(".claude-plugin/plugin.json")["version"], env!("CARGO_PKG_VERSION"));
    let marketplace = json("../.claude-plugin/marketplace.json");
    let source = marketplace["plugins"][0]["source"].as_str().expect("a source");
    assert!(plugin().join("..").join(source).join(".claude-plugin/plugin.json").is_file());
    assert_eq!(json(".mcp.json")["mcpServers"]["epitome"]["args"][0], "mcp");
}

#[test]
fn it_has_what_a_catalogue_of_plugins_asks_for() {
    let manifest = json(".claude-plugin/plugin.json");
    for field in ["description", "license", "repository", "homepage"] {
        assert!(manifest[field].is_string(), "{field}");
    }
    assert!(manifest["author"]["name"].is_string());
    assert!(json("../.claude-plugin/marketplace.json")["description"].is_string());
    assert!(read("README.md").starts_with("# "));
    let icon = fs_err::read(plugin().join(manifest["icon"].as_str().expect("an icon"))).expect("the icon");
    let side = |at: usize| u32::from_be_bytes(icon[at..at + 4].try_into().expect("four bytes"));
    assert!(icon.starts_with(b"\x89PNG\r\n\x1a\n") && icon.len() < 2_000_000);
    assert!(side(16) == side(20) && (512..=2_048).contains(&side(16)), "{} by {}", side(16), side(20));
}

#[test]
fn what_a_user_types_behind_a_command_reaches_no_shell() {
    let mut taking = 0;
    for (path, text) in pages() {
        for line in text.lines().filter(|line| line.contains("!`")) {
            assert!(!line.contains('$'), "{}: {line}", path.display());
        }
        taking += usize::from(text.contains("$ARGUMENTS"));
    }
    assert_eq!(taking, 2, "`recall` takes a question, `remember` a text");
}

#[test]
fn its_hooks_are_those_that_init_registers() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let init = Command::new(env!("CARGO_BIN_EXE_epitome"))
        .args(["init", "--yes", "--agent", "claude-code"])
        .current_dir(home.path())
        .env_clear()
        .env("HOME", home.path())
        .env("EPITOME_HOME", home.path().join("epitome"))
        .output()
        .expect("the binary runs");
    assert!(init.status.success(), "{}", String::from_utf8_lossy(&init.stderr));
    let written = fs_err::read_to_string(home.path().join(".claude/settings.json")).expect("settings");
    let written: Value =
        serde_json::from_str(&written.replace(env!("CARGO_BIN_EXE_epitome"), "epitome")).expect("settings are JSON");
    assert_eq!(json("hooks/hooks.json")["hooks"], written["hooks"]);
}

#[test]
fn its_pages_run_only_commands_that_exist() {
    let mut checked = 0;
    for (path, text) in pages() {
        assert!(text.starts_with("---\n") && text.contains("\ndescription: "), "{}", path.display());
        // A colon within a value would end it, in the eyes of YAML.
        let mut head = text.split("---\n").nth(1).unwrap_or_default().lines().filter_map(|line| line.split_once(": "));
        assert!(head.all(|(_, value)| value.starts_with('"') || !value.contains(": ")), "{}", path.display());
        for piece in text.split("`epitome ").skip(1) {
            let line = piece.split('`').next().unwrap_or_default();
            let words: Vec<&str> = line
                .split_whitespace()
                .take_while(|word| word.chars().all(|c| c.is_ascii_lowercase()))
                .take(2)
                .collect();
            let known =
                is_command(&words[..1]) && (words.len() < 2 || !matches!(words[0], "sensitive") || is_command(&words));
            assert!(known, "{}: epitome {line}", path.display());
            checked += 1;
        }
    }
    assert!(checked > 12, "only {checked} commands found");
}
