//! Qoder's command line. Its editor takes servers only in its own window.

use crate::connectors::{Connector, File, Form, Place, entry};

pub(super) const CONNECTOR: Connector = Connector {
    name: "qoder",
    title: "Qoder CLI",
    signs: &[Place::Home(".qoder")],
    programs: &["qodercli"],
    files: &[File {
        places: &[Place::Home(".qoder/settings.json")],
        form: Form::Json,
        needs: None,
        grafts: |program, _| vec![entry(&["mcpServers", "epitome"], program.server())],
    }],
    plugin: None,
    permissions: None,
    note: None,
};
