//! Goose. Servers are extensions, in YAML; the command is `cmd`, the environment `envs`.

use crate::connectors::{Connector, File, Form, Place, entry};
use serde_json::json;

pub(super) const CONNECTOR: Connector = Connector {
    name: "goose",
    title: "Goose",
    signs: &[Place::Config("goose"), Place::Application("Block/goose/config")],
    files: &[File {
        places: &[Place::Config("goose/config.yaml"), Place::Application("Block/goose/config/config.yaml")],
        form: Form::Yaml,
        needs: None,
        grafts: |program, _| {
            let extension = json!({
                "name": "epitome", "type": "stdio", "enabled": true, "cmd": program.path(), "args": ["mcp"],
                "envs": {}, "timeout": 300,
            });
            vec![entry(&["extensions", "epitome"], extension)]
        },
    }],
    note: None,
};
