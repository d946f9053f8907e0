//! Kimi Code. Servers lie in a file of their own.

use crate::connectors::{Connector, File, Form, Place, entry};

pub(super) const CONNECTOR: Connector = Connector {
    name: "kimi-code",
    title: "Kimi Code",
    signs: &[Place::Variable("KIMI_CODE_HOME", ".kimi-code", "")],
    // Its program shares its name with the one before it, which has other files.
    programs: &[],
    files: &[File {
        places: &[Place::Variable("KIMI_CODE_HOME", ".kimi-code", "mcp.json")],
        form: Form::Json,
        needs: None,
        grafts: |program, _| vec![entry(&["mcpServers", "epitome"], program.server())],
    }],
    plugin: None,
    permissions: None,
    note: None,
};
