//! Connector of Kimi Code: what `epitome init` writes into its settings files, namely the MCP server entry in
//! `mcp.json`, a file for servers only, below `KIMI_CODE_HOME`.

use crate::connectors::{Connector, ConnectorFile, FileFormat, FileLocation, entry_graft};

pub(super) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "Kimi Code",
    signs: &[FileLocation::Variable("KIMI_CODE_HOME", ".kimi-code", "")],
    // Its program shares its name with the one before it, which has other files.
    programs: &[],
    files: &[ConnectorFile {
        places: &[FileLocation::Variable("KIMI_CODE_HOME", ".kimi-code", "mcp.json")],
        form: FileFormat::Json,
        needs: None,
        grafts: |program, _| vec![entry_graft(&["mcpServers", "epitome"], program.server_entry())],
    }],
    plugin: None,
    permissions: None,
    note: None,
};
