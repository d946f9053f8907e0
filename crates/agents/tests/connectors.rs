//! Connecting agents: the plan for each on a sample home folder, and the promises about undoing it.

#[path = "connectors/kept.rs"]
mod kept;

use agents::CONNECTORS;
use agents::connectors::{
    ConnectPlan, ConnectionRecord, Connector, FilePlan, HomeSnapshot, OperatingSystem, Program, UndoOutcome, by_hand,
};
use expect_test::{Expect, expect, expect_file};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A home folder in memory.
#[derive(Clone, Default)]
struct Home(BTreeMap<PathBuf, String>);

const HOME: &str = "/home/ada";

impl Home {
    fn of(files: &[(&str, &str)]) -> Self {
        Self(files.iter().map(|(path, text)| (Path::new(HOME).join(path), (*text).to_owned())).collect())
    }

    fn plan(&self, agent: &str, system: OperatingSystem, records: &[ConnectionRecord]) -> ConnectPlan {
        self.plan_for(&Program::from_path("/opt/epitome/bin/epitome"), agent, system, records)
    }

    fn plan_for(
        &self,
        program: &Program,
        agent: &str,
        system: OperatingSystem,
        records: &[ConnectionRecord],
    ) -> ConnectPlan {
        let connector = Connector::from_name(agent).expect("an agent that can be connected");
        let exists = |path: &Path| self.0.keys().any(|file| file.starts_with(path));
        let read = |path: &Path| Ok(self.0.get(path).cloned());
        let snapshot = HomeSnapshot {
            home: Path::new(HOME),
            system,
            variable: &|_| None,
            exists: &exists,
            read: &read,
            has_program: &|_| false,
        };
        connector.plan_connection(&snapshot, program, records)
    }

    fn apply(&mut self, files: &[FilePlan]) -> Vec<ConnectionRecord> {
        for file in files {
            match &file.next {
                Some(text) => drop(self.0.insert(file.record.path.clone(), text.clone())),
                None => drop(self.0.remove(&file.record.path)),
            }
        }
        files.iter().map(|file| file.record.clone()).collect()
    }

    fn undo(&mut self, records: &[ConnectionRecord]) {
        for record in records {
            match record.undo_edits(self.0.get(&record.path).map(String::as_str)).expect("it can be undone") {
                UndoOutcome::Nothing => {}
                UndoOutcome::Remove => drop(self.0.remove(&record.path)),
                UndoOutcome::Restored(text) | UndoOutcome::Without(text) => {
                    drop(self.0.insert(record.path.clone(), text));
                }
            }
        }
    }
}

/// What people have in those files already.
const EXISTING_CONFIG_FILES: &[(&str, &str)] = &[
    (".claude.json", "{\"numStartups\":7,\"mcpServers\":{\"github\":{\"type\":\"http\",\"url\":\"https://x\"}}}"),
    (
        ".claude/settings.json",
        "{\n  // quiet\n  \"theme\": \"dark\",\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [{ \"type\": \
         \"command\", \"command\": \"say done\" }] }\n    ],\n  },\n}\n",
    ),
    (".codex/config.toml", "model = \"gpt\" # mine\n\n[mcp_servers.docs]\ncommand = \"docs\"\n\n[tui]\ntheme = 'x'\n"),
    (".codex/AGENTS.md", "# Rules\n\nBe brief.\n"),
    (".cursor/hooks.json", "{ \"version\": 1, \"hooks\": {} }\n"),
    (".config/zed/settings.json", "// Zed\n{\n\t\"vim_mode\": true,\n\t\"context_servers\": {}\n}\n"),
    (".config/goose/config.yaml", "GOOSE_MODEL: x\nextensions:\n  developer:\n    enabled: true # yes\nother: 1\n"),
    (".continue/config.yaml", "name: Mine\nversion: 0.0.1\nmodels: []\n"),
    (".config/opencode/opencode.jsonc", "{\n  \"mcp\": {\n    \"servers\": {\n    }\n  }\n}\n"),
    (".gemini/settings.json", "{\n    \"security\": {}\n}"),
    (".gemini/config/mcp_config.json", ""),
    (".qwen/settings.json", "{}"),
    (".copilot/config.json", "{}"),
    (".cline/data/x", ""),
    (".config/Code/User/settings.json", "{}"),
    (".config/Code/User/globalStorage/saoudrizwan.claude-dev/x", ""),
    (".config/amp/settings.json", "{\n  \"amp.mcpServers\": {\n    \"a\": {\"command\": \"a\"}\n  }\n}\n"),
    (".config/kilo/kilo.json", "{\"$schema\": \"x\"}\n"),
    (".qoder/settings.json", "{ \"model\": \"auto\" }\n"),
    (".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json", "{\"mcpServers\":{}}"),
    (".kimi-code/mcp.json", "{\n  \"mcpServers\": {}\n}\n"),
    (".factory/settings.json", "{}"),
    (".openclaw/openclaw.json", "{\n  // gateway\n  \"mcp\": {\n    \"servers\": {},\n  },\n}\n"),
];

