//! Connector of VS Code with Copilot: what `epitome init` writes into its settings files, namely the MCP server in
//! `Code/User/mcp.json`, under the key `servers`, not `mcpServers`, and the hook file of Copilot CLI, which VS Code
//! reads. VS Code reads the hooks of Claude Code as well: an event that comes through both is recognised by its session
//! and its text.

use crate::catalog::copilot_cli;
use crate::connectors::{Connector, ConnectorFile, FileFormat, FileLocation, entry_graft};

pub(super) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "VS Code",
    signs: &[FileLocation::Application("Code/User")],
    programs: &["code"],
    files: &[
        ConnectorFile {
            places: &[FileLocation::Application("Code/User/mcp.json")],
            form: FileFormat::Json,
            needs: None,
            grafts: |program, _| vec![entry_graft(&["servers", "epitome"], program.typed_server("stdio"))],
        },
        copilot_cli::connector::HOOKS,
    ],
    plugin: None,
    permissions: None,
    note: None,
};
