//! Kilo Code: written like OpenCode, which it is made from.

use super::opencode;
use crate::connectors::{Connector, File, Form, Place};

pub(super) const CONNECTOR: Connector = Connector {
    name: "kilo",
    title: "Kilo Code",
    signs: &[Place::Config("kilo")],
    programs: &["kilo"],
    files: &[File {
        places: &[Place::Config("kilo/kilo.json"), Place::Config("kilo/kilo.jsonc")],
        form: Form::Json,
        needs: None,
        grafts: opencode::server,
    }],
    plugin: None,
    permissions: None,
    note: None,
};
