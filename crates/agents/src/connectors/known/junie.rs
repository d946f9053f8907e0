//! Junie.

use crate::connectors::{Connector, File, Form, Place, entry};

pub(super) const CONNECTOR: Connector = Connector {
    name: "junie",
    title: "Junie",
    signs: &[Place::Home(".junie")],
    programs: &["junie"],
    files: &[File {
        places: &[Place::Home(".junie/mcp/mcp.json")],
        form: Form::Json,
        needs: None,
        grafts: |program, _| vec![entry(&["mcpServers", "epitome"], program.server())],
    }],
    plugin: None,
    permissions: None,
    note: None,
};
