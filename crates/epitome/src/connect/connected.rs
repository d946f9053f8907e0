//! The agents that are connected: by what we wrote into their files, or by our plugin.

use super::{Connections, Machine};
use agents::connectors::Connector;
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

/// A connected agent.
pub(crate) struct Connected {
    pub(crate) connector: &'static Connector,
    /// The events that it calls us with, in its words.
    pub(crate) hooks: Vec<String>,
    /// Since when, in milliseconds since 1970; a connection that was written again counts from then.
    pub(crate) since: Option<i64>,
}

/// All of them, each once.
pub(crate) fn connected(machine: &Machine<'_>, connections: &Connections) -> Vec<Connected> {
    let mut all: Vec<Connected> = Vec::new();
    for connector in agents::connectors::CONNECTORS {
        if let Some(plugin) = machine.look(|snapshot| connector.plugin(snapshot)) {
            let hooks = plugin.events.iter().map(|event| (*event).to_owned()).collect();
            all.push(Connected { connector, hooks, since: modified(plugin.installed) });
        } else if connections.list().iter().any(|known| known.record.agent == connector.name) {
            let (hooks, since) = (connections.hooks_of(connector.name), modified(connections.path().to_owned()));
            all.push(Connected { connector, hooks, since });
        }
    }
    all
}

/// When a file was last written, in milliseconds since 1970.
fn modified(path: PathBuf) -> Option<i64> {
    let modified = fs_err::metadata(path).ok()?.modified().ok()?;
    i64::try_from(modified.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}
