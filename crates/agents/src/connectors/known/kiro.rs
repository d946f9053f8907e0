//! Kiro, editor and command line. Its hooks are files of their own, each a list of triggers.

use crate::connectors::{Connector, File, Form, Graft, Place, entry, hooks};

const TRIGGERS: &[&str] = &["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"];

pub(super) const CONNECTOR: Connector = Connector {
    name: "kiro",
    title: "Kiro",
    signs: &[Place::Home(".kiro")],
    programs: &["kiro", "kiro-cli"],
    files: &[
        File {
            places: &[Place::Home(".kiro/settings/mcp.json")],
            form: Form::Json,
            needs: None,
            grafts: |program, _| vec![entry(&["mcpServers", "epitome"], program.server())],
        },
        File {
            places: &[Place::Home(".kiro/hooks/epitome.json")],
            form: Form::Whole,
            needs: None,
            grafts: |program, _| vec![Graft::Text { text: hooks::triggered(program, "kiro", TRIGGERS) }],
        },
    ],
    plugin: None,
    permissions: None,
    note: None,
};
