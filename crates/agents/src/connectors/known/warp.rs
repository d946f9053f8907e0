//! Warp. It reads the servers of all projects from a file in its folder, whose name begins with a dot; it has no hooks.

use crate::connectors::{Connector, File, Form, Place, entry};

pub(super) const CONNECTOR: Connector = Connector {
    name: "warp",
    title: "Warp",
    // Its folder in the home comes with its first server; its settings are elsewhere on each system.
    signs: &[Place::Home(".warp"), Place::Config("warp-terminal"), Place::Application("dev.warp.Warp-Stable")],
    programs: &["warp-terminal"],
    files: &[File {
        places: &[Place::Home(".warp/.mcp.json")],
        form: Form::Json,
        needs: None,
        grafts: |program, _| vec![entry(&["mcpServers", "epitome"], program.server())],
    }],
    plugin: None,
    permissions: None,
    note: None,
};