fn shown(plan: &ConnectPlan) -> String {
    let files = plan.files.iter().map(|file| {
        let standing = match &file.now {
            _ if file.is_done() => "same",
            None => "new",
            Some(_) => "changed",
        };
        let next = file.next.as_deref().unwrap_or("(no file)");
        format!("== {} ({standing})\n{}\n", file.record.path.display(), next.trim_end())
    });
    let refused = plan.refused.iter().map(|(path, trouble)| format!("!! {}: {trouble}\n", path.display()));
    files.chain(refused).collect()
}

#[test]
fn every_plan_is_as_its_agent_wants_it() {
    for connector in CONNECTORS {
        let plan = shown(&Home::of(EXISTING_CONFIG_FILES).plan(connector.name, OperatingSystem::Linux, &[]));
        expect_file![format!("connectors/{}.txt", connector.name)].assert_eq(&plan);
    }
}

#[test]
fn undoing_gives_every_byte_back_and_twice_is_once() {
    for connector in CONNECTORS {
        for files in [EXISTING_CONFIG_FILES, &[]] {
            let original = Home::of(files);
            let mut home = original.clone();
            let records = home.apply(&home.plan(connector.name, OperatingSystem::Linux, &[]).files);
            let once = home.0.clone();
            let again = home.plan(connector.name, OperatingSystem::Linux, &records);
            assert!(again.files.iter().all(FilePlan::is_done), "{}", shown(&again));
            let records = home.apply(&again.files);
            assert_eq!(home.0, once, "{}", connector.name);
            home.undo(&records);
            assert_eq!(home.0, original.0, "{}", connector.name);
        }
    }
}

#[test]
fn nothing_is_written_beside_the_plugin() {
    let check = |plugins: &str, expected: usize| {
        let settings = format!("{{ \"enabledPlugins\": {plugins}, \"theme\": \"epitome@x\" }}");
        let plan = Home::of(&[(".claude/settings.json", &settings)]).plan("claude-code", OperatingSystem::Linux, &[]);
        assert_eq!((plan.by_plugin, plan.files.len()), (expected == 0, expected), "{plugins}");
    };
    check("{}", 2);
    check("{ \"epitome@epitome\": false }", 2);
    check("{ \"other@epitome\": true }", 2);
    check("[\"epitome@epitome\"]", 2);
    check("{ \"other@epitome\": true, \"epitome@mine\" : true /* ours */, }", 0);
}

#[test]
fn what_was_written_before_the_plugin_came_goes() {
    let mut home = Home::of(&[(".claude/settings.json", "{\n  \"theme\": \"dark\"\n}\n")]);
    let original = home.0.clone();
    let records = home.apply(&home.plan("claude-code", OperatingSystem::Linux, &[]).files);
    let path = Path::new(HOME).join(".claude/settings.json");
    let enabled =
        |text: &str| text.replace("\"dark\"", "\"dark\",\n  \"enabledPlugins\": { \"epitome@epitome\": true }");
    home.0.insert(path.clone(), enabled(&home.0[&path]));
    let plan = home.plan("claude-code", OperatingSystem::Linux, &records);
    assert!(plan.by_plugin);
    home.apply(&plan.files);
    assert_eq!(home.0, BTreeMap::from([(path.clone(), enabled(&original[&path]))]));
}

