//! Connector of Goose: what `epitome init` writes into its settings files, namely the MCP server as an extension in its
//! YAML settings (`cmd`, `envs`), and hooks, which belong to a plugin: a folder with a manifest (`plugin.json`) and
//! `hooks.json`.

use crate::connectors::{Connector, ConnectorFile, FileFormat, FileLocation, Graft, entry_graft, hooks};
use serde_json::json;

const EVENTS: &[&str] = &["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"];

const MANIFEST: &str = "\
{
  \"name\": \"epitome\",
  \"version\": \"1.0.0\",
  \"description\": \"Keeps what was said and done, verbatim\"
}
";

pub(super) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "Goose",
    signs: &[FileLocation::Config("goose"), FileLocation::Application("Block/goose/config")],
    // Its program has the same name as another widely installed program.
    programs: &[],
    files: &[
        ConnectorFile {
            places: &[
                FileLocation::Config("goose/config.yaml"),
                FileLocation::Application("Block/goose/config/config.yaml"),
            ],
            form: FileFormat::Yaml,
            needs: None,
            grafts: |program, _| {
                let extension = json!({
                    "name": "epitome", "type": "stdio", "enabled": true, "cmd": program.path(), "args": ["mcp"],
                    "envs": {}, "timeout": 300,
                });
                vec![entry_graft(&["extensions", "epitome"], extension)]
            },
        },
        ConnectorFile {
            places: &[FileLocation::Home(".agents/plugins/epitome/plugin.json")],
            form: FileFormat::Whole,
            needs: None,
            grafts: |_, _| vec![Graft::Text { text: MANIFEST.to_owned() }],
        },
        ConnectorFile {
            places: &[FileLocation::Home(".agents/plugins/epitome/hooks/hooks.json")],
            form: FileFormat::Whole,
            needs: None,
            grafts: |program, _| vec![Graft::Text { text: hooks::grouped_file(program, super::NAME, EVENTS) }],
        },
    ],
    plugin: None,
    permissions: None,
    note: None,
};
