//! Connector of Droid, Factory's agent: what `epitome init` writes into its settings files, namely the MCP server in
//! `.factory/mcp.json`. Droid only names our tools to its model, which has to load them before it can call them.

use crate::connectors::{Connector, ConnectorFile, FileFormat, FileLocation, entry_graft};
use serde_json::json;

pub(super) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "Droid",
    signs: &[FileLocation::Home(".factory")],
    programs: &["droid"],
    files: &[ConnectorFile {
        places: &[FileLocation::Home(".factory/mcp.json")],
        form: FileFormat::Json,
        needs: None,
        grafts: |program, _| {
            let mut server = program.typed_server("stdio");
            server["disabled"] = json!(false);
            vec![entry_graft(&["mcpServers", "epitome"], server)]
        },
    }],
    plugin: None,
    permissions: None,
    note: None,
};
