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

/// Connects, works and disconnects in a home with these files, and holds it against what it was.
fn check_restored(kept: &[(&str, &[u8])]) {
    let house = House::new(&[]);
    for (path, bytes) in kept {
        house.write_home(path, bytes);
    }
    let before = files(&house);
    let agents = ["--agent", "claude-code", "--agent", "codex"];
    let init = house.run(&[&["init", "--yes"], agents.as_slice()].concat(), "");
    assert_eq!(init.status, 0, "{}", init.shown());
    assert!(init.stdout.starts_with("wrote 5 files"), "{}", init.shown());
    house.run(&["hook", "Stop"], "{\"session_id\": \"s\"}");
    assert!(house.run(&["init", "--yes"], "").stdout.ends_with("nothing to write\n"));
    let gone = house.run(&["disconnect"], "");
    assert_eq!((gone.status, files(&house)), (0, before), "{}", gone.shown());
}

#[test]
fn files_come_back_however_they_begin_and_end() {
    check_restored(&[]);
    check_restored(&[
        (".claude/settings.json", b""),
        (".claude.json", b" \n"),
        (".codex/config.toml", b""),
        (".codex/hooks.json", b""),
        (".codex/AGENTS.md", b""),
    ]);
    check_restored(&[
        (".claude/settings.json", b"// top\n{\n  \"theme\": \"dark\", /* x */\n}\n// end"),
        (".claude.json", b"{\"a\":1}"),
        (".codex/config.toml", b"# mine\nmodel = \"x\" # y"),
        (".codex/AGENTS.md", b"Rules"),
    ]);
    check_restored(&[
        (".claude/settings.json", b"{\r\n  \"theme\": \"dark\"\r\n}\r\n"),
        (".claude.json", b"{\r\n}\r\n"),
        (".codex/config.toml", b"model = \"x\"\r\n[tui]\r\na = 1"),
        (".codex/AGENTS.md", b"Rules\r\nb\r\n"),
    ]);
    check_restored(&[
        (".claude/settings.json", b"\xef\xbb\xbf"),
        (".claude.json", b"\xef\xbb\xbf{}"),
        (".codex/config.toml", b"\xef\xbb\xbfmodel = \"x\"\n"),
        (".codex/AGENTS.md", b"\xef\xbb\xbf# Rules\n"),
    ]);
}

