//! Antigravity, editor and command line. It shares a folder with Gemini CLI and its rules, which are written there.

use crate::connectors::{Connector, File, Form, Graft, Place, Program, entry};

const EDITOR: Place = Place::Home(".gemini/config");
const COMMAND_LINE: Place = Place::Home(".gemini/antigravity-cli");

pub(super) const CONNECTOR: Connector = Connector {
    name: "antigravity",
    title: "Antigravity",
    signs: &[EDITOR, COMMAND_LINE],
    files: &[
        File {
            places: &[Place::Home(".gemini/config/mcp_config.json")],
            form: Form::Json,
            needs: Some(EDITOR),
            grafts: server,
        },
        File {
            places: &[Place::Home(".gemini/antigravity-cli/mcp_config.json")],
            form: Form::Json,
            needs: Some(COMMAND_LINE),
            grafts: server,
        },
    ],
    note: None,
};

fn server(program: &Program, _: &str) -> Vec<Graft> {
    vec![entry(&["mcpServers", "epitome"], program.server())]
}
