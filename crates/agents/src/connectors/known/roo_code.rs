//! Roo Code, in VS Code: the settings of the extension from which it was made, under other names.

use crate::connectors::{Connector, File, Form, Place, entry};
use serde_json::json;

const EDITOR: Place = Place::Application("Code/User/globalStorage/rooveterinaryinc.roo-cline");

pub(super) const CONNECTOR: Connector = Connector {
    name: "roo-code",
    title: "Roo Code",
    signs: &[EDITOR],
    programs: &[],
    files: &[File {
        places: &[Place::Application("Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json")],
        form: Form::Json,
        needs: Some(EDITOR),
        grafts: |program, _| {
            let mut server = program.server();
            server["disabled"] = json!(false);
            vec![entry(&["mcpServers", "epitome"], server)]
        },
    }],
    plugin: None,
    permissions: None,
    note: None,
};
