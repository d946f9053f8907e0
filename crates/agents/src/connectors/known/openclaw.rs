//! The agent `openclaw`. Servers stand below `mcp`. Its file may be JSON5, which is more than we edit: it is left alone then.

use crate::connectors::{Connector, File, Form, Place, entry};

pub(super) const CONNECTOR: Connector = Connector {
    name: "openclaw",
    title: "OpenClaw",
    signs: &[Place::Variable("OPENCLAW_STATE_DIR", ".openclaw", "")],
    programs: &["openclaw"],
    files: &[File {
        places: &[Place::Variable("OPENCLAW_STATE_DIR", ".openclaw", "openclaw.json")],
        form: Form::Json,
        needs: None,
        grafts: |program, _| vec![entry(&["mcp", "servers", "epitome"], program.server())],
    }],
    plugin: None,
    permissions: None,
    note: Some("a gateway that runs reads it when it is started again"),
};
