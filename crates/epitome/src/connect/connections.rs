//! The registry of connections, `connections.json` in the data directory: which entries were written into which
//! settings file of which agent, so that they can be removed.

use agents::connectors::ConnectionRecord;
use serde::{Deserialize, Serialize};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// A file that we wrote into.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AgentConnection {
    #[serde(flatten)]
    pub(crate) record: ConnectionRecord,
    /// Folders that were made for it, the innermost first.
    pub(crate) folders: Vec<PathBuf>,
}

/// All connections.
pub(crate) struct ConnectionRegistry {
    path: PathBuf,
    list: Vec<AgentConnection>,
}

#[derive(Serialize, Deserialize)]
struct StoredConnections {
    version: u32,
    connections: Vec<AgentConnection>,
}

const VERSION: u32 = 1;

impl ConnectionRegistry {
    /// The connections recorded in a data directory; empty if no agent was connected.
    pub(crate) fn open(data: &Path) -> io::Result<Self> {
        let path = data.join("connections.json");
        let list = match fs_err::read(&path) {
            Ok(bytes) => {
                let damaged = |reason: String| {
                    let what =
                        format!("cannot tell what was written into files of agents: {}: {reason}", path.display());
                    io::Error::new(ErrorKind::InvalidData, what)
                };
                let kept: StoredConnections =
                    serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
                // A newer version may have recorded what this one cannot undo; guessing would damage the user's files.
                if kept.version > VERSION {
                    return Err(damaged(format!("written by a newer version ({})", kept.version)));
                }
                kept.connections
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        Ok(Self { path, list })
    }

    /// The file that they are kept in.
    pub(super) fn file_path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn all_connections(&self) -> &[AgentConnection] {
        &self.list
    }

    /// The record of a file.
    pub(super) fn find_connection(&self, path: &Path) -> Option<&AgentConnection> {
        self.list.iter().find(|known| known.record.path == path)
    }

    /// The events that an agent calls us with, in its words.
    pub(super) fn hooks_of(&self, agent: &str) -> Vec<String> {
        self.list
            .iter()
            .filter(|known| known.record.agent == agent)
            .flat_map(|known| known.record.hook_events())
            .collect()
    }

    /// What planning needs to know of them.
    pub(crate) fn connection_records(&self) -> Vec<ConnectionRecord> {
        self.list.iter().map(|connection| connection.record.clone()).collect()
    }

    /// Keeps a connection, in the place of what was kept of the same file; durable when this returns.
    pub(super) fn save_connection(&mut self, mut connection: AgentConnection) -> io::Result<()> {
        match self.list.iter_mut().find(|known| known.record.path == connection.record.path) {
            Some(known) => {
                // Folders that were made for the first connection exist now, and are still ours to remove.
                connection.folders.append(&mut known.folders);
                *known = connection;
            }
            None => self.list.push(connection),
        }
        self.write_file()
    }

    /// Has a file belong to another agent, which reads it, too.
    pub(crate) fn hand_over(&mut self, path: &Path, agent: &str) -> io::Result<()> {
        for known in self.list.iter_mut().filter(|known| known.record.path == path) {
            agent.clone_into(&mut known.record.agent);
        }
        self.write_file()
    }

    pub(super) fn remove_connection(&mut self, path: &Path) -> io::Result<()> {
        self.list.retain(|known| known.record.path != path);
        self.write_file()
    }

    fn write_file(&self) -> io::Result<()> {
        if self.list.is_empty() {
            // No empty file stays behind after everything was disconnected.
            return match fs_err::remove_file(&self.path) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        crate::atomic::create_private_folder(self.path.parent().expect("it is in the data directory"))?;
        let kept = StoredConnections { version: VERSION, connections: self.list.clone() };
        let text = serde_json::to_string_pretty(&kept).map_err(io::Error::other)?;
        crate::atomic::replace_file(&self.path, &text)
    }
}
