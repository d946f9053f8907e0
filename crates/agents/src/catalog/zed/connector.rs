//! Connector of Zed: what `epitome init` writes into its settings files, namely the MCP server in `zed/settings.json`.
//! Zed's key for servers is `context_servers`, and each entry states that it is a custom one.

use crate::connectors::{Connector, ConnectorFile, FileFormat, FileLocation, entry_graft};
use serde_json::json;

pub(super) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "Zed",
    signs: &[FileLocation::Config("zed"), FileLocation::Application("Zed")],
    programs: &["zed", "zeditor"],
    files: &[ConnectorFile {
        places: &[FileLocation::Config("zed/settings.json"), FileLocation::Application("Zed/settings.json")],
        form: FileFormat::Json,
        needs: None,
        grafts: |program, _| {
            let server = json!({ "source": "custom", "command": program.path(), "args": ["mcp"], "env": {} });
            vec![entry_graft(&["context_servers", "epitome"], server)]
        },
    }],
    plugin: None,
    permissions: None,
    note: None,
};
