//! Auggie, of Augment.

use crate::connectors::{Connector, File, Form, Place, entry};

pub(super) const CONNECTOR: Connector = Connector {
    name: "auggie",
    title: "Auggie",
    signs: &[Place::Home(".augment")],
    files: &[File {
        places: &[Place::Home(".augment/settings.json")],
        form: Form::Json,
        needs: None,
        grafts: |program, _| vec![entry(&["mcpServers", "epitome"], program.server())],
    }],
    note: None,
};
