//! Connector of the agent `openclaw`: what `epitome init` writes into its settings files, namely the MCP server entry
//! below `mcp.servers` in `openclaw.json`. The file may be JSON5, which is more than we edit: it is left alone then.

use crate::connectors::{Connector, ConnectorFile, FileFormat, FileLocation, entry_graft};

pub(super) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "OpenClaw",
    signs: &[FileLocation::Variable("OPENCLAW_STATE_DIR", ".openclaw", "")],
    programs: &["openclaw"],
    files: &[ConnectorFile {
        places: &[FileLocation::Variable("OPENCLAW_STATE_DIR", ".openclaw", "openclaw.json")],
        form: FileFormat::Json,
        needs: None,
        grafts: |program, _| vec![entry_graft(&["mcp", "servers", "epitome"], program.server_entry())],
    }],
    plugin: None,
    permissions: None,
    note: Some("a gateway that runs reads it when it is started again"),
};