#[test]
fn places_are_those_of_the_system() {
    let check = |agent: &str, system, expected: &[&str]| {
        let plan = Home::of(EXISTING_CONFIG_FILES).plan(agent, system, &[]);
        let paths: Vec<String> = plan.files.iter().map(|file| file.record.path.display().to_string()).collect();
        assert_eq!(paths, expected);
    };
    let hooks = "/home/ada/.copilot/hooks/epitome.json";
    check("vs-code", OperatingSystem::Mac, &["/home/ada/Library/Application Support/Code/User/mcp.json", hooks]);
    check("vs-code", OperatingSystem::Windows, &["/home/ada/AppData/Roaming/Code/User/mcp.json", hooks]);
    check("claude-desktop", OperatingSystem::Linux, &["/home/ada/.config/Claude/claude_desktop_config.json"]);
    check(
        "claude-desktop",
        OperatingSystem::Mac,
        &["/home/ada/Library/Application Support/Claude/claude_desktop_config.json"],
    );
    check("zed", OperatingSystem::Mac, &["/home/ada/.config/zed/settings.json"]);
    // Where there are no settings yet, they go where the program has its others.
    let fresh = Home::of(&[("AppData/Roaming/Zed/keymap.json", ""), ("AppData/Roaming/Block/goose/config/x", "")]);
    let first =
        |agent: &str| fresh.plan(agent, OperatingSystem::Windows, &[]).files[0].record.path.display().to_string();
    assert_eq!(first("zed"), "/home/ada/AppData/Roaming/Zed/settings.json");
    assert_eq!(first("goose"), "/home/ada/AppData/Roaming/Block/goose/config/config.yaml");
}

#[test]
fn places_follow_the_variables_of_their_agents() {
    let check = |agent: &str, name: &str, expected: &[&str]| {
        let connector = Connector::from_name(agent).expect("an agent that can be connected");
        let variable = |asked: &str| (asked == name).then(|| "/elsewhere".to_owned());
        let exists = |_: &Path| true;
        let read = |_: &Path| Ok(None);
        let home = Path::new(HOME);
        let snapshot = HomeSnapshot {
            home,
            system: OperatingSystem::Linux,
            variable: &variable,
            exists: &exists,
            read: &read,
            has_program: &|_| false,
        };
        let plan = connector.plan_connection(&snapshot, &Program::from_path("/bin/epitome"), &[]);
        let paths: Vec<String> = plan.files.iter().map(|file| file.record.path.display().to_string()).collect();
        assert_eq!(paths[..expected.len()], *expected, "{agent}");
    };
    check("claude-code", "CLAUDE_CONFIG_DIR", &["/elsewhere/.claude.json", "/elsewhere/settings.json"]);
    check("codex", "CODEX_HOME", &["/elsewhere/config.toml", "/elsewhere/hooks.json", "/elsewhere/AGENTS.md"]);
    check("opencode", "XDG_CONFIG_HOME", &["/elsewhere/opencode/opencode.json"]);
    check("openclaw", "OPENCLAW_STATE_DIR", &["/elsewhere/openclaw.json"]);
    let cline = "/home/ada/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json";
    check("cline", "CLINE_DIR", &[cline, "/elsewhere/data/settings/cline_mcp_settings.json"]);
}

#[test]
fn servers_stand_where_each_version_looks_for_them() {
    let check = |agent: &str, path: &str, text: &str, expected: &str| {
        let plan = Home::of(&[(path, text)]).plan(agent, OperatingSystem::Linux, &[]);
        let next = plan.files[0].next.as_deref().expect("a file");
        let written: serde_json::Value = serde_json::from_str(next).expect("it is JSON");
        assert!(written.pointer(expected).is_some(), "{agent}: {next}");
    };
    check("opencode", ".config/opencode/opencode.json", "{}", "/mcp/epitome/command/0");
    check(
        "opencode",
        ".config/opencode/opencode.json",
        "{\"mcp\": {\"servers\": {}}}",
        "/mcp/servers/epitome/command/0",
    );
    check("kilo", ".config/kilo/kilo.jsonc", "{\"mcp\": {}}", "/mcp/epitome/enabled");
    check("amp", ".config/amp/settings.json", "{}", "/amp.mcpServers/epitome/command");
    check("vs-code", ".config/Code/User/mcp.json", "{\"inputs\": []}", "/servers/epitome/type");
}

