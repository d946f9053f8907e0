//! Connector of Warp: what `epitome init` writes into its settings files, namely the MCP server entry in
//! `.warp/.mcp.json`, from which Warp reads the servers of all projects. Warp has no hooks.

use crate::connectors::{Connector, ConnectorFile, FileFormat, FileLocation, entry_graft};

pub(super) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "Warp",
    // Its folder in the home comes with its first server; its settings are elsewhere on each system.
    signs: &[
        FileLocation::Home(".warp"),
        FileLocation::Config("warp-terminal"),
        FileLocation::Application("dev.warp.Warp-Stable"),
    ],
    programs: &["warp-terminal"],
    files: &[ConnectorFile {
        places: &[FileLocation::Home(".warp/.mcp.json")],
        form: FileFormat::Json,
        needs: None,
        grafts: |program, _| vec![entry_graft(&["mcpServers", "epitome"], program.server_entry())],
    }],
    plugin: None,
    permissions: None,
    note: None,
};
