//! Copilot CLI. It wants to be told which tools of a server it may use, and reads hooks from a folder of files.

use crate::connectors::{Connector, File, Form, Graft, Place, entry, hooks};
use serde_json::json;

const EVENTS: &[&str] = &["sessionStart", "userPromptSubmitted", "postToolUse", "sessionEnd"];

pub(super) const CONNECTOR: Connector = Connector {
    name: "copilot-cli",
    title: "Copilot CLI",
    signs: &[Place::Home(".copilot")],
    files: &[
        File {
            places: &[Place::Home(".copilot/mcp-config.json")],
            form: Form::Json,
            needs: None,
            grafts: |program, _| {
                let mut server = program.typed_server("local");
                server["tools"] = json!(["*"]);
                vec![entry(&["mcpServers", "epitome"], server)]
            },
        },
        File {
            places: &[Place::Home(".copilot/hooks/epitome.json")],
            form: Form::Whole,
            needs: None,
            grafts: |program, _| vec![Graft::Text { text: hooks::whole(program, "copilot-cli", EVENTS) }],
        },
    ],
    note: None,
};
