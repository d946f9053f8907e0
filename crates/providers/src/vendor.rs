//! `Vendor`, the enum of all model vendors: the name that settings, errors and the ledger use, and the default
//! address, key variable or command of each.

use std::fmt;

/// A vendor of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Vendor {
    /// The model inside the binary.
    Builtin,
    /// Anthropic's Messages.
    Anthropic,
    /// OpenAI's Responses and embeddings.
    OpenAi,
    /// Any server with OpenAI's chat completions or embeddings.
    Compatible,
    /// Ollama.
    Ollama,
    /// The `claude` command, with its own login.
    ClaudeCli,
    /// The `codex` command, with its own login.
    CodexCli,
}

impl Vendor {
    /// Every vendor, in the order they are shown.
    pub const ALL: [Self; 7] =
        [Self::Builtin, Self::Anthropic, Self::OpenAi, Self::Compatible, Self::Ollama, Self::ClaudeCli, Self::CodexCli];

    /// The vendor called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|vendor| vendor.name() == name)
    }

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Compatible => "openai-compatible",
            Self::Ollama => "ollama",
            Self::ClaudeCli => "claude-cli",
            Self::CodexCli => "codex-cli",
        }
    }

    /// The variable that holds its key by custom.
    pub fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Builtin | Self::Compatible | Self::Ollama | Self::ClaudeCli | Self::CodexCli => None,
        }
    }

    /// Where it is found when no address is set.
    pub fn default_address(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("https://api.anthropic.com"),
            Self::OpenAi => Some("https://api.openai.com/v1"),
            Self::Ollama => Some("http://127.0.0.1:11434"),
            Self::Builtin | Self::Compatible | Self::ClaudeCli | Self::CodexCli => None,
        }
    }

    /// The command to run, for vendors that are one.
    pub fn command_name(self) -> Option<&'static str> {
        match self {
            Self::ClaudeCli => Some("claude"),
            Self::CodexCli => Some("codex"),
            Self::Builtin | Self::Anthropic | Self::OpenAi | Self::Compatible | Self::Ollama => None,
        }
    }
}

impl fmt::Display for Vendor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
