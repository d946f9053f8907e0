//! Connector of Qoder's command line: what `epitome init` writes into its settings files, namely the MCP server entry
//! in `.qoder/settings.json`. Qoder's editor takes servers only in its own window.

use crate::connectors::{Connector, ConnectorFile, FileFormat, FileLocation, entry_graft};

pub(super) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "Qoder CLI",
    signs: &[FileLocation::Home(".qoder")],
    programs: &["qodercli"],
    files: &[ConnectorFile {
        places: &[FileLocation::Home(".qoder/settings.json")],
        form: FileFormat::Json,
        needs: None,
        grafts: |program, _| vec![entry_graft(&["mcpServers", "epitome"], program.server_entry())],
    }],
    plugin: None,
    permissions: None,
    note: None,
};
