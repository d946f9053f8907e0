//! Connector of Kilo Code: what `epitome init` writes into its settings files, namely the MCP server entry in
//! `kilo.json` or `kilo.jsonc`, written like that of OpenCode, from which Kilo Code is made.

use crate::catalog::opencode;
use crate::connectors::{Connector, ConnectorFile, FileFormat, FileLocation};

pub(super) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "Kilo Code",
    signs: &[FileLocation::Config("kilo")],
    programs: &["kilo"],
    files: &[ConnectorFile {
        places: &[FileLocation::Config("kilo/kilo.json"), FileLocation::Config("kilo/kilo.jsonc")],
        form: FileFormat::Json,
        needs: None,
        grafts: opencode::connector::server_grafts,
    }],
    plugin: None,
    permissions: None,
    note: None,
};
