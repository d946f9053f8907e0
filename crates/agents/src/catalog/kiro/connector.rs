//! Connector of Kiro, editor and command line: what `epitome init` writes into its settings files, namely the MCP
//! server in `.kiro/settings/mcp.json`, and hooks in a file of their own, a list of triggers.

use crate::connectors::{Connector, ConnectorFile, FileFormat, FileLocation, Graft, entry_graft, hooks};

const TRIGGERS: &[&str] = &["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"];

pub(super) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "Kiro",
    signs: &[FileLocation::Home(".kiro")],
    programs: &["kiro", "kiro-cli"],
    files: &[
        ConnectorFile {
            places: &[FileLocation::Home(".kiro/settings/mcp.json")],
            form: FileFormat::Json,
            needs: None,
            grafts: |program, _| vec![entry_graft(&["mcpServers", "epitome"], program.server_entry())],
        },
        ConnectorFile {
            places: &[FileLocation::Home(".kiro/hooks/epitome.json")],
            form: FileFormat::Whole,
            needs: None,
            grafts: |program, _| vec![Graft::Text { text: hooks::trigger_file(program, super::NAME, TRIGGERS) }],
        },
    ],
    plugin: None,
    permissions: None,
    note: None,
};
