//! Auggie, of Augment. A hook is a script file, which its settings name by its whole path, in milliseconds. What was said
//! comes with the end of a turn, and only where the settings ask for it: the prompt and the answer together.

use crate::connectors::hooks;
use crate::connectors::{Connector, File, Form, Graft, Place, Program, Site, entry};

const EVENTS: &[&str] = &["SessionStart", "PostToolUse", "Stop", "SessionEnd"];

pub(super) const CONNECTOR: Connector = Connector {
    name: "auggie",
    title: "Auggie",
    signs: &[Place::Home(".augment")],
    programs: &["auggie"],
    files: &[
        File {
            places: &[Place::Home(".augment/settings.json")],
            form: Form::Json,
            needs: None,
            grafts: |program, site| {
                let server = entry(&["mcpServers", "epitome"], program.server());
                let scripts = EVENTS.iter().map(|event| {
                    let script = site.home.join(format!(".augment/hooks/epitome-{event}.sh"));
                    hooks::scripted(&script.to_string_lossy(), event)
                });
                std::iter::once(server).chain(scripts).collect()
            },
        },
        script(&[Place::Home(".augment/hooks/epitome-SessionStart.sh")], |program, _| hook(program, "SessionStart")),
        script(&[Place::Home(".augment/hooks/epitome-PostToolUse.sh")], |program, _| hook(program, "PostToolUse")),
        script(&[Place::Home(".augment/hooks/epitome-Stop.sh")], |program, _| hook(program, "Stop")),
        script(&[Place::Home(".augment/hooks/epitome-SessionEnd.sh")], |program, _| hook(program, "SessionEnd")),
    ],
    plugin: None,
    permissions: None,
    note: None,
};

const fn script(places: &'static [Place], grafts: fn(&Program, &Site<'_>) -> Vec<Graft>) -> File {
    File { places, form: Form::Whole, needs: None, grafts }
}

fn hook(program: &Program, event: &str) -> Vec<Graft> {
    vec![Graft::Text { text: hooks::script(program, "auggie", event) }]
}
