//! Kilo Code: written like OpenCode, which it is made from.

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
