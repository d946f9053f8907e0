//! Cline, in the editor and on the command line: two files, each where its product is. A hook is a program that is called
//! like its event, in one folder for both.

use crate::connectors::{Connector, File, Form, Graft, Place, Program, Site, entry, hooks};
use serde_json::json;

const EDITOR: &str = "Code/User/globalStorage/saoudrizwan.claude-dev";

pub(super) const CONNECTOR: Connector = Connector {
    name: "cline",
    title: "Cline",
    signs: &[Place::Application(EDITOR), Place::Variable("CLINE_DIR", ".cline", "")],
    programs: &["cline"],
    files: &[
        File {
            places: &[Place::Application(
                "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            )],
            form: Form::Json,
            needs: Some(Place::Application(EDITOR)),
            grafts: server,
        },
        File {
            places: &[Place::Variable("CLINE_DIR", ".cline", "data/settings/cline_mcp_settings.json")],
            form: Form::Json,
            needs: Some(Place::Variable("CLINE_DIR", ".cline", "")),
            grafts: server,
        },
        File {
            places: &[Place::Home("Documents/Cline/Hooks/UserPromptSubmit")],
            form: Form::Whole,
            needs: None,
            grafts: |program, _| hook(program, "UserPromptSubmit"),
        },
        File {
            places: &[Place::Home("Documents/Cline/Hooks/PostToolUse")],
            form: Form::Whole,
            needs: None,
            grafts: |program, _| hook(program, "PostToolUse"),
        },
        File {
            places: &[Place::Home("Documents/Cline/Hooks/PreCompact")],
            form: Form::Whole,
            needs: None,
            grafts: |program, _| hook(program, "PreCompact"),
        },
        File {
            places: &[Place::Home("Documents/Cline/Hooks/TaskComplete")],
            form: Form::Whole,
            needs: None,
            grafts: |program, _| hook(program, "TaskComplete"),
        },
    ],
    plugin: None,
    permissions: None,
    note: Some("hooks are switched on in its settings"),
};

fn server(program: &Program, _: &Site<'_>) -> Vec<Graft> {
    let mut server = program.server();
    server["disabled"] = json!(false);
    vec![entry(&["mcpServers", "epitome"], server)]
}

fn hook(program: &Program, event: &str) -> Vec<Graft> {
    vec![Graft::Text { text: hooks::answering_script(program, "cline", event) }]
}
