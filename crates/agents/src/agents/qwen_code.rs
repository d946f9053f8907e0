//! Qwen Code.

use crate::{Agent, AgentEnvironment};

pub(super) const AGENT: Agent = Agent {
    name: "qwen-code",
    transcripts: |around: &AgentEnvironment<'_>| {
        // What it writes while it runs may be kept apart from its settings.
        let runtime = (around.variable)("QWEN_RUNTIME_DIR").filter(|folder| !folder.is_empty());
        let folder = runtime.map_or_else(|| around.resolve_folder("QWEN_HOME", ".qwen"), std::path::PathBuf::from);
        vec![folder.join("projects")]
    },
};
