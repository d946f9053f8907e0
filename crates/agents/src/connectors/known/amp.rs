//! Amp. The key has a dot in it: it is one key, not two.

use crate::connectors::{Connector, File, Form, Place, entry, rules};

pub(super) const CONNECTOR: Connector = Connector {
    name: "amp",
    title: "Amp",
    signs: &[Place::Config("amp")],
    programs: &["amp"],
    files: &[
        File {
            places: &[Place::Config("amp/settings.json")],
            form: Form::Json,
            needs: None,
            grafts: |program, _| vec![entry(&["amp.mcpServers", "epitome"], program.server())],
        },
        File {
            places: &[Place::Config("AGENTS.md")],
            form: Form::Markdown,
            needs: None,
            grafts: |_, _| rules::block(),
        },
    ],
    plugin: None,
    permissions: None,
    note: None,
};
