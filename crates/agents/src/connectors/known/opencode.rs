//! OpenCode. Its second version has servers one level deeper; a file says by what is in it which one it is for. It has no
//! hooks but plugins, so ours is a plugin that does nothing but hand events on.

use crate::connectors::{Connector, File, Form, Graft, Place, Program, Site, entry, rules};
use serde_json::Value;

pub(super) const CONNECTOR: Connector = Connector {
    name: "opencode",
    title: "OpenCode",
    signs: &[Place::Config("opencode"), Place::Home(".local/share/opencode")],
    programs: &["opencode"],
    files: &[
        File {
            places: &[Place::Config("opencode/opencode.json"), Place::Config("opencode/opencode.jsonc")],
            form: Form::Json,
            needs: None,
            grafts: server,
        },
        File {
            places: &[Place::Config("opencode/plugins/epitome.js")],
            form: Form::Whole,
            needs: None,
            grafts: |program, _| {
                let path = Value::from(program.path()).to_string();
                vec![Graft::Text { text: include_str!("opencode.js").replace("\"PROGRAM\"", &path) }]
            },
        },
        File {
            places: &[Place::Config("opencode/AGENTS.md")],
            form: Form::Markdown,
            needs: None,
            grafts: |_, _| rules::block(),
        },
    ],
    plugin: None,
    permissions: None,
    note: None,
};

pub(super) fn server(program: &Program, site: &Site<'_>) -> Vec<Graft> {
    let deeper = crate::connectors::edit::object(site.text, &["mcp", "servers"]).is_some();
    let path: &[&str] = if deeper { &["mcp", "servers", "epitome"] } else { &["mcp", "epitome"] };
    vec![entry(path, program.listed_server())]
}
