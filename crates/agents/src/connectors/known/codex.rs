//! Codex. It asks its user once whether to trust hooks that are new or changed.

use crate::connectors::hooks::{self, Unit};
use crate::connectors::{Connector, File, Form, Place, entry, rules};

/// It has no event for tools that failed.
const EVENTS: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "PreCompact",
    "PostCompact",
    "Stop",
    "SubagentStop",
    "SessionEnd",
];

pub(super) const CONNECTOR: Connector = Connector {
    name: "codex",
    title: "Codex",
    signs: &[Place::Variable("CODEX_HOME", ".codex", "")],
    programs: &["codex"],
    files: &[
        File {
            places: &[Place::Variable("CODEX_HOME", ".codex", "config.toml")],
            form: Form::Toml,
            needs: None,
            grafts: |program, _| vec![entry(&["mcp_servers", "epitome"], program.server())],
        },
        File {
            places: &[Place::Variable("CODEX_HOME", ".codex", "hooks.json")],
            form: Form::Json,
            needs: None,
            grafts: |program, _| hooks::grouped(program, "codex", EVENTS, Unit::Seconds),
        },
        File {
            places: &[Place::Variable("CODEX_HOME", ".codex", "AGENTS.md")],
            form: Form::Markdown,
            needs: None,
            grafts: |_, _| rules::block(),
        },
    ],
    plugin: None,
    permissions: None,
    note: Some("Codex asks once whether it may run the hooks: say yes"),
};
