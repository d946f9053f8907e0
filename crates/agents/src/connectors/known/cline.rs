//! Cline, in the editor and on the command line: two files, each where its product is.

use crate::connectors::{Connector, File, Form, Graft, Place, Program, entry};
use serde_json::json;

const EDITOR: &str = "Code/User/globalStorage/saoudrizwan.claude-dev";

pub(super) const CONNECTOR: Connector = Connector {
    name: "cline",
    title: "Cline",
    signs: &[Place::Application(EDITOR), Place::Variable("CLINE_DIR", ".cline", "")],
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
    ],
    note: None,
};

fn server(program: &Program, _: &str) -> Vec<Graft> {
    let mut server = program.server();
    server["disabled"] = json!(false);
    vec![entry(&["mcpServers", "epitome"], server)]
}
