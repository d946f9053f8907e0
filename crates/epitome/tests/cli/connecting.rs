//! Connecting agents with the real binary, in a home directory of its own.

use super::house::House;
use expect_test::expect;
use std::collections::BTreeMap;
use std::path::Path;

const SETTINGS: &str = "{\n  // mine\n  \"theme\": \"dark\",\n}\n";
const CODEX: &str = "model = \"gpt\"\n";

fn house() -> House {
    let house = House::new(&[]);
    house.write_home(".claude/settings.json", SETTINGS.as_bytes());
    house.write_home(".claude.json", b"{\"numStartups\": 7}");
    house.write_home(".codex/config.toml", CODEX.as_bytes());
    house.write_home(".copilot/config.json", b"{}");
    house
}

/// Everything in the home directory that is not our own.
pub(crate) fn files(house: &House) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![house.home()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.strip_prefix(house.home()).expect("below the home").display().to_string();
            if ["config", "data", "cache", "state"].contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() {
                files.insert(format!("{name}/"), Vec::new());
                folders.push(path);
            } else {
                files.insert(name, fs_err::read(path).expect("a file"));
            }
        }
    }
    files
}

fn read(house: &House, path: impl AsRef<Path>) -> String {
    fs_err::read_to_string(house.home().join(path)).expect("a file")
}

#[test]
fn init_and_disconnect_leave_the_home_as_it_was() {
    let house = house();
    let before = files(&house);
    let init = house.run(&["init", "--yes"], "");
    assert_eq!(init.status, 0, "{}", init.shown());
    assert_eq!(init.stdout, "wrote 7 files; `epitome disconnect` undoes it\n");
    assert!(read(&house, ".claude/settings.json").contains(" hook SessionStart --agent claude-code"));
    assert!(read(&house, ".codex/config.toml").contains("[mcp_servers.epitome]"));
    let connected = files(&house);

    let again = house.run(&["init", "--yes"], "");
    assert!(again.stdout.ends_with("nothing to write\n"), "{}", again.shown());
    assert_eq!(files(&house), connected);

    let gone = house.run(&["disconnect"], "");
    assert_eq!(gone.status, 0, "{}", gone.shown());
    assert_eq!(files(&house), before);
    assert_eq!(house.run(&["disconnect"], "").stdout, "nothing is connected\n");
}

#[test]
fn nothing_is_written_without_a_yes() {
    let house = house();
    let before = files(&house);
    let dry = house.run(&["init", "--dry-run", "--agent", "cursor"], "");
    expect![[r#"
        Cursor
        --- /dev/null
        +++ HOME/.cursor/mcp.json
        @@ -0,0 +1,10 @@
        +{
        +  "mcpServers": {
        +    "epitome": {
        +      "command": "PROGRAM",
        +      "args": [
        +        "mcp"
        +      ]
        +    }
        +  }
        +}
    "#]]
    .assert_eq(
        dry.stdout
            .split("--- /dev/null\n+++ HOME/.cursor/hooks.json")
            .next()
            .map_or("", |first| first)
            .replace(env!("CARGO_BIN_EXE_epitome"), "PROGRAM")
            .as_str(),
    );
    let refused = house.run(&["init"], "y\n");
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.ends_with("error: nothing was written\nhint: epitome init --yes writes it\n"));
    assert_eq!(files(&house), before);
}

#[test]
fn what_was_changed_since_stays_and_a_broken_file_is_left_alone() {
    let house = house();
    house.run(&["init", "--yes", "--agent", "claude-code", "--agent", "codex"], "");
    let changed = read(&house, ".claude/settings.json").replace("dark", "light");
    house.write_home(".claude/settings.json", changed.as_bytes());
    house.write_home(".codex/config.toml", b"[broken");
    let gone = house.run(&["disconnect"], "");
    expect![[r#"
        HOME/.claude.json: as it was
        HOME/.claude/settings.json: without us; what was changed since stays
        HOME/.codex/hooks.json: removed, it was ours
        HOME/.codex/AGENTS.md: removed, it was ours
        ! error: left alone: HOME/.codex/config.toml: cannot be read: unclosed table, expected `]`
        (exit 1)
    "#]]
    .assert_eq(&gone.shown());
    assert_eq!(read(&house, ".claude/settings.json"), SETTINGS.replace("dark", "light"));

    house.write_home(".codex/config.toml", CODEX.as_bytes());
    let gone = house.run(&["disconnect", "--json"], "");
    expect![[r#"
        {"files":[{"agent":"codex","path":"HOME/.codex/config.toml","outcome":"kept"}],"applied":true}
    "#]]
    .assert_eq(&gone.stdout);
}

#[test]
fn an_agent_that_is_not_known_gets_the_nearest_name() {
    let house = House::new(&[]);
    expect![[r#"
        ! error: there is no agent `cursr`
        ! hint: did you mean `cursor`?
        (exit 2)
    "#]]
    .assert_eq(&house.run(&["init", "--agent", "cursr"], "").shown());
    let generic = house.run(&["init", "--agent", "generic"], "");
    assert!(generic.stdout.contains("\"mcpServers\""), "{}", generic.shown());
}
