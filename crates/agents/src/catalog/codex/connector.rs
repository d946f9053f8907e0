//! Connector of Codex: what `epitome init` writes into its settings files, namely the MCP server in `config.toml`,
//! hooks in `hooks.json` and rules in `AGENTS.md`, below `CODEX_HOME`. Codex asks its user once whether to trust hooks
//! that are new or changed.

use crate::connectors::hooks;
use crate::connectors::{Connector, ConnectorFile, FileFormat, FileLocation, entry_graft, rules};

/// It has no event for tools that failed.
const EVENTS: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PreCompact",
    "PostCompact",
    "Stop",
    "SubagentStop",
    "SessionEnd",
];

pub(super) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "Codex",
    signs: &[FileLocation::Variable("CODEX_HOME", ".codex", "")],
    programs: &["codex"],
    files: &[
        ConnectorFile {
            places: &[FileLocation::Variable("CODEX_HOME", ".codex", "config.toml")],
            form: FileFormat::Toml,
            needs: None,
            grafts: |program, _| vec![entry_graft(&["mcp_servers", "epitome"], program.server_entry())],
        },
        ConnectorFile {
            places: &[FileLocation::Variable("CODEX_HOME", ".codex", "hooks.json")],
            form: FileFormat::Json,
            needs: None,
            grafts: |program, _| hooks::grouped_hooks_within(program, super::NAME, EVENTS, timeout_seconds),
        },
        ConnectorFile {
            places: &[FileLocation::Variable("CODEX_HOME", ".codex", "AGENTS.md")],
            form: FileFormat::Markdown,
            needs: None,
            grafts: |_, _| rules::rules_graft(),
        },
    ],
    plugin: None,
    permissions: None,
    note: Some("Codex asks once whether it may run the hooks: say yes"),
};

/// Codex takes no more than this for the end of a session, and complains at every start where more is asked for.
fn timeout_seconds(event: &str) -> u64 {
    if event == "SessionEnd" { 3 } else { hooks::HOOK_TIMEOUT_SECONDS }
}
