//! Zed. Its word for servers is `context_servers`, and each says that it is a custom one.

use crate::connectors::{Connector, File, Form, Place, entry};
use serde_json::json;

pub(super) const CONNECTOR: Connector = Connector {
    name: "zed",
    title: "Zed",
    signs: &[Place::Config("zed"), Place::Application("Zed")],
    programs: &["zed", "zeditor"],
    files: &[File {
        places: &[Place::Config("zed/settings.json"), Place::Application("Zed/settings.json")],
        form: Form::Json,
        needs: None,
        grafts: |program, _| {
            let server = json!({ "source": "custom", "command": program.path(), "args": ["mcp"], "env": {} });
            vec![entry(&["context_servers", "epitome"], server)]
        },
    }],
    plugin: None,
    permissions: None,
    note: None,
};
