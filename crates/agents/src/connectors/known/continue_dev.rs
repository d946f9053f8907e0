//! Continue. Servers are a list in YAML.

use crate::connectors::{Connector, File, Form, Graft, Place};
use serde_json::json;

pub(super) const CONNECTOR: Connector = Connector {
    name: "continue",
    title: "Continue",
    signs: &[Place::Home(".continue")],
    // It has to make its own settings before ours can stand in them, so its program alone is not enough.
    programs: &[],
    files: &[File {
        places: &[Place::Home(".continue/config.yaml")],
        form: Form::Yaml,
        // Without its own settings the file would be more than ours: Continue makes it at its first start.
        needs: Some(Place::Home(".continue/config.yaml")),
        grafts: |program, _| {
            let value = json!({ "name": "epitome", "command": program.path(), "args": ["mcp"] });
            vec![Graft::Element { path: vec!["mcpServers".to_owned()], value }]
        },
    }],
    plugin: None,
    permissions: None,
    note: None,
};
