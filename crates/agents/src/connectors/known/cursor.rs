//! Cursor. `sessionStart` is left out: versions exist that refuse the whole file over it.

use crate::connectors::{Connector, File, Form, Graft, Place, entry, hooks};

const EVENTS: &[&str] = &["beforeSubmitPrompt", "postToolUse", "preCompact", "subagentStop", "stop", "sessionEnd"];

pub(super) const CONNECTOR: Connector = Connector {
    name: "cursor",
    title: "Cursor",
    signs: &[Place::Home(".cursor")],
    programs: &["cursor", "cursor-agent"],
    files: &[
        File {
            places: &[Place::Home(".cursor/mcp.json")],
            form: Form::Json,
            needs: None,
            grafts: |program, _| vec![entry(&["mcpServers", "epitome"], program.server())],
        },
        File {
            places: &[Place::Home(".cursor/hooks.json")],
            form: Form::Json,
            needs: None,
            grafts: |program, _| {
                let version = Graft::Required { path: vec!["version".to_owned()], value: 1.into() };
                [vec![version], hooks::plain(program, "cursor", EVENTS)].concat()
            },
        },
    ],
    plugin: None,
    permissions: None,
    note: None,
};
