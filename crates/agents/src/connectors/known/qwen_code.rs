//! Qwen Code: the files of Gemini CLI with the events of Claude Code, in milliseconds.

use crate::connectors::hooks::{self, Unit};
use crate::connectors::{Connector, File, Form, Place, entry, rules};

pub(super) const CONNECTOR: Connector = Connector {
    name: "qwen-code",
    title: "Qwen Code",
    signs: &[Place::Home(".qwen")],
    programs: &["qwen"],
    files: &[
        File {
            places: &[Place::Home(".qwen/settings.json")],
            form: Form::Json,
            needs: None,
            grafts: |program, _| {
                let server = entry(&["mcpServers", "epitome"], program.server());
                [vec![server], hooks::grouped(program, "qwen-code", hooks::CLAUDE, Unit::Milliseconds)].concat()
            },
        },
        File {
            places: &[Place::Home(".qwen/QWEN.md")],
            form: Form::Markdown,
            needs: None,
            grafts: |_, _| rules::block(),
        },
    ],
    plugin: None,
    permissions: None,
    note: None,
};
