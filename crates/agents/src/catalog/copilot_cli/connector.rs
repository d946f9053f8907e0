//! Connector of Copilot CLI: what `epitome init` writes into its settings files, namely the MCP server in
//! `mcp-config.json`, which has to list the tools that Copilot may use, and hooks in a file of our own, because Copilot
//! reads hooks from a folder of files.

use crate::connectors::{Connector, ConnectorFile, FileFormat, FileLocation, Graft, entry_graft, hooks};
use serde_json::json;

/// Its events. VS Code reads the same file and says them in its own words.
const EVENTS: &[&str] =
    &["sessionStart", "userPromptSubmitted", "postToolUse", "preCompact", "agentStop", "subagentStop", "sessionEnd"];

/// The file of hooks, which Copilot CLI and VS Code both read.
pub(in crate::catalog) const HOOKS: ConnectorFile = ConnectorFile {
    places: &[FileLocation::Home(".copilot/hooks/epitome.json")],
    form: FileFormat::Whole,
    needs: None,
    grafts: |program, _| vec![Graft::Text { text: hooks::command_file(program, super::NAME, EVENTS) }],
};

pub(super) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "Copilot CLI",
    // The folder alone is no sign: VS Code's hooks lie there, too.
    signs: &[FileLocation::Home(".copilot/config.json"), FileLocation::Home(".copilot/session-state")],
    programs: &["copilot"],
    files: &[
        ConnectorFile {
            places: &[FileLocation::Home(".copilot/mcp-config.json")],
            form: FileFormat::Json,
            needs: None,
            grafts: |program, _| {
                let mut server = program.typed_server("local");
                server["tools"] = json!(["*"]);
                vec![entry_graft(&["mcpServers", "epitome"], server)]
            },
        },
        HOOKS,
    ],
    plugin: None,
    permissions: None,
    note: None,
};
