//! Connector of Cursor: what `epitome init` writes into its settings files, namely the MCP server in `.cursor/mcp.json`
//! and hooks in `.cursor/hooks.json`. The event `sessionStart` is left out: versions exist that refuse the whole file
//! over it.

use crate::connectors::{Connector, ConnectorFile, FileFormat, FileLocation, Graft, entry_graft, hooks};

const EVENTS: &[&str] = &["beforeSubmitPrompt", "postToolUse", "preCompact", "subagentStop", "stop", "sessionEnd"];

pub(super) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "Cursor",
    signs: &[FileLocation::Home(".cursor")],
    programs: &["cursor", "cursor-agent"],
    files: &[
        ConnectorFile {
            places: &[FileLocation::Home(".cursor/mcp.json")],
            form: FileFormat::Json,
            needs: None,
            grafts: |program, _| vec![entry_graft(&["mcpServers", "epitome"], program.server_entry())],
        },
        ConnectorFile {
            places: &[FileLocation::Home(".cursor/hooks.json")],
            form: FileFormat::Json,
            needs: None,
            grafts: |program, _| {
                let version = Graft::Required { path: vec!["version".to_owned()], value: 1.into() };
                [vec![version], hooks::plain_hooks(program, super::NAME, EVENTS)].concat()
            },
        },
    ],
    plugin: None,
    permissions: None,
    note: None,
};
