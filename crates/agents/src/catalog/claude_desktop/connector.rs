//! Connector of Claude Desktop: what `epitome init` writes into its settings files, namely the MCP server entry in
//! `claude_desktop_config.json`. Claude Desktop knows servers on stdio only, and has neither hooks nor rules.

use crate::connectors::{Connector, ConnectorFile, FileFormat, FileLocation, entry_graft};

pub(super) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "Claude Desktop",
    signs: &[FileLocation::Application("Claude")],
    programs: &[],
    files: &[ConnectorFile {
        places: &[FileLocation::Application("Claude/claude_desktop_config.json")],
        form: FileFormat::Json,
        needs: None,
        grafts: |program, _| vec![entry_graft(&["mcpServers", "epitome"], program.server_entry())],
    }],
    plugin: None,
    permissions: None,
    note: None,
};
