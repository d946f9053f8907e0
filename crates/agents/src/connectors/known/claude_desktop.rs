//! Claude Desktop. It knows servers on stdio only, and has neither hooks nor rules.

use crate::connectors::{Connector, File, Form, Place, entry};

pub(super) const CONNECTOR: Connector = Connector {
    name: "claude-desktop",
    title: "Claude Desktop",
    signs: &[Place::Application("Claude")],
    programs: &[],
    files: &[File {
        places: &[Place::Application("Claude/claude_desktop_config.json")],
        form: Form::Json,
        needs: None,
        grafts: |program, _| vec![entry(&["mcpServers", "epitome"], program.server())],
    }],
    plugin: None,
    permissions: None,
    note: None,
};
