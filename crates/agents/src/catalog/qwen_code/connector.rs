//! Connector of Qwen Code: what `epitome init` writes into its settings files, namely MCP server and hooks in
//! `.qwen/settings.json`, rules in `QWEN.md`. The files are those of Gemini CLI, the hook events those of Claude Code,
//! and timeouts are in milliseconds.

use crate::connectors::hooks::{self, TimeoutUnit};
use crate::connectors::{Connector, ConnectorFile, FileFormat, FileLocation, entry_graft, rules};

const EVENTS: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "PostToolUseFailure",
    "PreCompact",
    "PostCompact",
    "Stop",
    "SubagentStop",
    "SessionEnd",
];

pub(super) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "Qwen Code",
    signs: &[FileLocation::Home(".qwen")],
    programs: &["qwen"],
    files: &[
        ConnectorFile {
            places: &[FileLocation::Home(".qwen/settings.json")],
            form: FileFormat::Json,
            needs: None,
            grafts: |program, _| {
                let server = entry_graft(&["mcpServers", "epitome"], program.server_entry());
                [vec![server], hooks::grouped_hooks(program, super::NAME, EVENTS, TimeoutUnit::Milliseconds)].concat()
            },
        },
        ConnectorFile {
            places: &[FileLocation::Home(".qwen/QWEN.md")],
            form: FileFormat::Markdown,
            needs: None,
            grafts: |_, _| rules::rules_graft(),
        },
    ],
    plugin: None,
    permissions: None,
    note: None,
};