/// Connects, lets somebody change the file, disconnects.
#[expect(clippy::needless_pass_by_value, reason = "reads better where it is called")]
fn check_changed(agent: &str, path: &str, change: fn(&str) -> String, expected: Expect) {
    let mut home = Home::of(EXISTING_CONFIG_FILES);
    let records = home.apply(&home.plan(agent, OperatingSystem::Linux, &[]).files);
    let path = Path::new(HOME).join(path);
    let changed = change(&home.0[&path]);
    home.0.insert(path.clone(), changed);
    home.undo(&records);
    expected.assert_eq(home.0.get(&path).map_or("(no file)\n", String::as_str));
}

#[test]
fn what_others_changed_since_stays() {
    check_changed(
        "claude-code",
        ".claude/settings.json",
        |text| text.replace("\"dark\"", "\"light\"").replace("\"Stop\"", "\"Other\": [],\n    \"Stop\""),
        expect![[r#"
            {
              // quiet
              "theme": "light",
              "hooks": {
                "Other": [],
                "Stop": [
                  { "hooks": [{ "type": "command", "command": "say done" }] }
                ],
              },
            }
        "#]],
    );
    check_changed(
        "codex",
        ".codex/config.toml",
        |text| text.replace("\"gpt\"", "\"other\""),
        expect![[r#"
            model = "other" # mine

            [mcp_servers.docs]
            command = "docs"

            [tui]
            theme = 'x'
        "#]],
    );
    check_changed(
        "goose",
        ".config/goose/config.yaml",
        |text| text.replace("other: 1", "other: 2"),
        expect![[r#"
            GOOSE_MODEL: x
            extensions:
              developer:
                enabled: true # yes
            other: 2
        "#]],
    );
    check_changed(
        "codex",
        ".codex/hooks.json",
        |text| format!("{text}\n"),
        expect![[r#"
        (no file)
    "#]],
    );
    check_changed(
        "cursor",
        ".cursor/mcp.json",
        |text| text.replace("/opt/epitome/bin/epitome", "/home/ada/mine"),
        expect![[r#"
            {
              "mcpServers": {
                "epitome": {
                  "command": "/home/ada/mine",
                  "args": [
                    "mcp"
                  ]
                }
              }
            }
        "#]],
    );
}

#[test]
fn an_entry_that_was_there_before_comes_back() {
    let original = Home::of(&[(".kiro/settings/mcp.json", "{\"mcpServers\": {\"epitome\": {\"command\": \"old\"}}}")]);
    let mut home = original.clone();
    let records = home.apply(&home.plan("kiro", OperatingSystem::Linux, &[]).files);
    let path = Path::new(HOME).join(".kiro/settings/mcp.json");
    home.0.get_mut(&path).expect("the file").push('\n');
    home.undo(&records);
    assert_eq!(home.0[&path], format!("{}\n", original.0[&path]));
}

#[test]
fn a_program_that_moved_is_found_at_its_new_place() {
    let mut home = Home::of(EXISTING_CONFIG_FILES);
    let records = home.apply(&home.plan("claude-code", OperatingSystem::Linux, &[]).files);
    let plan =
        home.plan_for(&Program::from_path("/new place/epitome"), "claude-code", OperatingSystem::Linux, &records);
    let text = shown(&plan);
    assert!(!text.contains("/opt/epitome"), "{text}");
    assert!(text.contains("'/new place/epitome' hook Stop --agent claude-code"), "{text}");
}

#[test]
fn a_hook_that_runs_another_program_is_still_ours_and_a_file_that_says_more_is_not() {
    let check = |agent: &str, path: &str, change: fn(&str) -> String, expected: &str| {
        let original = Home::of(EXISTING_CONFIG_FILES);
        let mut home = original.clone();
        let planned = home.plan(agent, OperatingSystem::Linux, &[]);
        let records = home.apply(&planned.files);
        let connected = home.0.clone();
        let file = Path::new(HOME).join(path);
        home.0.insert(file.clone(), change(&home.0[&file]));
        let again = home.plan(agent, OperatingSystem::Linux, &records);
        if !expected.is_empty() {
            assert_eq!(again.refused[0].1.to_string(), expected, "{agent}");
            return;
        }
        assert!(again.refused.is_empty() && !again.files.iter().all(FilePlan::is_done), "{agent}: {}", shown(&again));
        let records = home.apply(&again.files);
        assert_eq!(home.0, connected, "{agent}");
        home.undo(&records);
        assert_eq!(home.0, original.0, "{agent}");
    };
    let moved = |text: &str| text.replace("/opt/epitome/bin/epitome", "/gone/epitome-0.1");
    check("kiro", ".kiro/settings/mcp.json", moved, "");
    check("codex", ".codex/config.toml", moved, "");
    check("goose", ".config/goose/config.yaml", moved, "");
    check("qwen-code", ".qwen/settings.json", moved, "");
    check("claude-code", ".claude/settings.json", moved, "");
    check("cursor", ".cursor/hooks.json", moved, "");
    check("copilot-cli", ".copilot/hooks/epitome.json", moved, "");
    check("cline", "Documents/Cline/Hooks/PreCompact", moved, "");
    check("kiro", ".kiro/hooks/epitome.json", moved, "");
    let changed = "was changed since epitome wrote it; remove it, or take the changes back";
    check("cline", "Documents/Cline/Hooks/PreCompact", |text| format!("{text}echo mine\n"), changed);
}

#[test]
fn hooks_of_an_older_connection_that_nobody_remembers_are_not_doubled() {
    let mut home = Home::of(EXISTING_CONFIG_FILES);
    home.apply(&home.plan("claude-code", OperatingSystem::Linux, &[]).files);
    let path = Path::new(HOME).join(".claude/settings.json");
    let old = home.0[&path].replace("/opt/epitome/bin/epitome", "/gone/epitome");
    home.0.insert(path.clone(), old.clone());
    let records = home.apply(&home.plan("claude-code", OperatingSystem::Linux, &[]).files);
    assert_eq!(home.0[&path].matches(" hook Stop ").count(), 1);
    assert!(!home.0[&path].contains("/gone/"));
    home.0.get_mut(&path).expect("the file").push_str("// theirs\n");
    home.undo(&records);
    assert_eq!(home.0[&path], format!("{old}// theirs\n"));
}

#[test]
fn a_file_that_cannot_be_edited_is_left_alone_and_told() {
    let home = Home::of(&[(".claude.json", "{ broken"), (".codex/config.toml", "mcp_servers = 3\n")]);
    let told =
        |agent| shown(&home.plan(agent, OperatingSystem::Linux, &[])).lines().last().unwrap_or_default().to_owned();
    let text = told("claude-code");
    assert_eq!(
        text,
        "!! /home/ada/.claude.json: cannot be read: a key in double quotes is missing at line 1, column 3"
    );
    assert_eq!(told("codex"), "!! /home/ada/.codex/config.toml: `mcp_servers` is not a table");
}

#[test]
fn an_agent_is_found_by_its_traces_or_by_its_program() {
    let check = |agent: &str, file: &str, program: &str, expected: bool| {
        let home = Path::new(HOME);
        let snapshot = HomeSnapshot {
            home,
            system: OperatingSystem::Linux,
            variable: &|_| None,
            exists: &|path| !file.is_empty() && home.join(file).starts_with(path),
            read: &|_| Ok(None),
            has_program: &|name| name == program,
        };
        let connector = Connector::from_name(agent).expect("an agent that can be connected");
        assert_eq!(connector.is_installed(&snapshot), expected, "{agent}: {file} {program}");
    };
    check("codex", "", "", false);
    check("codex", ".codex/config.toml", "", true);
    check("codex", "", "codex", true);
    check("claude-code", "", "claude", true);
    check("gemini-cli", "", "gemini", true);
    check("qwen-code", "", "qwen", true);
    check("opencode", "", "opencode", true);
    check("copilot-cli", "", "copilot", true);
    // Another program that many have is called so.
    check("goose", "", "goose", false);
}

#[test]
fn no_hook_asks_codex_for_more_time_than_it_gives() {
    let plan = Home::default().plan("codex", OperatingSystem::Linux, &[]);
    let hooks = plan.files[1].next.as_deref().expect("a file of hooks");
    let hooks: serde_json::Value = serde_json::from_str(hooks).expect("it is JSON");
    assert_eq!(hooks["hooks"]["SessionEnd"][0]["hooks"][0]["timeout"], 3);
    assert_eq!(hooks["hooks"]["Stop"][0]["hooks"][0]["timeout"], 10);
}

#[test]
fn tools_that_failed_are_heard_where_there_is_an_event_for_it() {
    let check = |agent: &str, expected: bool| {
        let plan = Home::default().plan(agent, OperatingSystem::Linux, &[]);
        let hooks: Vec<String> = plan.files.iter().flat_map(|file| file.record.hook_events()).collect();
        assert_eq!(hooks.iter().any(|event| event == "PostToolUseFailure"), expected, "{agent}: {hooks:?}");
    };
    check("claude-code", true);
    check("qwen-code", true);
    check("codex", false);
}

#[test]
fn an_agent_that_is_not_known_is_told_what_to_add() {
    let text = by_hand(&Program::from_path("/bin/epitome"));
    let entry: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(entry["mcpServers"]["epitome"]["command"], "/bin/epitome");
}

/// Settings as people write them.
fn settings() -> impl Strategy<Value = String> {
    let blank =
        prop_oneof![Just(""), Just(" "), Just("\n"), Just("\n  "), Just(" // c\n\t"), Just("/* c */"), Just("\r\n")];
    let leaf = prop_oneof![
        Just("1".to_owned()),
        Just("\"ü \\\" x\"".to_owned()),
        Just("[]".to_owned()),
        Just("{}".to_owned())
    ];
    let value = leaf.prop_recursive(4, 24, 4, move |inner| {
        let blank = blank.clone();
        let key = prop_oneof![Just("a"), Just("b"), Just("mcpServers"), Just("hooks"), Just("Stop")];
        let member = (blank.clone(), key, inner.clone(), blank.clone())
            .prop_map(|(before, key, value, after)| format!("{before}\"{key}\":{value}{after}"));
        (prop::collection::vec(member, 0..4), any::<bool>(), blank).prop_map(|(members, trailing, end)| {
            let comma = if trailing && !members.is_empty() { "," } else { "" };
            format!("{{{}{comma}{end}}}", members.join(","))
        })
    });
    value.prop_map(|value| if value.starts_with('{') { value } else { format!("{{\"a\":{value}}}") })
}

proptest! {
    #[test]
    fn whatever_the_settings_are_they_come_back(text in settings()) {
        let original = Home::of(&[(".gemini/settings.json", &text), (".cursor/hooks.json", &text)]);
        for agent in ["gemini-cli", "cursor"] {
            let mut home = original.clone();
            let plan = home.plan(agent, OperatingSystem::Linux, &[]);
            let records = home.apply(&plan.files);
            let again = home.plan(agent, OperatingSystem::Linux, &records);
            prop_assert!(again.files.iter().all(FilePlan::is_done));
            home.undo(&records);
            prop_assert_eq!(&home.0, &original.0);
        }
    }

    #[test]
    fn what_is_left_after_changes_of_others_says_what_it_said_before(text in settings()) {
        let path = Path::new(HOME).join(".gemini/settings.json");
        let mut home = Home::of(&[(".gemini/settings.json", &text)]);
        let plan = home.plan("gemini-cli", OperatingSystem::Linux, &[]);
        prop_assume!(plan.refused.is_empty());
        let records = home.apply(&plan.files);
        home.0.get_mut(&path).expect("the file").push_str(" // theirs\n");
        home.undo(&records);
        let plain = |text: &str| text.replace("// theirs", "").split_whitespace().collect::<String>();
        prop_assert_eq!(plain(&home.0[&path]), plain(&text));
    }
}
