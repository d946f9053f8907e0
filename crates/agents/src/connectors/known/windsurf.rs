//! Windsurf. Of all tools of all servers it takes a hundred; ours are a handful.

use crate::connectors::{Connector, File, Form, Place, entry, rules};

pub(super) const CONNECTOR: Connector = Connector {
    name: "windsurf",
    title: "Windsurf",
    signs: &[Place::Home(".codeium/windsurf")],
    files: &[
        File {
            places: &[Place::Home(".codeium/windsurf/mcp_config.json")],
            form: Form::Json,
            needs: None,
            grafts: |program, _| vec![entry(&["mcpServers", "epitome"], program.server())],
        },
        File {
            places: &[Place::Home(".codeium/windsurf/memories/global_rules.md")],
            form: Form::Markdown,
            needs: None,
            grafts: |_, _| rules::block(),
        },
    ],
    note: None,
};