#[test]
fn beside_the_plugin_nothing_is_written_and_what_was_goes() {
    let house = House::new(&[]);
    house.write_home(".claude/settings.json", b"{}");
    let init = |house: &House| house.run(&["init", "--yes", "--agent", "claude-code"], "");
    assert!(init(&house).stdout.starts_with("wrote 2 files"));
    let connected = read(&house, ".claude/settings.json");
    let enabled = connected.replacen('{', "{\n  \"enabledPlugins\": { \"epitome@epitome\": true },", 1);
    house.write_home(".claude/settings.json", enabled.as_bytes());
    let doctor = house.run(&["doctor"], "");
    assert!(doctor.stdout.contains("a second time, beside our plugin"), "{}", doctor.shown());

    assert!(init(&house).stdout.starts_with("wrote 2 files"));
    assert_eq!(read(&house, ".claude/settings.json"), "{\n  \"enabledPlugins\": { \"epitome@epitome\": true }\n}");
    assert!(!house.home().join(".claude.json").exists(), "it was ours");
    expect![[r#"
        Claude Code: connected by our plugin, which brings the server and the hooks
        nothing to write
    "#]]
    .assert_eq(&init(&house).stdout);
    assert_eq!(house.run(&["disconnect"], "").stdout, "nothing is connected\n");

    let doctor = |path: &str| house.run_with(&[("PATH", path)], &["doctor"], "").stdout;
    assert!(doctor("/nowhere").contains("our plugin is enabled and runs `epitome`, which is not on the PATH"));
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_epitome"));
    let said = doctor(&program.parent().expect("a folder").display().to_string());
    assert!(said.contains("connected by our plugin, which runs ") && said.contains("; no event yet"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_one_to_nowhere_is_left_alone() {
    let house = house();
    house.write_home("dotfiles/settings.json", SETTINGS.as_bytes());
    let link = |target: &str, path: &str| {
        let path = house.home().join(path);
        fs_err::remove_file(&path).expect("the file");
        fs_err::os::unix::fs::symlink(target, path).expect("a link");
    };
    link("../dotfiles/settings.json", ".claude/settings.json");
    link("/nowhere/config.toml", ".codex/config.toml");
    let init = house.run(&["init", "--yes", "--agent", "claude-code", "--agent", "codex"], "");
    assert_eq!(init.status, 1);
    assert!(
        init.stderr.contains("config.toml: is a link to /nowhere/config.toml, where nothing is"),
        "{}",
        init.shown()
    );
    assert!(read(&house, "dotfiles/settings.json").contains(" hook Stop "));
    house.run(&["disconnect"], "");
    assert_eq!(read(&house, "dotfiles/settings.json"), SETTINGS);
    for path in [".claude/settings.json", ".codex/config.toml"] {
        assert!(house.home().join(path).is_symlink(), "{path}");
    }
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
        HOME/.claude/settings.json: our entries removed; your later changes kept
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
        {"files":[{"agent":"codex","path":"HOME/.codex/config.toml","outcome":"kept"}],"applied":true,"daemon_stopped":false}
    "#]]
    .assert_eq(&gone.stdout);
}

#[test]
fn a_file_that_two_agents_read_stays_while_one_of_them_is_connected() {
    let house = House::new(&[]);
    house.run(&["init", "--yes", "--agent", "vs-code", "--agent", "copilot-cli"], "");
    let hooks = house.home().join(".copilot/hooks/epitome.json");
    let gone = house.run(&["disconnect", "--agent", "vs-code"], "");
    expect![[r#"
        HOME/.copilot/hooks/epitome.json: stays, Copilot CLI reads it, too
        HOME/.config/Code/User/mcp.json: removed, it was ours
    "#]]
    .assert_eq(&gone.shown());
    assert!(hooks.exists());
    house.run(&["disconnect", "--agent", "copilot-cli"], "");
    assert_eq!(files(&house), files(&House::new(&[])));
}

/// A folder for the `PATH` with programs of these names.
fn programs(house: &House, names: &[&str]) -> String {
    for name in names {
        house.write_home(&format!("programs/{name}"), b"#!/bin/sh\n");
    }
    house.home().join("programs").display().to_string()
}

#[test]
fn agents_that_were_never_started_are_found_by_their_programs() {
    let house = House::new(&[]);
    let path = programs(&house, &["codex", "qwen", "goose"]);
    let dry = |path: &str| house.run_with(&[("PATH", path)], &["init", "--dry-run", "--json"], "").stdout;
    let agents = |path: &str| -> Vec<String> {
        let reply: serde_json::Value = serde_json::from_str(&dry(path)).expect("JSON");
        let agents = reply["agents"].as_array().expect("agents").iter();
        agents.filter_map(|agent| agent["agent"].as_str().map(str::to_owned)).collect()
    };
    assert_eq!(agents(&path), ["codex", "qwen-code"]);
    assert_eq!(agents("/nowhere"), [""; 0]);
    let doctor = house.run_with(&[("PATH", &path)], &["doctor"], "").stdout;
    assert!(doctor.contains("Codex (not connected), Qwen Code (not connected)"), "{doctor}");
}

#[test]
fn nobody_is_called_connected_who_is_not() {
    let house = House::new(&[]);
    house.write_home(".continue/sessions/x", b"");
    expect![[r#"
        Continue: not connected; it has no settings of its own yet: start it once, then run this again
        nothing to write
    "#]]
    .assert_eq(&house.run(&["init", "--yes"], "").shown());

    house.run(&["init", "--yes", "--agent", "claude-code"], "");
    house.write_home(".claude.json", b"{ broken");
    let broken = house.run(&["init", "--yes", "--agent", "claude-code"], "");
    assert!(broken.stdout.starts_with("Claude Code: connected in part\nleft alone: "), "{}", broken.shown());
    assert_eq!(broken.status, 1);

    let by_hand = House::new(&[]);
    by_hand.run(&["init", "--yes", "--agent", "junie"], "");
    fs_err::remove_file(by_hand.home().join("data/connections.json")).expect("the list of connections");
    let known = by_hand.run(&["init", "--yes"], "").stdout;
    assert!(known.starts_with("Junie: has it all already; epitome did not write it"), "{known}");
}

#[test]
fn tools_that_only_read_are_allowed_only_where_somebody_says_so() {
    let house = House::new(&[]);
    house.write_home(".claude/settings.json", SETTINGS.as_bytes());
    let init = |flags: &[&str]| house.run(&[&["init", "--yes", "--agent", "claude-code"], flags].concat(), "");
    let asked = init(&[]);
    let offered = "it asks before it calls a tool; --allow-reading lets it call `context` and `read`";
    assert!(asked.stderr.contains(offered), "{}", asked.shown());
    assert!(!read(&house, ".claude/settings.json").contains("permissions"));
    let allowed = init(&["--allow-reading"]);
    assert!(allowed.stdout.starts_with("wrote 1 file"), "{}", allowed.shown());
    assert!(allowed.stderr.contains("+      \"mcp__epitome__context\","), "{}", allowed.shown());
    let settings = read(&house, ".claude/settings.json");
    assert!(settings.contains("mcp__epitome__read") && !settings.contains("mcp__epitome__epitome"), "{settings}");
    assert!(init(&[]).stdout.ends_with("nothing to write\n"), "they stay without being asked for again");
    assert!(!house.run(&["doctor"], "").stdout.contains("was changed or removed"));
    house.run(&["disconnect", "--yes"], "");
    assert_eq!(read(&house, ".claude/settings.json"), SETTINGS);
}

#[test]
fn doctor_finds_nothing_wrong_where_an_agent_added_a_key_and_mends_what_was_altered() {
    let house = House::new(&[]);
    house.write_home(".qwen/settings.json", b"{}");
    house.run(&["init", "--yes", "--agent", "qwen-code"], "");
    let written = read(&house, ".qwen/settings.json");
    let added = format!("{},\n  \"$version\": 4\n}}", written.trim_end().trim_end_matches('}').trim_end());
    house.write_home(".qwen/settings.json", added.as_bytes());
    let line = |house: &House, arguments: &[&str]| {
        let said = house.run(arguments, "").stdout;
        said.lines().find(|line| line.contains(" qwen-code ")).unwrap_or_default().to_owned()
    };
    let said = line(&house, &["doctor"]);
    assert!(said.starts_with("ok ") && said.contains("2 files in order"), "{said}");

    let altered = added.replace("hook Stop --agent qwen-code", "hook Stop --agent qwen-code || true");
    house.write_home(".qwen/settings.json", altered.as_bytes());
    assert!(line(&house, &["doctor"]).contains("was changed or removed"));
    assert!(line(&house, &["doctor", "--fix"]).starts_with("ok "));
    let mended = read(&house, ".qwen/settings.json");
    assert_eq!((mended.matches(" hook Stop ").count(), mended.contains("|| true")), (1, false), "{mended}");
    assert!(mended.contains("\"$version\": 4"));
    house.run(&["disconnect"], "");
    let left: serde_json::Value = serde_json::from_str(&read(&house, ".qwen/settings.json")).expect("JSON");
    assert_eq!(left, serde_json::json!({ "$version": 4 }));
}

#[test]
fn entries_that_nobody_wrote_down_are_named() {
    let house = house();
    house.run(&["init", "--yes", "--agent", "codex"], "");
    fs_err::remove_file(house.home().join("data/connections.json")).expect("the list of connections");
    let gone = house.run(&["disconnect"], "");
    assert!(
        gone.stdout == "nothing is connected\n"
            && gone.stderr.contains("HOME/.codex/config.toml has entries of epitome")
    );
    house.write_home("data/connections.json", b"{ broken");
    let doctor = house.run(&["doctor"], "").stdout;
    assert!(
        doctor.contains("cannot tell what was written into files of agents: HOME/data/connections.json"),
        "{doctor}"
    );
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
