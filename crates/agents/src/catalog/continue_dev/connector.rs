//! Connector of Continue: what `epitome init` writes into its settings files, namely the MCP server as an element of
//! the list `mcpServers` in `.continue/config.yaml`.

use crate::connectors::{Connector, ConnectorFile, FileFormat, FileLocation, Graft};
use serde_json::json;

pub(super) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "Continue",
    signs: &[FileLocation::Home(".continue")],
    // It has to make its own settings before ours can stand in them, so its program alone is not enough.
    programs: &[],
    files: &[ConnectorFile {
        places: &[FileLocation::Home(".continue/config.yaml")],
        form: FileFormat::Yaml,
        // Without its own settings the file would be more than ours: Continue makes it at its first start.
        needs: Some(FileLocation::Home(".continue/config.yaml")),
        grafts: |program, _| {
            let value = json!({ "name": "epitome", "command": program.path(), "args": ["mcp"] });
            vec![Graft::Element { path: vec!["mcpServers".to_owned()], value }]
        },
    }],
    plugin: None,
    permissions: None,
    note: None,
};
