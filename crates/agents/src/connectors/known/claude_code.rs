//! Claude Code. Servers stand in `.claude.json`, never in `settings.json`, which has the hooks.
//!
//! It shows the instructions of MCP servers by itself, so it gets no rules.

use crate::connectors::hooks::{self, Unit};
use crate::connectors::{Connector, File, Form, Place, Plugin, entry};

const SETTINGS: Place = Place::Variable("CLAUDE_CONFIG_DIR", ".claude", "settings.json");

pub(super) const CONNECTOR: Connector = Connector {
    name: "claude-code",
    title: "Claude Code",
    signs: &[Place::Variable("CLAUDE_CONFIG_DIR", ".claude", ""), Place::Home(".claude.json")],
    programs: &["claude"],
    files: &[
        File {
            places: &[Place::Variable("CLAUDE_CONFIG_DIR", "", ".claude.json")],
            form: Form::Json,
            needs: None,
            grafts: |program, _| vec![entry(&["mcpServers", "epitome"], program.typed_server("stdio"))],
        },
        File {
            places: &[SETTINGS],
            form: Form::Json,
            needs: None,
            grafts: |program, _| hooks::grouped(program, "claude-code", hooks::CLAUDE, Unit::Seconds),
        },
    ],
    plugin: Some(Plugin {
        settings: SETTINGS,
        installed: Place::Variable("CLAUDE_CONFIG_DIR", ".claude", "plugins/installed_plugins.json"),
        events: hooks::CLAUDE,
    }),
    permissions: Some(SETTINGS),
    note: Some("a session that is open gets the hooks when it is started again"),
};
