//! Kiro, editor and command line.

use crate::connectors::{Connector, File, Form, Place, entry};

pub(super) const CONNECTOR: Connector = Connector {
    name: "kiro",
    title: "Kiro",
    signs: &[Place::Home(".kiro")],
    files: &[File {
        places: &[Place::Home(".kiro/settings/mcp.json")],
        form: Form::Json,
        needs: None,
        grafts: |program, _| vec![entry(&["mcpServers", "epitome"], program.server())],
    }],
    note: None,
};
