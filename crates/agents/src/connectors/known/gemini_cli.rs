//! Gemini CLI. Servers and hooks stand in one file, its events have names of their own, and it counts milliseconds.

use crate::connectors::hooks::{self, Unit};
use crate::connectors::{Connector, File, Form, Place, entry, rules};

const EVENTS: &[&str] = &["SessionStart", "BeforeAgent", "AfterTool", "PreCompress", "AfterAgent", "SessionEnd"];

pub(super) const CONNECTOR: Connector = Connector {
    name: "gemini-cli",
    title: "Gemini CLI",
    signs: &[Place::Home(".gemini/settings.json"), Place::Home(".gemini/tmp")],
    programs: &["gemini"],
    files: &[
        File {
            places: &[Place::Home(".gemini/settings.json")],
            form: Form::Json,
            needs: None,
            grafts: |program, _| {
                let server = entry(&["mcpServers", "epitome"], program.server());
                [vec![server], hooks::grouped(program, "gemini-cli", EVENTS, Unit::Milliseconds)].concat()
            },
        },
        File {
            places: &[Place::Home(".gemini/GEMINI.md")],
            form: Form::Markdown,
            needs: None,
            grafts: |_, _| rules::block(),
        },
    ],
    plugin: None,
    permissions: None,
    note: None,
};
