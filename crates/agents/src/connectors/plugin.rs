//! Detects our plugin in an agent that has plugins (Claude Code). The plugin brings the MCP server and the hooks, so
//! neither is written into the settings then: both together would offer every tool twice, and report every event twice.

use super::{Connector, FileLocation, HomeSnapshot, edit};
use std::path::PathBuf;

/// Where an agent says which plugins it has.
pub(crate) struct PluginSpec {
    /// The settings that say which are enabled, for all projects of the user. What one project enables is not there for
    /// the others.
    pub(crate) settings: FileLocation,
    /// The list of installed plugins, which the agent writes when it installs one.
    pub(crate) installed: FileLocation,
    /// The events that ours calls us with.
    pub(crate) events: &'static [&'static str],
}

/// The plugin of an agent that has it enabled.
pub struct EnabledPlugin {
    /// The file that was written when it was installed.
    pub installed: PathBuf,
    /// The events that it calls us with, in the agent's words.
    pub events: &'static [&'static str],
}

impl Connector {
    /// Our plugin, where the agent has it and uses it.
    pub fn enabled_plugin(&self, snapshot: &HomeSnapshot<'_>) -> Option<EnabledPlugin> {
        let plugin = self.plugin.as_ref()?;
        let settings = (snapshot.read)(&snapshot.resolve_path(plugin.settings)).ok()??;
        let enabled = edit::find_object(&settings, &["enabledPlugins"])?;
        // The key is the plugin's name, then that of the marketplace it came from, which its owner chooses freely.
        let is_ours = enabled.iter().any(|(name, is_on)| name.starts_with("epitome@") && is_on == true);
        is_ours.then(|| EnabledPlugin { installed: snapshot.resolve_path(plugin.installed), events: plugin.events })
    }
}
