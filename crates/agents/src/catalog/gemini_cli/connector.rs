//! Connector of Gemini CLI: what `epitome init` writes into its settings files, namely MCP server and hooks in one
//! file, `.gemini/settings.json`, and rules in `GEMINI.md`. Its hook events have names of their own, and timeouts are
//! in milliseconds.

use crate::connectors::hooks::{self, TimeoutUnit};
use crate::connectors::{Connector, ConnectorFile, FileFormat, FileLocation, entry_graft, rules};

const EVENTS: &[&str] = &["SessionStart", "BeforeAgent", "AfterTool", "PreCompress", "AfterAgent", "SessionEnd"];

pub(super) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "Gemini CLI",
    signs: &[FileLocation::Home(".gemini/settings.json"), FileLocation::Home(".gemini/tmp")],
    programs: &["gemini"],
    files: &[
        ConnectorFile {
            places: &[FileLocation::Home(".gemini/settings.json")],
            form: FileFormat::Json,
            needs: None,
            grafts: |program, _| {
                let server = entry_graft(&["mcpServers", "epitome"], program.server_entry());
                [vec![server], hooks::grouped_hooks(program, super::NAME, EVENTS, TimeoutUnit::Milliseconds)].concat()
            },
        },
        ConnectorFile {
            places: &[FileLocation::Home(".gemini/GEMINI.md")],
            form: FileFormat::Markdown,
            needs: None,
            grafts: |_, _| rules::rules_graft(),
        },
    ],
    plugin: None,
    permissions: None,
    note: None,
};
