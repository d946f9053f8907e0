//! Connecting agents: which entries (MCP server, hooks, rules) an agent's settings files need so that it uses Epitome,
//! and how they are removed again. What an agent needs is data in its folder of the catalog, a `Connector`. Everything
//! here is pure: a snapshot of the home folder and the path of the program give a [`ConnectPlan`], and the caller
//! carries it out.

mod edit;
pub(crate) mod hooks;
mod location;
mod permissions;
mod plan;
mod plugin;
mod program;
mod record;
pub(crate) mod rules;
mod tested_versions;

pub use edit::{EditError, FileFormat, Graft, Splice, WrittenGraft};
pub use location::OperatingSystem;
pub use plan::{ConnectPlan, FilePlan, HomeSnapshot};
pub use plugin::EnabledPlugin;
pub use program::Program;
pub use record::{ConnectionRecord, UndoOutcome};
pub use tested_versions::{Tried, Version};

pub(crate) use edit::find_object;
pub(crate) use location::FileLocation;
pub(crate) use plugin::PluginSpec;
use serde_json::Value;
use std::path::Path;

/// An agent that can be connected.
pub struct Connector {
    /// Its name in commands and configuration.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Paths that exist if the agent is installed; one is enough.
    pub(crate) signs: &'static [FileLocation],
    /// The names of its programs, for an agent that is installed but was never started.
    pub(crate) programs: &'static [&'static str],
    /// The files to edit.
    pub(crate) files: &'static [ConnectorFile],
    /// Where it says whether it has our plugin instead, if it can have one.
    pub(crate) plugin: Option<PluginSpec>,
    /// Where it says which tools it may call without asking, if it says that of single tools.
    pub(crate) permissions: Option<FileLocation>,
    /// Steps left to do by hand.
    pub note: Option<&'static str>,
}

/// A file to edit.
pub(crate) struct ConnectorFile {
    /// Where it may lie: the first that exists, else the first whose folder does, else the first.
    pub(crate) places: &'static [FileLocation],
    pub(crate) form: FileFormat,
    /// It is only edited where this exists, when one agent has several homes.
    pub(crate) needs: Option<FileLocation>,
    /// The entries it must have.
    pub(crate) grafts: fn(&Program, &GraftSite<'_>) -> Vec<Graft>,
}

/// Where something is to be written.
pub(crate) struct GraftSite<'s> {
    /// The file as it is now, without us.
    pub(crate) text: &'s str,
    /// Whose home it is in.
    pub(crate) home: &'s Path,
}

impl Connector {
    /// Whether the agent has left traces in a home folder, or its program can be started.
    pub fn is_installed(&self, snapshot: &HomeSnapshot<'_>) -> bool {
        let has_left = self.signs.iter().any(|place| (snapshot.exists)(&snapshot.resolve_path(*place)));
        has_left || self.programs.iter().any(|program| (snapshot.has_program)(program))
    }

    /// Whether its user can let it call some of our tools without being asked.
    pub fn takes_permissions(&self) -> bool {
        self.permissions.is_some()
    }
}

/// The entry to add by hand to the settings of an agent that is not known here.
pub fn by_hand(program: &Program) -> String {
    let entry = serde_json::json!({ "mcpServers": { "epitome": program.server_entry() } });
    let entry = serde_json::to_string_pretty(&entry).expect("a value can be written to memory");
    format!("{entry}\n")
}

pub(crate) fn entry_graft(path: &[&str], value: Value) -> Graft {
    Graft::Entry { path: path.iter().map(|key| (*key).to_owned()).collect(), value }
}
