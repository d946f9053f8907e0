//! Connector of OpenCode: what `epitome init` writes into its settings files, namely the MCP server in `opencode.json`,
//! a plugin (`plugin.js`) and rules in `AGENTS.md`. In its second version servers stand one level deeper; the contents
//! of a file show for which version it is. OpenCode has no hooks but plugins, so ours does nothing but pass events on.

use crate::connectors::{
    Connector, ConnectorFile, FileFormat, FileLocation, Graft, GraftSite, Program, entry_graft, find_object, rules,
};
use serde_json::Value;

pub(super) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "OpenCode",
    signs: &[FileLocation::Config("opencode"), FileLocation::Home(".local/share/opencode")],
    programs: &["opencode"],
    files: &[
        ConnectorFile {
            places: &[FileLocation::Config("opencode/opencode.json"), FileLocation::Config("opencode/opencode.jsonc")],
            form: FileFormat::Json,
            needs: None,
            grafts: server_grafts,
        },
        ConnectorFile {
            places: &[FileLocation::Config("opencode/plugins/epitome.js")],
            form: FileFormat::Whole,
            needs: None,
            grafts: |program, _| {
                let path = Value::from(program.path()).to_string();
                vec![Graft::Text { text: include_str!("plugin.js").replace("\"PROGRAM\"", &path) }]
            },
        },
        ConnectorFile {
            places: &[FileLocation::Config("opencode/AGENTS.md")],
            form: FileFormat::Markdown,
            needs: None,
            grafts: |_, _| rules::rules_graft(),
        },
    ],
    plugin: None,
    permissions: None,
    note: None,
};

pub(in crate::catalog) fn server_grafts(program: &Program, site: &GraftSite<'_>) -> Vec<Graft> {
    // A file of the second version has `mcp.servers`; it would not find an entry of the first version.
    let deeper = find_object(site.text, &["mcp", "servers"]).is_some();
    let path: &[&str] = if deeper { &["mcp", "servers", "epitome"] } else { &["mcp", "epitome"] };
    vec![entry_graft(path, program.listed_server())]
}
