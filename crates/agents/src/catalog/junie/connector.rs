//! Connector of Junie: what `epitome init` writes into its settings files, namely the MCP server entry in
//! `.junie/mcp/mcp.json`. Neither hooks nor rules are written.

use crate::connectors::{Connector, ConnectorFile, FileFormat, FileLocation, entry_graft};

pub(super) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "Junie",
    signs: &[FileLocation::Home(".junie")],
    programs: &["junie"],
    files: &[ConnectorFile {
        places: &[FileLocation::Home(".junie/mcp/mcp.json")],
        form: FileFormat::Json,
        needs: None,
        grafts: |program, _| vec![entry_graft(&["mcpServers", "epitome"], program.server_entry())],
    }],
    plugin: None,
    permissions: None,
    note: None,
};
