//! The `epitome` program as agents start it: its absolute path, the tools they may call without asking, and the JSON
//! entry of an MCP server that runs it on stdio.

use serde_json::{Value, json};

/// Where the program is. Agents with windows have no `PATH` of a shell, so it is always the whole path.
#[derive(Clone, Debug)]
pub struct Program {
    path: String,
    /// Tools that an agent may call without asking.
    allowed: Vec<String>,
}

impl Program {
    /// The program at an absolute path.
    pub fn from_path(path: impl Into<String>) -> Self {
        Self { path: path.into(), allowed: Vec::new() }
    }

    /// The same, with tools that agents may call without asking, if their settings have a list of such tools. Without
    /// this call, an earlier list stays.
    #[must_use]
    pub fn with_allowed(self, tools: impl IntoIterator<Item = String>) -> Self {
        Self { allowed: tools.into_iter().collect(), ..self }
    }

    pub(crate) fn allowed_tools(&self) -> &[String] {
        &self.allowed
    }

    /// Its path.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The entry of a server on stdio, as most agents spell it.
    pub(crate) fn server_entry(&self) -> Value {
        json!({ "command": self.path, "args": ["mcp"] })
    }

    /// The same with a type.
    pub(crate) fn typed_server(&self, kind: &str) -> Value {
        json!({ "type": kind, "command": self.path, "args": ["mcp"] })
    }

    /// The entry of a server whose command is one list.
    pub(crate) fn listed_server(&self) -> Value {
        json!({ "type": "local", "command": [self.path, "mcp"], "enabled": true })
    }

    /// The command line for an event of an agent, for a shell.
    pub(crate) fn hook_command(&self, event: &str, agent: &str) -> String {
        format!("{} hook {event} --agent {agent}", shell_word(&self.path))
    }
}

/// A path as one word of a shell.
pub(crate) fn shell_word(path: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@".contains(c);
    if path.chars().all(plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', r"'\''")) }
}
