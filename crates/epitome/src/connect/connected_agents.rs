//! Lists the agents that are connected on this machine: by entries that we wrote into their settings files, or by our
//! plugin.

use super::{ConnectionRegistry, UserHome};
use agents::CONNECTORS;
use agents::connectors::{Connector, Program};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// A connected agent.
pub(crate) struct ConnectedAgent {
    pub(crate) connector: &'static Connector,
    /// The events that it calls us with, in its words.
    pub(crate) hooks: Vec<String>,
    /// Since when, in milliseconds since 1970; a connection that was written again counts from then.
    pub(crate) since: Option<i64>,
}

/// All connected agents, each once.
pub(crate) fn find_connected_agents(machine: &UserHome<'_>, connections: &ConnectionRegistry) -> Vec<ConnectedAgent> {
    let mut all: Vec<ConnectedAgent> = Vec::new();
    for connector in CONNECTORS {
        // The plugin comes first: where it is enabled, entries of ours are left over from before it.
        if let Some(plugin) = machine.with_snapshot(|snapshot| connector.enabled_plugin(snapshot)) {
            let hooks = plugin.events.iter().map(|event| (*event).to_owned()).collect();
            // The time of the installation tells which sessions could have known of the hooks.
            all.push(ConnectedAgent { connector, hooks, since: modified_at(plugin.installed) });
        } else if connections.all_connections().iter().any(|known| known.record.agent == connector.name) {
            let hooks = connections.hooks_of(connector.name);
            let since = modified_at(connections.file_path().to_owned());
            all.push(ConnectedAgent { connector, hooks, since });
        }
    }
    all
}

/// The connected agent besides `leaving` that reads a file, too.
pub(crate) fn other_reader(
    machine: &UserHome<'_>,
    connections: &ConnectionRegistry,
    path: &Path,
    leaving: &[&'static Connector],
) -> Option<&'static Connector> {
    let is_leaving = |connector: &Connector| leaving.iter().any(|leaving| leaving.name == connector.name);
    let staying = find_connected_agents(machine, connections).into_iter().map(|known| known.connector);
    // The path of the program does not matter for where the files lie.
    let program = Program::from_path("epitome");
    staying.filter(|connector| !is_leaving(connector)).find(|connector| {
        let plan = machine
            .with_snapshot(|snapshot| connector.plan_connection(snapshot, &program, &connections.connection_records()));
        plan.files.iter().any(|file| file.record.path == path)
    })
}

/// Files of agents that say what we would write, although `epitome init` did not record them.
pub(crate) fn find_unrecorded_files(machine: &UserHome<'_>, program: &Program) -> Vec<PathBuf> {
    machine.with_snapshot(|snapshot| {
        let installed = CONNECTORS.iter().filter(|connector| connector.is_installed(snapshot));
        let files = installed.flat_map(|connector| connector.plan_connection(snapshot, program, &[]).files);
        files.filter(|file| file.now.is_some() && file.is_done()).map(|file| file.record.path).collect()
    })
}

/// When a file was last written, in milliseconds since 1970.
fn modified_at(path: PathBuf) -> Option<i64> {
    let modified = fs_err::metadata(path).ok()?.modified().ok()?;
    i64::try_from(modified.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}
