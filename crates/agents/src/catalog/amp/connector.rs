//! Connector of Amp: what `epitome init` writes into Amp's settings files, the MCP server entry and the rules in
//! `AGENTS.md`. The key `amp.mcpServers` has a dot in it: it is one key, not two.

use crate::connectors::{Connector, ConnectorFile, FileFormat, FileLocation, entry_graft, rules};

pub(super) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "Amp",
    signs: &[FileLocation::Config("amp")],
    programs: &["amp"],
    files: &[
        ConnectorFile {
            places: &[FileLocation::Config("amp/settings.json")],
            form: FileFormat::Json,
            needs: None,
            grafts: |program, _| vec![entry_graft(&["amp.mcpServers", "epitome"], program.server_entry())],
        },
        ConnectorFile {
            places: &[FileLocation::Config("AGENTS.md")],
            form: FileFormat::Markdown,
            needs: None,
            grafts: |_, _| rules::rules_graft(),
        },
    ],
    plugin: None,
    permissions: None,
    note: None,
};
