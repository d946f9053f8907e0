//! Claude Code. Servers stand in `.claude.json`, never in `settings.json`, which has the hooks.
//!
//! It shows the instructions of MCP servers by itself, so it gets no rules.

use crate::connectors::hooks::{self, Unit};
use crate::connectors::{Connector, File, Form, Place, entry};

pub(super) const CONNECTOR: Connector = Connector {
    name: "claude-code",
    title: "Claude Code",
    signs: &[Place::Variable("CLAUDE_CONFIG_DIR", ".claude", ""), Place::Home(".claude.json")],
    files: &[
        File {
            places: &[Place::Variable("CLAUDE_CONFIG_DIR", "", ".claude.json")],
            form: Form::Json,
            needs: None,
            grafts: |program, _| vec![entry(&["mcpServers", "epitome"], program.typed_server("stdio"))],
        },
        File {
            places: &[Place::Variable("CLAUDE_CONFIG_DIR", ".claude", "settings.json")],
            form: Form::Json,
            needs: None,
            grafts: |program, text| {
                if has_plugin(text) {
                    return Vec::new();
                }
                hooks::grouped(program, "claude-code", hooks::CLAUDE, Unit::Seconds)
            },
        },
    ],
    note: Some("a session that is open gets the hooks when it is started again"),
};

/// Whether our plugin is enabled: it brings the same hooks, and each would run twice.
fn has_plugin(settings: &str) -> bool {
    let is_on = |rest: &str| {
        let value = rest.split_once('"').map_or("", |(_, rest)| rest);
        value.trim_start().trim_start_matches(':').trim_start().starts_with("true")
    };
    settings.split("\"epitome@").skip(1).any(is_on)
}
