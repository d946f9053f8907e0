//! Cursor.

use crate::{Agent, AgentEnvironment};

/// Where its editor keeps data, on each system.
const EDITOR: [&str; 2] = [".config/Cursor", "Library/Application Support/Cursor"];

pub(super) const AGENT: Agent = Agent {
    name: "cursor",
    transcripts: |around: &AgentEnvironment<'_>| {
        let windows = (around.variable)("APPDATA").map(|folder| std::path::PathBuf::from(folder).join("Cursor"));
        let editor = EDITOR.iter().map(|folder| around.home.join(folder)).chain(windows);
        let databases = editor.map(|folder| folder.join("User/globalStorage/state.vscdb"));
        databases.chain([around.home.join(".cursor/projects")]).collect()
    },
};
