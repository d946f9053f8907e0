//! Connector of Windsurf: what `epitome init` writes into its settings files, namely the MCP server in
//! `mcp_config.json`, hooks in `hooks.json` and rules in `global_rules.md`. Windsurf takes a hundred tools of all
//! servers together; ours are a handful. Its hooks only listen: it takes nothing from them but a refusal.

use crate::connectors::{Connector, ConnectorFile, FileFormat, FileLocation, entry_graft, hooks, rules};

const EVENTS: &[&str] =
    &["pre_user_prompt", "post_run_command", "post_mcp_tool_use", "post_write_code", "post_cascade_response"];

pub(super) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "Windsurf",
    signs: &[FileLocation::Home(".codeium/windsurf")],
    programs: &["windsurf"],
    files: &[
        ConnectorFile {
            places: &[FileLocation::Home(".codeium/windsurf/mcp_config.json")],
            form: FileFormat::Json,
            needs: None,
            grafts: |program, _| vec![entry_graft(&["mcpServers", "epitome"], program.server_entry())],
        },
        ConnectorFile {
            places: &[FileLocation::Home(".codeium/windsurf/hooks.json")],
            form: FileFormat::Json,
            needs: None,
            grafts: |program, _| hooks::silent_hooks(program, super::NAME, EVENTS),
        },
        ConnectorFile {
            places: &[FileLocation::Home(".codeium/windsurf/memories/global_rules.md")],
            form: FileFormat::Markdown,
            needs: None,
            grafts: |_, _| rules::rules_graft(),
        },
    ],
    plugin: None,
    permissions: None,
    note: Some("it reads its hooks when it is started"),
};
