//! Connector of Antigravity, editor and command line: what `epitome init` writes into its settings files, namely MCP
//! server entries and hooks, as JSON in Gemini CLI's folder `.gemini`. Antigravity shares Gemini CLI's rules, which are
//! written there. Its hooks stand under a name; those of tools are grouped, others are not. Hook events carry neither
//! prompt nor output, but the path of the transcript that has both: two are enough.

use crate::connectors::{
    Connector, ConnectorFile, FileFormat, FileLocation, Graft, GraftSite, Program, entry_graft, hooks,
};
use serde_json::json;

const EDITOR: FileLocation = FileLocation::Home(".gemini/config");
const COMMAND_LINE: FileLocation = FileLocation::Home(".gemini/antigravity-cli");

pub(super) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "Antigravity",
    signs: &[EDITOR, COMMAND_LINE],
    programs: &["antigravity"],
    files: &[
        ConnectorFile {
            places: &[FileLocation::Home(".gemini/config/mcp_config.json")],
            form: FileFormat::Json,
            // Hooks are read from this folder in any case, so it is there afterwards.
            needs: None,
            grafts: server_grafts,
        },
        ConnectorFile {
            places: &[FileLocation::Home(".gemini/antigravity-cli/mcp_config.json")],
            form: FileFormat::Json,
            needs: Some(COMMAND_LINE),
            grafts: server_grafts,
        },
        ConnectorFile {
            places: &[FileLocation::Home(".gemini/config/hooks.json")],
            form: FileFormat::Json,
            needs: None,
            grafts: |program, _| {
                let hook = |event| hooks::command_hook(program, super::NAME, event);
                let tools = json!([{ "matcher": "*", "hooks": [hook("PostToolUse")] }]);
                vec![entry_graft(&["epitome"], json!({ "PostToolUse": tools, "Stop": [hook("Stop")] }))]
            },
        },
    ],
    plugin: None,
    permissions: None,
    note: None,
};

fn server_grafts(program: &Program, _: &GraftSite<'_>) -> Vec<Graft> {
    vec![entry_graft(&["mcpServers", "epitome"], program.server_entry())]
}
