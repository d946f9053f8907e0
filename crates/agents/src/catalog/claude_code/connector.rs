//! Connector of Claude Code: what `epitome init` writes into its settings files, namely the MCP server entry in
//! `.claude.json`, and hooks and permissions in `settings.json`, where servers never stand. Also how our plugin, which
//! replaces both, is found. Claude Code shows the instructions of MCP servers by itself, so it gets no rules.

use crate::connectors::hooks::{self, TimeoutUnit};
use crate::connectors::{Connector, ConnectorFile, FileFormat, FileLocation, PluginSpec, entry_graft};

const SETTINGS: FileLocation = FileLocation::Variable("CLAUDE_CONFIG_DIR", ".claude", "settings.json");

pub(in crate::catalog) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "Claude Code",
    signs: &[FileLocation::Variable("CLAUDE_CONFIG_DIR", ".claude", ""), FileLocation::Home(".claude.json")],
    programs: &["claude"],
    files: &[
        ConnectorFile {
            places: &[FileLocation::Variable("CLAUDE_CONFIG_DIR", "", ".claude.json")],
            form: FileFormat::Json,
            needs: None,
            grafts: |program, _| vec![entry_graft(&["mcpServers", "epitome"], program.typed_server("stdio"))],
        },
        ConnectorFile {
            places: &[SETTINGS],
            form: FileFormat::Json,
            needs: None,
            grafts: |program, _| {
                let mut grafts = hooks::grouped_hooks(program, super::NAME, hooks::CLAUDE, TimeoutUnit::Seconds);
                grafts.push(hooks::matched_hook(program, super::NAME, "PreToolUse", super::window::CALL_MATCHER));
                grafts
            },
        },
    ],
    plugin: Some(PluginSpec {
        settings: SETTINGS,
        installed: FileLocation::Variable("CLAUDE_CONFIG_DIR", ".claude", "plugins/installed_plugins.json"),
        events: hooks::CLAUDE,
    }),
    permissions: Some(SETTINGS),
    note: Some("a session that is open gets the hooks when it is started again"),
};
