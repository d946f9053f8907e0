//! Connector of Roo Code, an extension of VS Code: what `epitome init` writes into its settings files, namely the MCP
//! server entry in the extension's settings file, which is that of Cline, from which Roo Code was made, under other
//! names.

use crate::connectors::{Connector, ConnectorFile, FileFormat, FileLocation, entry_graft};
use serde_json::json;

const EDITOR: FileLocation = FileLocation::Application("Code/User/globalStorage/rooveterinaryinc.roo-cline");

pub(super) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "Roo Code",
    signs: &[EDITOR],
    programs: &[],
    files: &[ConnectorFile {
        places: &[FileLocation::Application(
            "Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
        )],
        form: FileFormat::Json,
        needs: Some(EDITOR),
        grafts: |program, _| {
            let mut server = program.server_entry();
            server["disabled"] = json!(false);
            vec![entry_graft(&["mcpServers", "epitome"], server)]
        },
    }],
    plugin: None,
    permissions: None,
    note: None,
};
