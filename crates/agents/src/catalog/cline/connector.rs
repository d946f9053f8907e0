//! Connector of Cline, editor extension and command line: what `epitome init` writes into its settings files, namely
//! the MCP server entry in the settings file of each product, and hooks. A hook is an executable file that is called
//! like its event, in one folder (`Documents/Cline/Hooks`) for both.

use crate::connectors::{
    Connector, ConnectorFile, FileFormat, FileLocation, Graft, GraftSite, Program, entry_graft, hooks,
};
use serde_json::json;

const EDITOR: &str = "Code/User/globalStorage/saoudrizwan.claude-dev";

pub(super) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "Cline",
    signs: &[FileLocation::Application(EDITOR), FileLocation::Variable("CLINE_DIR", ".cline", "")],
    programs: &["cline"],
    files: &[
        ConnectorFile {
            places: &[FileLocation::Application(
                "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            )],
            form: FileFormat::Json,
            needs: Some(FileLocation::Application(EDITOR)),
            grafts: server_grafts,
        },
        ConnectorFile {
            places: &[FileLocation::Variable("CLINE_DIR", ".cline", "data/settings/cline_mcp_settings.json")],
            form: FileFormat::Json,
            needs: Some(FileLocation::Variable("CLINE_DIR", ".cline", "")),
            grafts: server_grafts,
        },
        ConnectorFile {
            places: &[FileLocation::Home("Documents/Cline/Hooks/UserPromptSubmit")],
            form: FileFormat::Whole,
            needs: None,
            grafts: |program, _| hook_grafts(program, "UserPromptSubmit"),
        },
        ConnectorFile {
            places: &[FileLocation::Home("Documents/Cline/Hooks/PostToolUse")],
            form: FileFormat::Whole,
            needs: None,
            grafts: |program, _| hook_grafts(program, "PostToolUse"),
        },
        ConnectorFile {
            places: &[FileLocation::Home("Documents/Cline/Hooks/PreCompact")],
            form: FileFormat::Whole,
            needs: None,
            grafts: |program, _| hook_grafts(program, "PreCompact"),
        },
        ConnectorFile {
            places: &[FileLocation::Home("Documents/Cline/Hooks/TaskComplete")],
            form: FileFormat::Whole,
            needs: None,
            grafts: |program, _| hook_grafts(program, "TaskComplete"),
        },
    ],
    plugin: None,
    permissions: None,
    note: Some("hooks are switched on in its settings"),
};

fn server_grafts(program: &Program, _: &GraftSite<'_>) -> Vec<Graft> {
    let mut server = program.server_entry();
    server["disabled"] = json!(false);
    vec![entry_graft(&["mcpServers", "epitome"], server)]
}

fn hook_grafts(program: &Program, event: &str) -> Vec<Graft> {
    vec![Graft::Text { text: hooks::answering_script(program, super::NAME, event) }]
}
