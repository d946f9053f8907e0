//! Connector of Auggie, Augment's agent: what `epitome init` writes into its settings files, namely MCP server and
//! hooks in `.augment/settings.json`, and a script file for each hook. The settings name a script by its whole path,
//! with timeouts in milliseconds. What was said comes with the hook at the end of a turn, and only where the settings
//! ask for it: the prompt and the answer together.

use crate::connectors::hooks;
use crate::connectors::{Connector, ConnectorFile, FileFormat, FileLocation, Graft, GraftSite, Program, entry_graft};

const EVENTS: &[&str] = &["SessionStart", "PostToolUse", "Stop", "SessionEnd"];

pub(super) const CONNECTOR: Connector = Connector {
    name: super::NAME,
    title: "Auggie",
    signs: &[FileLocation::Home(".augment")],
    programs: &["auggie"],
    files: &[
        ConnectorFile {
            places: &[FileLocation::Home(".augment/settings.json")],
            form: FileFormat::Json,
            needs: None,
            grafts: |program, site| {
                let server = entry_graft(&["mcpServers", "epitome"], program.server_entry());
                let scripts = EVENTS.iter().map(|event| {
                    let script = site.home.join(format!(".augment/hooks/epitome-{event}.sh"));
                    hooks::script_hook(&script.to_string_lossy(), event)
                });
                std::iter::once(server).chain(scripts).collect()
            },
        },
        script_file(&[FileLocation::Home(".augment/hooks/epitome-SessionStart.sh")], |program, _| {
            hook_grafts(program, "SessionStart")
        }),
        script_file(&[FileLocation::Home(".augment/hooks/epitome-PostToolUse.sh")], |program, _| {
            hook_grafts(program, "PostToolUse")
        }),
        script_file(&[FileLocation::Home(".augment/hooks/epitome-Stop.sh")], |program, _| hook_grafts(program, "Stop")),
        script_file(&[FileLocation::Home(".augment/hooks/epitome-SessionEnd.sh")], |program, _| {
            hook_grafts(program, "SessionEnd")
        }),
    ],
    plugin: None,
    permissions: None,
    note: None,
};

const fn script_file(
    places: &'static [FileLocation],
    grafts: fn(&Program, &GraftSite<'_>) -> Vec<Graft>,
) -> ConnectorFile {
    ConnectorFile { places, form: FileFormat::Whole, needs: None, grafts }
}

fn hook_grafts(program: &Program, event: &str) -> Vec<Graft> {
    vec![Graft::Text { text: hooks::hook_script(program, super::NAME, event) }]
}
