//! Junie.

use crate::connectors::{Connector, ConnectorFile, FileLocation, Form, entry_graft};

pub(super) const CONNECTOR: Connector = Connector {
    name: "junie",
    title: "Junie",
    signs: &[FileLocation::Home(".junie")],
    programs: &["junie"],
    files: &[ConnectorFile {
        places: &[FileLocation::Home(".junie/mcp/mcp.json")],
        form: Form::Json,
        needs: None,
        grafts: |program, _| vec![entry_graft(&["mcpServers", "epitome"], program.server_entry())],
    }],
    plugin: None,
    permissions: None,
    note: None,
};
